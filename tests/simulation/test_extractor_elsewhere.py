"""The promises, if an extractor elsewhere reads the PDFs: in time, too late, twice or never."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from ragbase.domain import claim_transitions, extractor_transitions
from ragbase.domain.document import Document, Transition
from ragbase.pipeline import give_text, make_document
from ragbase.upkeep.reconcile import repair
from tests.simulated_world.simulation import simulate
from tests.simulation.seeds import FIRST, SEEDS

pytestmark = pytest.mark.slow


def broken(seeds: range) -> Iterator[tuple[int, str]]:
    """Each seed that breaks a promise, and how."""
    runs = (simulate(seed, elsewhere=True) for seed in seeds)
    return ((run.seed, str(run.violation)) for run in runs if run.violation is not None)


@pytest.mark.parametrize(
    "seeds", [range(5), pytest.param(range(5, 40), marks=pytest.mark.prove)], ids=["a few", "more"]
)
def test_some_seeds(seeds: range) -> None:
    assert list(broken(seeds)) == []


@pytest.mark.prove
def test_seeds_that_nobody_has_seen() -> None:
    """Others in each run (tests/conftest.py draws them). A failure names its seed."""
    assert list(broken(range(FIRST, FIRST + SEEDS // 50))) == []


def _claims_what_waits(*arguments: Any, **named: Any) -> Transition:
    right = claim_transitions.claimed(*arguments, **named)

    def wrong(record: Document | None) -> Document | None:
        if record is None or record.handed_out is None:
            return right(record)
        free = replace(record, handed_out=None)
        claimed = right(free)
        return record if claimed is None or claimed == free else replace(claimed, handed_out=record.handed_out)

    return wrong


def _ends_nothing(record: Document, ports: object) -> Document:
    return record


@pytest.mark.parametrize(
    "bugs",
    [
        pytest.param([(make_document, "claimed", _claims_what_waits)], id="a lane claims what waits"),
        pytest.param(
            [(give_text, "_check_awaited", lambda *_: None), (extractor_transitions, "is_awaited", lambda *_: True)],
            id="a late callback is taken",
        ),
        pytest.param(
            [(repair, "end_overdue", _ends_nothing), (make_document, "end_overdue", _ends_nothing)],
            id="no time-out",
            marks=pytest.mark.prove,
        ),
    ],
)
def test_a_planted_bug_is_found(bugs: list[tuple[Any, str, Callable[..., Any]]]) -> None:
    for place, name, wrong in bugs:
        patch.object(place, name, wrong).start()
    try:
        assert any(broken(range(20)))
    finally:
        patch.stopall()
