"""The crash matrix: one fault at each port call of each use case, and the end has to be the clean run's.

The calls are those that the clean run makes, so that a new call is in the matrix by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from random import Random

from ragbase.testing.faults import Faults, Kind, Step, Weather
from ragbase.testing.message_queue import MOST_DELIVERIES
from ragbase.testing.scenarios import SCENARIOS, Scenario
from ragbase.testing.small_pages import SMALL_PAGES
from ragbase.testing.use_cases import EVERYTHING, LEASE
from ragbase.testing.violation import Violation
from ragbase.testing.world import World

FAULTS = (Kind.CRASH_BEFORE, Kind.CRASH_AFTER, Kind.FAIL_BEFORE, Kind.FAIL_AFTER)
REDELIVERIES = {"once": (0.0,), "twice": (0.0, 30.0), "to two workers at once": (0.0, 0.0)}
"""How the message is delivered again whose work was interrupted: seconds later than usual."""
_NOT_YET = 1_000_000
_PACE = 0.01
"""Seconds that each call takes: two workers that begin together go on in step."""
_DEADLINE = LEASE.total_seconds() + 10
"""A dead worker's message comes again when its lease has run out, so that the next one can take it at once."""


@dataclass(slots=True)
class OneFault(Faults):
    """Nothing goes wrong but one port call, counted from `begun`."""

    at: int = -1
    fault: Kind | None = None
    again: tuple[float, ...] = (0.0,)
    begun: int = 0

    def call(self, task: str, number: int, position: int, source: Random) -> Step:
        return Step(_PACE, self.fault if position - self.begun == self.at else None)

    def message(self, name: str, kind: Kind, source: Random) -> float | None:
        return None

    def redeliveries(self) -> tuple[float, ...]:
        again, self.again = self.again, (0.0,)
        return again


@dataclass(slots=True, kw_only=True)
class Result:
    """`calls` are the port calls of the clean run, `cases` the runs with a fault; `failures` has a line for each that
    ended otherwise than the clean run."""

    scenario: str
    calls: int
    cases: int
    failures: list[str] = field(default_factory=list)


def run_all(*, jobs: int | None = None) -> Iterator[Result]:
    """Every scenario, in their order."""
    with ProcessPoolExecutor(jobs or os.cpu_count()) as pool:
        parts = {name: [pool.submit(run_part, name, fault) for fault in FAULTS] for name in SCENARIOS}
        for name, running in parts.items():
            results = [part.result() for part in running]
            yield Result(
                scenario=name,
                calls=results[0].calls,
                cases=sum(result.cases for result in results),
                failures=[failure for result in results for failure in result.failures],
            )


def size(results: Sequence[Result]) -> str:
    """How large the matrix is, in words."""
    calls, cases = sum(result.calls for result in results), sum(result.cases for result in results)
    return (
        f"{len(results)} scenarios, {calls} port calls x {len(FAULTS)} faults x {len(REDELIVERIES)} redeliveries "
        f"= {cases} cases"
    )


def run_part(name: str, fault: Kind) -> Result:
    """One kind of fault at every port call of a scenario, with every way of redelivery."""
    scenario = SCENARIOS[name]
    clean, calls = _run(scenario, _faults())
    result = Result(scenario=name, calls=len(calls), cases=0)
    for at, call in enumerate(calls):
        for redelivery, again in REDELIVERIES.items():
            result.cases += 1
            try:
                end, _ = _run(scenario, _faults(at=at, fault=fault, again=again))
            except Violation as broken:
                result.failures.append(f"{fault}, {at}. {call}, redelivered {redelivery}: {broken}")
            else:
                if end != clean:
                    result.failures.append(f"{fault}, {at}. {call}, redelivered {redelivery}: another end")
    return result


def _faults(at: int = -1, fault: Kind | None = None, again: tuple[float, ...] = (0.0,)) -> OneFault:
    return OneFault(0, Weather.calm(), at=at, fault=fault, again=again)


def _run(scenario: Scenario, faults: OneFault) -> tuple[object, list[str]]:
    world = World(faults)
    world.queue.deadline, world.queue.max_deliveries = _DEADLINE, MOST_DELIVERIES
    faults.begun = _NOT_YET
    with SMALL_PAGES.planted():
        scenario.before(world)
        world.run()
        faults.begun = len(world.steps.made)
        scenario.act(world)
        world.run()
    return _state(world), world.steps.made[faults.begun :]


def _state(world: World) -> object:
    """All that has to be the same whatever went wrong: records but for times, attempts and costs, chunks, letters."""
    records = {record.name: record for record in world.promises.records.values()}
    outcomes = {}
    for name, record in sorted(records.items()):
        active = record.active
        twin = world.documents.get(active.duplicate_of) if active and active.duplicate_of else None
        outcomes[name] = (
            record.status,
            record.tombstone,
            record.generation == max((g for id, g in world.promises.written if id == record.id), default=0),
            record.failure.code if record.failure and not record.is_open else None,
            (active.chunk_count, active.md5, active.text_length, twin and twin.active and twin.name)
            if active
            else None,
        )
    chunks = [
        [(id, number, one.chunk.ordinal, one.chunk.text) for one in world.vectors.read(id, generation)]
        for number, (id, generation) in enumerate(world.promises.written)
    ]
    letters = sorted((letter.name or "", letter.kind) for letter in world.letters.page(limit=100))
    indexes = [(index.name, len(world.indexes.open(index).scan(limit=EVERYTHING))) for index in world.indexes.all()]
    return outcomes, chunks, indexes, letters
