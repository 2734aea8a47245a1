"""A worker that comes back after its lease has run out. Found by the simulation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragbase.domain.claim_transitions import claimed
from ragbase.domain.document import Document
from ragbase.domain.errors import ErrorCode, TransientError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.transitions import failed, retried
from ragbase.domain.work import Failure
from ragbase.formats.extractor import FormatExtractor
from ragbase.pipeline.process import process
from ragbase.ports import Topic
from ragbase.testing.publisher import MemoryPublisher
from tests.simulation.world import LEASE, World


class Overtaken(FormatExtractor):
    """So slow that others take up every retry meanwhile; then it fails."""

    def __init__(self, world: World, record: Document) -> None:
        super().__init__()
        self._world = world
        self._record = record

    def extract(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction:
        for number in range(MAX_RETRIES):
            now = self._world.clock.advance(LEASE)
            lease = Lease(f"other {number}", 0, now + LEASE)
            claim = claimed(self._record.generation, lease, Lane.FAST, now=now, interrupted=True)
            self._world.documents.update(self._record.id, claim)
        raise OSError("the disk is full")


def test_it_does_not_give_up_what_another_has_in_work() -> None:
    world = World()
    world.put("a.md", "The last attempt is under way while the first one fails at long last, much too late.")
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    record = world.record("a.md")
    assert record is not None
    worker = world.workers[Lane.FAST]
    overtaken = replace(worker.maker(), extractor=Overtaken(world, record))
    with pytest.raises(TransientError):
        process(published.job, replace(worker, maker=lambda: overtaken))
    record = world.record("a.md")
    assert record is not None and record.needs_work
    assert record.lease is not None and record.lease.worker == "other 2"
    assert world.publisher.take() == []


class Slow(MemoryPublisher):
    """So slow to take a dead letter that somebody has the document retried meanwhile."""

    def __init__(self, world: World, record: Document) -> None:
        super().__init__()
        self._world = world
        self._record = record

    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        now = self._world.clock.now()
        given_up = failed(self._record.generation, Failure(ErrorCode.INTERNAL_ERROR, reason), now=now)
        again = claimed(self._record.generation, Lease("other", 0, now + LEASE), Lane.FAST, now=now)
        for transition in (given_up, retried(now=now), again):
            self._world.documents.update(self._record.id, transition)


def test_it_does_not_end_the_next_round_when_it_gives_up_late() -> None:
    world = World()
    world.put("a.md", "It was given up, and retried, before the worker that gave it up had told the record of it.")
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    record = world.record("a.md")
    assert record is not None
    for number in range(MAX_RETRIES + 1):
        now = world.clock.advance(LEASE)
        lease = Lease(f"dead {number}", 0, now + LEASE)
        world.documents.update(record.id, claimed(record.generation, lease, Lane.FAST, now=now, interrupted=True))
    world.clock.advance(LEASE)
    process(published.job, replace(world.workers[Lane.FAST], ports=world.ports(publisher=Slow(world, record))))
    record = world.record("a.md")
    assert record is not None and record.needs_work
    assert record.lease is not None and record.lease.worker == "other"
