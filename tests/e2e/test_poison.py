"""A document that kills any worker that processes it fails after three retries, and harms nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.dead_letter import MessageKind
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.limits import MAX_RETRIES
from ragbase.engine.lanes import collect_dead_letters
from tests.e2e.command_line import CommandLine

pytestmark = [pytest.mark.slow, pytest.mark.prove]

OTHERS = 30
PATIENCE = 60
"""Seconds after which the pipeline is stuck."""

LETHAL = """
import os, time
from ragbase.formats.extractor import FormatExtractor

extract = FormatExtractor.extract

def lethal(self, data, format, config):
    time.sleep(0.05)  # as long as a document of some length takes, so that there are others in work
    if b"kills" in data:
        os._exit(9)
    return extract(self, data, format, config)

FormatExtractor.extract = lethal
"""
"""A document that kills the process that reads it, be that the worker or its text process."""

TEXT_PROCESS = """
import lethal, runpy

runpy.run_module("ragbase.adapters.text_process_script", run_name="__main__")
"""

WORKER = """
import pathlib, sys
import lethal
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.engine.lanes import lanes
from ragbase.adapters import text_process

text_process.SCRIPT = pathlib.Path(lethal.__file__).with_name("text_process_of_worker.py")
profile = open_profile(load_config())
with lanes(profile):
    sys.stdin.read()
profile.close()
"""
"""Works until its input is closed, or until it meets the document that kills."""


@dataclass
class Supervisor:
    """Starts the worker again whenever it has died, as a service manager does."""

    home: Path
    modules: Path
    profile: Profile
    deaths: int = 0
    began: list[float] = field(default_factory=list)
    settled: dict[str, float] = field(default_factory=dict)

    def run(self) -> None:
        """Until every document has settled."""
        deadline = time.monotonic() + PATIENCE
        while len(self.settled) < OTHERS + 1:
            worker = self._start()
            try:
                while worker.poll() is None and len(self.settled) < OTHERS + 1:
                    assert time.monotonic() < deadline, f"only {len(self.settled)} have settled"
                    self._look()
                    time.sleep(0.02)
            finally:
                worker.communicate()
            if worker.returncode:
                assert worker.returncode == 9
                self.deaths += 1

    def _start(self) -> subprocess.Popen[bytes]:
        environment = CommandLine(self.home).environment()
        environment["PYTHONPATH"] = os.pathsep.join([str(self.modules), environment["PYTHONPATH"]])
        self.began.append(time.monotonic())
        return subprocess.Popen([sys.executable, "-c", WORKER], env=environment, stdin=subprocess.PIPE)

    def _look(self) -> None:
        for record in self.profile.documents.page(limit=100):
            if not record.needs_work:
                self.settled.setdefault(record.name, time.monotonic())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def upload(profile: Profile, *, lethal: bool) -> None:
    for number in range(OTHERS + 1):
        words = "kills whoever reads it" if lethal and number == 5 else "harms nobody at all"
        text = f"# Report {number}\n\nThe report of department {number} {words}, say those who wrote it down.\n"
        profile.bucket.put(f"{number:02}.md", text.encode())


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """What a worker imports to have the document that kills."""
    (tmp_path / "lethal.py").write_text(LETHAL, encoding="utf-8")
    (tmp_path / "text_process_of_worker.py").write_text(TEXT_PROCESS, encoding="utf-8")
    return tmp_path


def test_a_document_that_kills_its_worker_fails_and_harms_no_other(home: Path, modules: Path) -> None:
    took = {}
    for case in ("clean", "poisoned"):
        profile = open_profile(load_config(home=home / case, embedder="hashing", environment={}))
        try:
            upload(profile, lethal=case == "poisoned")
            supervisor = Supervisor(home / case, modules, profile)
            supervisor.run()
            poison = supervisor.settled.pop("05.md")
            took[case] = max(supervisor.settled.values()) - supervisor.began[-1]
            records = {record.name: record for record in profile.documents.page(limit=100)}
            if case == "poisoned":
                expect_poison(records.pop("05.md"), profile)
                assert supervisor.deaths == MAX_RETRIES + 1
            assert poison
            assert {record.status for record in records.values()} == {Status.COMPLETED}
            assert max(record.retry_count for record in records.values()) <= 1  # they share one death at most
        finally:
            profile.close()
    print(json.dumps({"others_after_the_last_start_s": {case: round(seconds, 2) for case, seconds in took.items()}}))


def expect_poison(record: Document, profile: Profile) -> None:
    assert (record.status, record.retry_count) == (Status.FAILED, MAX_RETRIES)
    assert record.failure is not None
    assert record.failure.code is ErrorCode.INTERNAL_ERROR
    assert "stopped in the middle of every attempt" in record.failure.reason
    collect_dead_letters(profile)
    (dead_letter,) = profile.dead_letters.page(limit=10)
    assert (dead_letter.kind, dead_letter.document_id, dead_letter.attempts) == (
        MessageKind.JOB,
        record.id,
        MAX_RETRIES + 1,
    )
    assert dead_letter.reason == record.failure.reason
