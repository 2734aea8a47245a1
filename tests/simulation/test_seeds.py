"""Random histories and faults break no promise (docs/correctness.md)."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragbase.testing.campaign import Tally, campaign, run_lot, story, told
from ragbase.testing.faults import CALL_FAULTS, MESSAGE_FAULTS, Kind

COMMON = Path(__file__).resolve().parents[2] / "common"
SEED = 42


def told_of(tally: Tally) -> str:
    """The least of the history that fails, for whoever reads the test's output."""
    if tally.failed is None:
        return ""
    seed, what = tally.failed
    return "\n".join([f"seed {seed}: {what}", *story(seed)[1]])


def test_some_seeds() -> None:
    tally = run_lot(range(40))
    assert tally.failed is None, told_of(tally)


@pytest.mark.slow
def test_two_thousand_seeds() -> None:
    *_, tally = campaign(range(2000))
    assert tally.failed is None, told_of(tally)
    assert tally.seeds == 2000
    # Nothing that can go wrong was left out.
    assert set(tally.faults) == {*CALL_FAULTS, *MESSAGE_FAULTS, Kind.LOST}


def test_a_seed_is_the_same_in_every_process() -> None:
    program = "from ragbase.testing.campaign import told; print('\\n'.join(told(42, None)))"
    digests = {hashlib.sha256("\n".join(told(SEED, None)).encode()).hexdigest()}
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONPATH": str(COMMON), "PYTHONHASHSEED": hash_seed}
        told_there = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
        digests.add(hashlib.sha256(told_there.stdout.strip(b"\n")).hexdigest())
    assert len(digests) == 1
