"""The crash matrix: one fault at each port call of each use case. Each run must end like the clean run.

The clean run records the port calls, so a new call is in the matrix automatically.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.simulated_world.faults import FaultRates, Faults, Kind, Step
from tests.simulated_world.message_queue import MOST_DELIVERIES
from tests.simulated_world.processes import processes
from tests.simulated_world.scenarios import SCENARIOS, Scenario
from tests.simulated_world.small_pages import SMALL_PAGES
from tests.simulated_world.use_cases import EVERYTHING, LEASE
from tests.simulated_world.violation import Violation
from tests.simulated_world.world import World

FAULTS = (Kind.CRASH_BEFORE, Kind.CRASH_AFTER, Kind.FAIL_BEFORE, Kind.FAIL_AFTER)
REDELIVERIES = {"once": (0.0,), "twice": (0.0, 30.0), "to two workers at once": (0.0, 0.0)}
"""How often an interrupted message is delivered again, and how many seconds later than usual each time."""
_NOT_YET = 1_000_000
_PACE = 0.01
"""Seconds that each call takes. All take equally long, so two workers that begin together stay together."""
_DEADLINE = LEASE.total_seconds() + 10
"""A dead worker's message is delivered again when its lease has run out, so the next worker can claim it at once."""


@dataclass(slots=True)
class OneFault(Faults):
    """Only one port call goes wrong: number `at`, counted from `begun`."""

    at: int = -1
    fault: Kind | None = None
    delays: tuple[float, ...] = (0.0,)
    begun: int = 0

    def call(self, task: str, number: int, position: int, source: Random) -> Step:
        return Step(_PACE, self.fault if position - self.begun == self.at else None)

    def message(self, name: str, kind: Kind, source: Random) -> float | None:
        return None

    def redeliveries(self) -> tuple[float, ...]:
        delays, self.delays = self.delays, (0.0,)
        return delays


@dataclass(slots=True, kw_only=True)
class Result:
    """How many port calls the clean run made, how many runs with a fault there were, and a line for each of them that
    ended differently from the clean run."""

    scenario: str
    calls: int
    cases: int
    failures: list[str] = field(default_factory=list)


def run_all(*, jobs: int | None = None) -> Iterator[Result]:
    """Run every scenario, in order."""
    with processes(jobs) as pool:
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
    """Put one kind of fault at every port call of a scenario, with every kind of redelivery."""
    scenario = SCENARIOS[name]
    clean, calls = _run(scenario, _faults())
    result = Result(scenario=name, calls=len(calls), cases=0)
    for at, call in enumerate(calls):
        for redelivery, delays in REDELIVERIES.items():
            result.cases += 1
            try:
                end, _ = _run(scenario, _faults(at=at, fault=fault, delays=delays))
            except Violation as broken:
                result.failures.append(f"{fault}, {at}. {call}, redelivered {redelivery}: {broken}")
            else:
                if end != clean:
                    result.failures.append(f"{fault}, {at}. {call}, redelivered {redelivery}: ends differently")
    return result


def _faults(at: int = -1, fault: Kind | None = None, delays: tuple[float, ...] = (0.0,)) -> OneFault:
    return OneFault(0, FaultRates.none(), at=at, fault=fault, delays=delays)


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
    """What must not depend on faults: records without times, attempts and costs; chunks; texts; word boxes; indexes;
    dead letters."""
    records = {record.name: record for record in world.promises.records.values()}
    outcomes = {}
    for name, record in sorted(records.items()):
        active = record.active
        duplicate = world.documents.get(active.duplicate_of) if active and active.duplicate_of else None
        outcomes[name] = (
            record.status,
            record.tombstone,
            record.generation == [one for id, one in world.promises.written if id == record.id and one > 0][-1],
            record.given_text is not None and not record.tombstone and world.texts.read(record.id, record.wanted),
            record.failure.code if record.failure and not record.needs_work else None,
            (active.chunk_count, active.md5, active.text_length, duplicate and duplicate.active and duplicate.name)
            if active
            else None,
        )
    chunks = [
        [(id, number, one.chunk.ordinal, one.chunk.text) for one in world.vectors.read(id, generation)]
        for number, (id, generation) in enumerate(one for one in world.promises.written if one[1] > 0)
    ]
    # A call that is repeated gives its text another number, so only those that are there count.
    given = [world.texts.read(text.document_id, text.generation) for text in world.texts.scan(limit=100)]
    chunks_of_given = [
        (id, one.chunk.ordinal, one.chunk.text)
        for id, generation in world.promises.written
        for one in world.vectors.read(id, generation)
        if generation < 0
    ]
    dead_letters = sorted(
        (dead_letter.name or "", dead_letter.kind) for dead_letter in world.dead_letters.page(limit=100)
    )
    indexes = [(index.name, len(world.indexes.open(index).scan(limit=EVERYTHING))) for index in world.indexes.all()]
    part_texts = world.part_texts.scan(limit=100)
    shown = [(record.id, record.active) for _, record in sorted(records.items()) if record.active]
    boxes = [world.word_boxes.read(id, active.generation, active.reader) for id, active in shown]
    stored = len(world.word_boxes.scan(limit=100))
    return outcomes, chunks, given, chunks_of_given, indexes, dead_letters, part_texts, boxes, stored
