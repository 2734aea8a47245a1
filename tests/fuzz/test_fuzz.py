"""Each kind of fuzzing for a fixed number of inputs: nothing crashes, hangs, is lost or gets an answer of 5xx.

`./scripts/prove all` tries ten times as many inputs. FUZZ_TIMES makes it another number, and FUZZ_SEED draws others.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from tests.fuzz import formats
from tests.fuzz.__main__ import KINDS, main
from tests.fuzz.budget import MOST_FINDINGS, Budget, Finding, Report
from tests.fuzz.hostile_requests import HostileRequests

SEED = int(os.environ.get("FUZZ_SEED", "0"))
TIMES = int(os.environ.get("FUZZ_TIMES") or (10 if os.environ.get("PROVE") == "all" else 1))


@pytest.mark.prove
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found(kind: str) -> None:
    report = KINDS[kind].fuzz(Budget(SEED, KINDS[kind].inputs * TIMES))
    assert report.findings == []
    assert report.inputs >= KINDS[kind].inputs * TIMES


def test_forty_damaged_files_are_stood() -> None:
    assert formats.fuzz(Budget(0, 40)).findings == []


def test_a_run_ends_with_a_line_of_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(formats, "check", lambda promised, data: 0.5)
    text = tmp_path / "a.md"
    text.write_text("# Sail\n\nWind fills it.\n")
    assert main(["formats", "--seed", "5", "--inputs", "3", "--data", str(tmp_path)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["fuzz"], report["seed"], report["inputs"], report["findings"]) == ("formats", 5, 3, [])
    assert report["slowest"] == [0.5, 7]


def test_a_finding_is_named_with_its_number_and_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(promised: str, data: bytes) -> float:
        raise formats.Fault("a NUL is left")

    monkeypatch.setattr(formats, "check", check)
    assert main(["formats", "--seed", "5", "--inputs", "1"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    promised, data = formats.make(random.Random(5))
    assert (finding["case"], finding["what"]) == (5, f"{promised}: Fault: a NUL is left")
    assert Path(finding["file"]).read_bytes() == data


def test_a_run_ends_when_too_much_is_wrong() -> None:
    report = Report()
    for case in Budget(1).cases(report):
        report.add(Finding(case, "wrong"))
    assert report.inputs == MOST_FINDINGS


def test_a_run_ends_after_its_seconds() -> None:
    assert list(Budget(1, seconds=0).cases(Report())) == []


def test_a_seed_draws_the_same_requests_again() -> None:
    one, other = (HostileRequests(random.Random(7), ["key"], ["id"]) for _ in range(2))
    drawn = [one.next() for _ in range(500)]
    assert drawn == [other.next() for _ in range(500)]
    assert len({sent.operation for sent in drawn}) > 10
