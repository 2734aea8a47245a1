"""A service is away, or a setting is wrong: the document waits, and no attempt counts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import NoReturn

import pytest

from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ConfigurationError, ErrorCode, NoTurn, TransientError, Unavailable
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.domain.limits import LONGEST_WAIT, MAX_RETRIES
from ragbase.domain.passed import BETWEEN_LOOKS
from ragbase.pipeline.process import process
from ragbase.ports import Topic
from ragbase.testing.bucket import MemoryBucket
from tests.simulation.world import World

TEXT = "# Leave\n\nEveryone may take twenty-five days of paid leave a year, to be agreed with the team.\n"
LONG = "\n\n".join(
    f"## Rule {number}\n\nRule number {number} says that whoever reads it first explains it. " * 2
    for number in range(40)
)
AWAY = [Unavailable("The embedder is away."), ConfigurationError("The embedder refuses the key.")]


@pytest.fixture
def world() -> World:
    return World()


def routed(world: World, text: str = TEXT) -> Job:
    world.put("leave.md", text)
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    return published.job


def record_of(world: World) -> Document:
    record = world.record("leave.md")
    assert record is not None
    return record


@pytest.mark.parametrize("error", AWAY, ids=repr)
def test_an_outage_costs_no_attempt_and_its_reason_is_on_the_record(world: World, error: Exception) -> None:
    job = routed(world)
    begun = world.clock.now()
    for _ in range(10 * MAX_RETRIES):
        world.embedder.failures = [error]
        with pytest.raises(Unavailable, match=str(error)):
            world.handle(job)
        record = record_of(world)
        assert (record.status, record.attempts, record.lease) == (Status.PENDING, 0, None)
        assert record.failure is not None and record.failure.reason == str(error)
        assert record.waiting_since == begun
        world.clock.advance(BETWEEN_LOOKS)
    world.handle(job)
    record = record_of(world)
    assert (record.status, record.attempts, record.waiting_since) == (Status.COMPLETED, 1, None)


def test_a_document_may_stand_in_line_for_longer_than_a_day(world: World) -> None:
    job = routed(world)
    for _ in range(10 * MAX_RETRIES):
        world.embedder.failures = [NoTurn("Others come first.")]
        with pytest.raises(NoTurn):
            world.handle(job)
        record = record_of(world)
        assert (record.status, record.attempts, record.lease) == (Status.PENDING, 0, None)
        world.clock.advance(LONGEST_WAIT / 5)
    world.handle(job)
    assert record_of(world).status is Status.COMPLETED


def test_a_package_that_is_missing_in_a_lane_is_no_documents_fault(world: World) -> None:
    job = routed(world)
    world.embedder.failures = [ModuleNotFoundError("No module named 'httpx2'", name="httpx2")]
    with pytest.raises(Unavailable, match=r"httpx2 is not installed\..*Install it with: .*pip install"):
        world.handle(job)
    record = record_of(world)
    assert (record.status, record.attempts) == (Status.PENDING, 0)
    world.handle(job)
    assert record_of(world).status is Status.COMPLETED


def test_while_a_setting_is_known_to_be_wrong_no_file_is_read(world: World) -> None:
    """To read it may take minutes, and it would be read again at each delivery."""
    job, worker, read = routed(world), world.workers[Lane.FAST], list[str]()

    class Bucket(MemoryBucket):
        def read(self, name: str, generation: int) -> bytes:
            read.append(name)
            return world.bucket.read(name, generation)

    def wrong() -> NoReturn:
        raise ConfigurationError("The service refuses the key.")

    ports = world.ports(bucket=Bucket("bucket", lambda event: None, world.clock))
    maker = replace(worker.maker(), check=wrong)
    with pytest.raises(Unavailable, match="refuses the key"):
        process(job, replace(worker, ports=ports, maker=lambda: maker))
    assert (record_of(world).status, record_of(world).attempts, read) == (Status.PENDING, 0, [])
    process(job, replace(worker, ports=ports))
    assert (record_of(world).status, read) == (Status.COMPLETED, ["leave.md"])


@pytest.mark.parametrize("error", AWAY, ids=repr)
def test_an_outage_before_the_claim_is_on_the_record_too(world: World, error: Exception) -> None:
    job = routed(world)

    def away() -> NoReturn:
        raise error

    right = world.workers[Lane.FAST]
    world.workers[Lane.FAST] = replace(right, maker=away)
    with pytest.raises(Unavailable):
        world.handle(job)
    record, begun = record_of(world), world.clock.now()
    assert (record.status, record.attempts) == (Status.PENDING, 0)
    assert record.failure is not None and record.failure.reason == str(error)
    while record_of(world).status is Status.PENDING:
        world.clock.advance(BETWEEN_LOOKS)
        with pytest.raises(Unavailable):
            world.handle(job)
    assert record_of(world).status is Status.FAILED
    assert world.clock.now() - begun == LONGEST_WAIT


def test_a_document_that_has_waited_for_a_day_is_failed_and_a_dead_letter(world: World) -> None:
    job = routed(world)
    world.embedder.failures = [AWAY[0]]
    with pytest.raises(Unavailable):
        world.handle(job)
    for _ in range(LONGEST_WAIT // BETWEEN_LOOKS):
        assert record_of(world).status is Status.PENDING
        world.clock.advance(BETWEEN_LOOKS)
        world.embedder.failures = [AWAY[0]]
        with suppress(Unavailable):
            world.handle(job)
    record = record_of(world)
    assert record.status is Status.FAILED and record.failure is not None
    assert record.failure.code is ErrorCode.TIMEOUT
    assert "a wait of 24 hours" in record.failure.reason and "The embedder is away." in record.failure.reason
    assert [one.topic for one in world.publisher.take()] == [Topic.DEAD_LETTER]


JUMPS = [timedelta(hours=hours) for hours in (25, -25, 24 * 30, -1, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_a_clock_that_is_put_right_neither_ends_a_wait_nor_makes_it_longer(world: World, jump: timedelta) -> None:
    job = routed(world)
    tries = 0
    while record_of(world).status is Status.PENDING:
        if tries == 10:
            world.clock.set(world.clock.now() + jump)
        world.embedder.failures = [AWAY[0]]
        with suppress(Unavailable):
            world.handle(job)
        world.clock.advance(timedelta(minutes=1))
        tries += 1
    assert record_of(world).status is Status.FAILED
    # The look after the jump counts for what was believed to pass before it: at most BETWEEN_LOOKS.
    assert LONGEST_WAIT - BETWEEN_LOOKS <= timedelta(minutes=tries) <= LONGEST_WAIT + timedelta(minutes=3)


def test_a_machine_that_sleeps_for_a_day_has_not_waited_for_a_day(world: World) -> None:
    job = routed(world)
    for _ in range(2):
        world.embedder.failures = [AWAY[0]]
        with pytest.raises(Unavailable):
            world.handle(job)
        world.clock.advance(timedelta(days=1, hours=1))
    world.handle(job)
    assert record_of(world).status is Status.COMPLETED


def test_attempts_that_the_document_caused_count_although_there_was_an_outage_between_them(world: World) -> None:
    job = routed(world)
    for _ in range(MAX_RETRIES):
        for error in (AWAY[0], TransientError("The embedder stumbles.")):
            world.embedder.failures = [error]
            with pytest.raises(TransientError):
                world.handle(job)
    assert (record_of(world).attempts, record_of(world).waiting_since) == (MAX_RETRIES, None)
    world.embedder.failures = [TransientError("The embedder stumbles.")]
    world.handle(job)
    assert record_of(world).status is Status.FAILED


def limited(world: World, seconds: float) -> None:
    """Each attempt may take so long, and each call of the embedder takes a minute."""
    right = world.workers[Lane.FAST]
    world.workers[Lane.FAST] = replace(right, time_limit=timedelta(seconds=seconds))
    embed = world.embedder.embed_documents

    def slowly(texts: list[str]) -> object:
        world.clock.advance(timedelta(minutes=1))
        return embed(texts)

    world.embedder.embed_documents = slowly  # type: ignore[assignment,method-assign]  # for this world alone


def test_an_attempt_that_ran_out_of_time_goes_on_with_what_is_written(world: World) -> None:
    job = routed(world, LONG)
    limited(world, 30)
    deliveries = 0
    while record_of(world).needs_work:
        deliveries += 1
        try:
            world.handle(job)
        except TransientError:
            assert record_of(world).attempts == 0
    record = record_of(world)
    assert deliveries > MAX_RETRIES + 1, "it would have been given up"
    assert (record.status, record.attempts) == (Status.COMPLETED, 1)
    assert len(world.embedder.texts) == len(set(world.embedder.texts)), "a text was paid for twice"
    assert record.usage.embedded_texts == len(world.embedder.texts)


def test_an_attempt_that_gets_nowhere_in_its_time_counts_and_is_named_a_timeout(world: World) -> None:
    job = routed(world, LONG)
    limited(world, 0)
    lanes = world.workers[Lane.FAST]
    world.workers[Lane.FAST] = replace(lanes, lease=timedelta(seconds=30))
    for _ in range(MAX_RETRIES):
        with pytest.raises(TransientError, match="not finished"):
            world.handle(job)
    world.handle(job)
    record = record_of(world)
    assert record.status is Status.FAILED and record.failure is not None
    assert record.failure.code is ErrorCode.TIMEOUT
    assert not world.vectors.embeddings(record.id), "it wrote after its time"
