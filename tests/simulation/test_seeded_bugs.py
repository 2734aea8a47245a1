"""The simulation finds the bugs that are planted in the real code: its checks can fail."""

from __future__ import annotations

import pytest

from scripts.simulation.bugs import BUGS
from scripts.simulation.campaign import run_lot

ENOUGH = 1200
"""Seeds within which each bug is found. Most are found by the first ten; what needs two rare things at once, such as a
worker that stalls and another that finishes meanwhile, takes up to 900."""


def test_there_are_many() -> None:
    assert len(BUGS) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    assert run_lot(range(ENOUGH), bug).failed, BUGS[bug].says


def test_a_planted_bug_is_gone_afterwards() -> None:
    seeds = range(10)
    assert run_lot(seeds, "chunk-ids-random").failed
    assert run_lot(seeds).failed is None
