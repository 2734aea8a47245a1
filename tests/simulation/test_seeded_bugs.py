"""The simulation finds the bugs that are planted in the real code: its checks can fail."""

from __future__ import annotations

import pytest

from ragbase.pipeline import route
from tests.simulated_world.bugs import BUGS
from tests.simulated_world.campaign import run_lot
from tests.simulated_world.planted_bug import bug
from tests.simulated_world.simulation import simulate
from tests.simulation.seeds import FIRST

ENOUGH = 6000
"""Seeds within which a bug is found. Most are found by the first ten; what needs two rare things at once, such as a
worker that stalls and another that finishes meanwhile, takes up to 900."""

OFTEN = 10
"""A bug that one of the first seeds finds is found by many."""


def test_there_are_many() -> None:
    assert len(BUGS) >= 20


LONG = {"lease-never-expires", "flip-before-write", "surplus-kept"}
"""Bugs with which the pipeline takes tens of thousands of turns before a promise is broken: seconds."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.prove if name in LONG else ()) for name in BUGS])
def test_a_planted_bug_is_found(name: str) -> None:
    """By the seed that is known to find it, or, after a change of the code, by another one."""
    known = BUGS[name].found_by
    found = run_lot(range(known, known + 1), name).failed or run_lot(range(ENOUGH), name).failed
    assert found, f"{BUGS[name].says}. If another seed finds it, note it as found_by beside the bug."


@pytest.mark.prove
@pytest.mark.parametrize("name", [name for name, bug in BUGS.items() if bug.found_by < OFTEN])
def test_a_planted_bug_is_found_by_seeds_that_nobody_has_seen(name: str) -> None:
    found = run_lot(range(FIRST, FIRST + ENOUGH), name).failed
    assert found, BUGS[name].says


def test_a_mistake_in_a_planted_bug_finds_nothing() -> None:
    mistaken = bug("mistaken", "the planted code does not fit the real one")(lambda: [(route, "_ask", lambda: None)])

    with pytest.raises(TypeError):
        for seed in range(10):
            simulate(seed, bug=mistaken)


@pytest.mark.slow
def test_a_planted_bug_is_gone_afterwards() -> None:
    seeds = range(10)
    assert run_lot(seeds, "chunk-ids-random").failed
    assert run_lot(seeds).failed is None
