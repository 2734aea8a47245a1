"""The simulation finds the bugs that are planted in the real code: its checks can fail."""

from __future__ import annotations

import pytest

from scripts.simulation.bugs import BUGS
from scripts.simulation.campaign import run_lot

ENOUGH = 1200
"""Seeds within which each bug is found. Most are found by the first ten; what needs two rare things at once, such as a
worker that stalls and another that finishes meanwhile, takes up to 900."""

FOUND_BY = {
    "stale-by-old-record": 104,
    "superseded-work-left": 47,
    "newest-bytes-read": 44,
    "flip-seen-by-number": 243,
    "records-before-hits": 159,
    "reconcile-routes-nothing": 65,
    "backfill-routes-nothing": 65,
    "reindex-waits-for-quiet": 445,
    "given-text-swept-at-once": 488,
}
"""A seed that found a rare bug. It is tried first; a change of the code may make it another one of these seeds."""


def test_there_are_many() -> None:
    assert len(BUGS) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    known = FOUND_BY.get(bug, 0)
    found = run_lot(range(known, known + 1), bug).failed or run_lot(range(ENOUGH), bug).failed
    assert found, BUGS[bug].says


def test_the_known_seeds_are_among_those_that_are_tried() -> None:
    assert all(bug in BUGS and seed < ENOUGH for bug, seed in FOUND_BY.items())


def test_a_planted_bug_is_gone_afterwards() -> None:
    seeds = range(10)
    assert run_lot(seeds, "chunk-ids-random").failed
    assert run_lot(seeds).failed is None
