"""One seed: a history and its faults, from the first upload until all is quiet and found to be right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from ragbase.pipeline.compare import GRACE
from ragbase.testing.faults import Faults, Kind, Weather, random_of
from ragbase.testing.history import Operation, history
from ragbase.testing.planting import Bug
from ragbase.testing.quiescence import check_accounts, check_reference, check_report, check_sweep
from ragbase.testing.small_pages import SMALL_PAGES
from ragbase.testing.steps import Trace
from ragbase.testing.violation import Violation
from ragbase.testing.world import World

_QUIET = (GRACE + timedelta(seconds=1)).total_seconds()


@dataclass(slots=True, kw_only=True)
class Run:
    """What came of a seed. `elements` names the operations and faults that it was made of, in order."""

    seed: int
    violation: Violation | None
    elements: list[str]
    steps: int
    faults: Counter[Kind] = field(default_factory=Counter)


def simulate(
    seed: int, *, only: Collection[str] | None = None, bug: Bug | None = None, trace: Trace | None = None
) -> Run:
    """Run a seed, with a bug planted where one is given; with `only`, nothing happens but these of its elements."""
    faults = Faults(seed, Weather.of(random_of(f"{seed} weather")), only)
    operations = history(random_of(f"{seed} history"))
    if only is not None:
        operations = [operation for operation in operations if _name(operation) in only]
    violation = None
    world = World(faults, trace)
    try:
        with SMALL_PAGES.planted(), bug.planted() if bug else nullcontext():
            _live(world, operations)
    except Violation as broken:
        violation = broken
        world.steps.say("", f"VIOLATION {broken}")
    return Run(
        seed=seed,
        violation=violation,
        elements=[*map(_name, operations), *faults.happened],
        steps=len(world.steps.made),
        faults=faults.counts,
    )


def _live(world: World, operations: list[Operation]) -> None:
    for operation in operations:
        world.schedule.after(operation.at, partial(world.do, operation))
    world.run()
    if not world.faults.counts[Kind.LOST]:
        check_accounts(world)
        check_sweep(world)
    world.faults.healed = True
    _settle(world, world.reconcile)
    check_accounts(world)
    if len(world.indexes.all()) > 1:
        _settle(world, world.finish_reindex)
    _settle(world, world.replay)
    _settle(world, world.reconcile)  # once more: a document that is given up leaves its older text to the janitor
    check_accounts(world)
    check_report(world)
    check_reference(world)


def _settle(world: World, act: Callable[[], None]) -> None:
    """Do it when nothing has moved for long enough, and wait until all is quiet and has been so for as long."""
    world.schedule.after(_QUIET, act)
    world.run()
    world.schedule.after(_QUIET, lambda: None)
    world.run()


def _name(operation: Operation) -> str:
    return f"op {operation.number}"
