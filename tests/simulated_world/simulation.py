"""One seed: a history and its faults, from the first upload to the final checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from ragbase.domain.tenant import Tenancy
from ragbase.upkeep.reconcile.compare import GRACE
from tests.simulated_world.faults import FaultRates, Faults, Kind, random_of
from tests.simulated_world.final_checks import check_reference, check_report, check_settled, check_stale_chunks
from tests.simulated_world.history import Operation, history, in_folders, with_accents
from tests.simulated_world.planted_bug import Bug
from tests.simulated_world.small_pages import SMALL_PAGES
from tests.simulated_world.steps import Trace
from tests.simulated_world.violation import Violation
from tests.simulated_world.world import World

_QUIET = (GRACE + timedelta(seconds=1)).total_seconds()
_TIME_TO_COME = timedelta(hours=51).total_seconds()
"""No two jumps put the clock back by more."""


@dataclass(slots=True, kw_only=True)
class Run:
    """The result of a seed. `elements` names its operations and faults, in order."""

    seed: int
    violation: Violation | None
    elements: list[str]
    steps: int
    faults: Counter[Kind] = field(default_factory=Counter)


def simulate(
    seed: int,
    *,
    only: Collection[str] | None = None,
    bug: Bug | None = None,
    trace: Trace | None = None,
    tenancy: Tenancy = Tenancy.NONE,
    elsewhere: bool = False,
    forms: bool = False,
) -> Run:
    """Run a seed, with a planted bug if one is given. With `only`, nothing happens except these of its elements. With
    `tenancy`, the same history goes on in the folders of several tenants. With `elsewhere`, no lane reads a PDF: an
    extractor elsewhere answers, or does not. With `forms`, the names have accents, which programs
    write in two ways."""
    faults = Faults(seed, FaultRates.of(random_of(f"{seed} weather")), only)
    operations = history(random_of(f"{seed} history"))
    if only is not None:
        operations = [operation for operation in operations if _name(operation) in only]
    violation = None
    if tenancy is not Tenancy.NONE:
        operations = [in_folders(operation) for operation in operations]
    if forms:
        operations = [with_accents(operation) for operation in operations]
    world = World(faults, trace, tenancy=tenancy, elsewhere=elsewhere, forms=forms)
    try:
        with SMALL_PAGES.planted(), bug.planted() if bug else nullcontext():
            _run(world, operations)
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


def _run(world: World, operations: list[Operation]) -> None:
    for operation in operations:
        world.schedule.after(operation.at, partial(world.do, operation))
    for number, jump in enumerate(world.faults.rates.jumps):
        world.schedule.after(jump.at, partial(world.put_clock_right, number, jump))
    world.run()
    if not world.faults.counts[Kind.LOST]:
        check_settled(world)
        check_stale_chunks(world)
    world.damage()
    _settle(world, world.reconcile)
    world.faults.stopped = True
    # Where the clock was put back, its time comes to what was noted before, which seems to be in motion until then.
    if world.faults.counts[Kind.CLOCK]:
        world.schedule.after(_TIME_TO_COME, lambda: None)
        world.run()
    for _ in range(3 if world.faults.counts[Kind.CLOCK] else 1):
        _settle(world, world.reconcile)
    check_settled(world)
    if len(world.indexes.all()) > 1:
        _settle(world, world.finish_reindex)
    _settle(world, world.replay)
    _settle(world, world.reconcile)  # again: a document that is given up leaves its older chunks to reconcile
    check_settled(world)
    check_report(world)
    check_reference(world)


def _settle(world: World, act: Callable[[], None]) -> None:
    """Wait for the grace, do it, and wait until all is quiet and the grace is over again."""
    world.schedule.after(_QUIET, act)
    world.run()
    world.schedule.after(_QUIET, lambda: None)
    world.run()


def _name(operation: Operation) -> str:
    return f"op {operation.number}"
