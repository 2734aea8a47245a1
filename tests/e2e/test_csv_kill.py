"""kill -9 at any moment of loading a CSV file: search shows one version, and the next start ends as a clean run."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from ragbase import load_config
from ragbase.bootstrap.open_profile import open_profile
from tests.contract.csv_worlds import CsvWorld

pytestmark = [pytest.mark.slow, pytest.mark.prove]

ROWS = 6_000
KILLS = 8
COMMON = Path(__file__).resolve().parents[2] / "common"

LOAD = """
import sys
from datetime import timedelta

from ragbase import load_config
from ragbase.adapters.system.clock import SystemClock
from ragbase.csv_service import CsvKnowledgeBase, CsvProperties, RagProperties

file, home, minutes = sys.argv[1:]
now = SystemClock.now
SystemClock.now = lambda clock: now(clock) + timedelta(minutes=int(minutes))  # the lease of a killed process is over
CsvKnowledgeBase(RagProperties(csv=CsvProperties(path=file)), load_config(home=home, embedder="hashing")).close()
"""


def start(file: Path, home: Path, minutes: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", LOAD, str(file), str(home), str(minutes)],
        env={**os.environ, "PYTHONPATH": str(COMMON)},
        start_new_session=True,
    )


def finish(file: Path, home: Path, minutes: int) -> None:
    assert start(file, home, minutes).wait(timeout=300) == 0


def written(home: Path) -> int:
    """How many texts the index holds now, while a process writes more."""
    with closing(sqlite3.connect(f"file:{home / 'csv' / 'ragbase.db'}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'chunks_%'")
        return sum(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for (name,) in tables.fetchall())


def held(file: Path, home: Path) -> tuple[list[tuple[int, str]], list[str]]:
    """The rows that search may show, in order, and the texts that the index holds, shown or not."""
    profile = open_profile(load_config(home=home / "csv", embedder="hashing"))
    try:
        shown = CsvWorld(file, lambda: profile.indexes, profile.checkpoints).shown
        chunks = [
            embedded.chunk.text
            for index in profile.indexes.all()
            for one in profile.indexes.open(index).scan(limit=10 * ROWS)
            for embedded in profile.indexes.open(index).read(one.document_id, one.generation)
        ]
        return shown, sorted(chunks)
    finally:
        profile.close()


def test_no_row_is_doubled_or_missing_after_kills(tmp_path: Path) -> None:
    file, home = tmp_path / "rows.csv", tmp_path / "home"
    old = [f"entry {number}" for number in range(ROWS)]
    new = [f"entry {number}" for number in range(ROWS // 2, 2 * ROWS)]
    shown_old, shown_new = (
        [(number, f"text: {text}") for number, text in enumerate(texts, start=1)] for texts in (old, new)
    )
    file.write_text("\n".join(["text", *old]), encoding="utf-8")
    finish(file, home, 0)
    assert held(file, home) == (shown_old, sorted(text for _, text in shown_old))

    file.write_text("\n".join(["text", *new]), encoding="utf-8")
    rng = random.Random(5)
    in_the_middle = 0
    for minutes in range(1, KILLS + 1):
        enough = written(home) + rng.randint(1, ROWS // 2 // KILLS)
        process = start(file, home, minutes)
        while process.poll() is None and written(home) < enough:
            time.sleep(0.002)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shown, texts = held(file, home)
        assert shown in (shown_old, shown_new)
        in_the_middle += len(texts) not in (len(old), len(new))
    assert in_the_middle  # otherwise nothing was tested
    finish(file, home, KILLS + 1)

    assert held(file, home) == (shown_new, sorted(text for _, text in shown_new))
