"""The fuzzing of readers finds what it looks for, keeps the file that shows it, and can be repeated."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.fuzz import readers
from tests.fuzz.budget import Budget
from tests.fuzz.readers import Figures, fuzz, look_at, make
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
    (finding,) = look_at(7, "md", TEXT, tmp_path, Figures())
    assert finding.case == 7
    assert finding.what.startswith(f"md, check: {what}")
    assert Path(finding.file).read_bytes() == TEXT


def test_a_text_out_of_proportion_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(readers, "SMALL_TEXT", 10)
    monkeypatch.setattr(readers, "MAX_GROWTH", 0.1)
    what = look_at(7, "md", TEXT, tmp_path, Figures())[0].what
    assert what.startswith(f"md, quote: out of proportion: {len(TEXT)} characters")


def test_what_a_run_has_seen_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(readers, "warm_up", lambda formats: None)
    monkeypatch.setattr(readers, "SIZES", (2_000,))
    monkeypatch.setattr(readers, "HUGE", 0)
    report = fuzz(Budget(5, 3), ["log"], tmp_path)
    assert (report.inputs, report.findings) == (3, [])
    assert sum(report.figures["ends"].values()) == 3  # type: ignore[attr-defined]  # each kind has figures of its own
