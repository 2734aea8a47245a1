"""The fuzzing of readers finds what it looks for, keeps the file that shows it, and can be repeated."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.fuzz import readers
from tests.fuzz.readers import Report, look_at, main, make
from tests.fuzz.stages import Stages
from tests.fuzz.worst_inputs import WORST

TEXT = b"# Sail\n\nWind fills the sail of a boat, and the boat goes on.\n"


def test_a_case_is_repeated_by_its_number() -> None:
    cases = [make(case, list(readers.FORMATS)) for case in range(40)]
    assert cases == [make(case, list(readers.FORMATS)) for case in range(40)]
    assert len({data for _, data in cases}) > 30


@pytest.mark.parametrize("format", WORST)
def test_the_worst_inputs_have_the_size_that_is_asked_for(format: str) -> None:
    for name, made in WORST[format].items():
        assert 5_000 < len(made(10_000)) < 30_000, name


def fault(stages: Stages) -> None:
    raise KeyError("a fault of the reader")


def crash(stages: Stages) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(("breaks", "what"), [(fault, "fault: KeyError"), (crash, "hang, or killed")])
def test_a_fault_is_found_with_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, breaks: object, what: str
) -> None:
    monkeypatch.setattr(Stages, "check", breaks)
    (finding,) = look_at(7, "md", TEXT, tmp_path, Report(0))
    assert (finding.case, finding.stage) == (7, "check")
    assert finding.what.startswith(what)
    assert Path(finding.file).read_bytes() == TEXT


def test_a_text_out_of_proportion_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(readers, "SMALL_TEXT", 10)
    monkeypatch.setattr(readers, "MAX_GROWTH", 0.1)
    assert look_at(7, "md", TEXT, tmp_path, Report(0))[0].what.startswith(f"out of proportion: {len(TEXT)} characters")


def test_a_run_ends_with_a_line_of_json(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readers, "warm_up", lambda: None)
    monkeypatch.setattr(readers, "SIZES", (2_000,))
    monkeypatch.setattr(readers, "HUGE", 0)
    monkeypatch.setattr(
        sys, "argv", ["fuzz", "--cases", "3", "--seed", "5", "--formats", "log", "--folder", str(tmp_path)]
    )
    assert main() == 0
    report = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert (report["seed"], report["cases"], report["findings"]) == (5, 3, [])
    assert sum(report["ends"].values()) == 3
