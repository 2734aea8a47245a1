"""The local queue's retries: later and later, never in step, and at last a dead letter that nobody loses."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.local_queue import LEASE, LONGEST_WAIT, MAX_DELIVERIES, UPLOADS, Delivery, LocalQueue
from ragbase.domain.dead_letter import UnreadMessage
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.ports import Topic
from ragbase.testing.clock import VirtualClock

JOB = Job(document_id=document_id("bucket", "a.md"), bucket="bucket", name="a.md", generation=1)
EVENT = ObjectEvent(kind=EventKind.FINALISED, bucket="bucket", name="a.md", generation=1)
STEP = timedelta(seconds=0.25)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def queue(database: Database, clock: VirtualClock) -> LocalQueue:
    return opened(database, clock, "worker")


def opened(database: Database, clock: VirtualClock, worker: str) -> LocalQueue:
    """For it, the time passes with the clock, and no clock is put right."""
    return LocalQueue(database, clock, worker, monotonic=lambda: clock.now().timestamp())


def awaited(queue: LocalQueue, topic: str, clock: VirtualClock) -> tuple[Delivery, float]:
    """The next delivery, and how many seconds it took to come."""
    seconds = 0.0
    while True:
        for delivery in queue.receive(topic, 1):
            return delivery, seconds
        clock.advance(STEP)
        seconds += STEP.total_seconds()


def test_a_message_that_fails_comes_later_and_later_and_not_in_step(queue: LocalQueue, clock: VirtualClock) -> None:
    waits: list[list[float]] = []
    for _ in range(8):
        queue.publish(Topic.FAST, JOB)
        delivery, _ = awaited(queue, Topic.FAST.value, clock)
        waits.append([])
        for _ in range(9):
            queue.postpone(delivery, "away")
            delivery, waited = awaited(queue, Topic.FAST.value, clock)
            waits[-1].append(waited)
        queue.receive(Topic.FAST.value, 0, [delivery.id])
    for message in waits:
        for waited, middle in zip(message, [1, 2, 4, 8, 16, 32, 60, 60, 60], strict=True):
            assert 0.75 * middle <= waited <= 1.25 * middle + STEP.total_seconds()
    assert len({tuple(message) for message in waits}) == len(waits)


def test_after_the_last_delivery_a_job_is_a_dead_letter_with_the_reason(queue: LocalQueue, clock: VirtualClock) -> None:
    queue.publish(Topic.FAST, JOB)
    for _ in range(MAX_DELIVERIES):
        queue.postpone(awaited(queue, Topic.FAST.value, clock)[0], "TransientError: the disk is full")
    assert queue.depth(Topic.FAST.value) == 0
    (dead,) = queue.receive(Topic.DEAD_LETTER.value, 10)
    assert (dead.message, dead.attempts) == (JOB, 1)
    assert dead.reason == (
        f"The queue gave up: fast-lane delivered it without success, {MAX_DELIVERIES} times. "
        "TransientError: the disk is full"
    )


def test_an_upload_event_is_a_dead_letter_too(queue: LocalQueue, database: Database, clock: VirtualClock) -> None:
    database.write(lambda connection: queue.announce(connection, EVENT))
    for _ in range(MAX_DELIVERIES):
        queue.postpone(awaited(queue, UPLOADS, clock)[0], "away")
    (dead,) = queue.receive(Topic.DEAD_LETTER.value, 10)
    assert dead.message == EVENT


def test_a_dead_letter_that_cannot_be_kept_now_keeps_its_reason_and_comes_later_and_later(
    queue: LocalQueue, clock: VirtualClock
) -> None:
    queue.publish(Topic.DEAD_LETTER, JOB, reason="Gave up after 3 retries.")
    for _ in range(2 * MAX_DELIVERIES):
        delivery, waited = awaited(queue, Topic.DEAD_LETTER.value, clock)
        assert delivery.reason == "Gave up after 3 retries."
        queue.postpone(delivery, "Busy")
    assert waited >= 0.75 * 60


def test_bytes_that_nothing_reads_are_an_unread_message() -> None:
    delivery = Delivery(1, Topic.DEAD_LETTER.value, '{"written": "by a newer ragbase"}', 1)
    assert delivery.message == UnreadMessage.of(delivery.body.encode(), {})


def test_what_a_dead_worker_had_in_hand_comes_at_once_and_counts(database: Database, clock: VirtualClock) -> None:
    dead, heir = opened(database, clock, "dead"), opened(database, clock, "heir")
    dead.publish(Topic.FAST, JOB)
    assert dead.receive(Topic.FAST.value, 1)
    assert not heir.receive(Topic.FAST.value, 1)
    heir.release("dead")
    (delivery,) = heir.receive(Topic.FAST.value, 1)
    assert delivery.attempts == 2


def test_without_a_word_from_its_worker_a_message_comes_again_after_the_lease(
    queue: LocalQueue, clock: VirtualClock
) -> None:
    queue.publish(Topic.FAST, JOB)
    awaited(queue, Topic.FAST.value, clock)
    delivery, waited = awaited(queue, Topic.FAST.value, clock)
    assert (delivery.attempts, waited) == (2, LEASE)


HOUR = timedelta(hours=1)


class Machine:
    """Its clock may be put right; `seconds` count on."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = VirtualClock()
        self.seconds = 0.0

    def process(self, name: str) -> LocalQueue:
        return LocalQueue(self.database, self.clock, name, monotonic=lambda: self.seconds)

    def wait(self, seconds: float) -> None:
        self.seconds += seconds
        self.clock.advance(timedelta(seconds=seconds))

    def until_delivered(self, queue: LocalQueue) -> float:
        """Seconds until a job comes."""
        began = self.seconds
        while not queue.receive(Topic.FAST.value, 1):
            self.wait(0.25)
        return self.seconds - began


@pytest.mark.parametrize("jump", [-HOUR, -24 * HOUR, HOUR, 25 * HOUR], ids=str)
@pytest.mark.parametrize("restarts", [False, True], ids=["goes on", "restarts"])
def test_what_waits_comes_in_time_though_the_clock_is_put_right(
    database: Database, jump: timedelta, restarts: bool
) -> None:
    machine = Machine(database)
    queue = machine.process("worker")
    queue.publish(Topic.FAST, JOB)
    for _ in range(8):
        machine.until_delivered(queue)
        queue.postpone(Delivery(1, Topic.FAST.value, "", 8), "away")
    machine.clock.set(machine.clock.now() + jump)
    if restarts:
        queue = machine.process("next")
    assert machine.until_delivered(queue) <= LONGEST_WAIT


@pytest.mark.parametrize("jump", [-HOUR, HOUR, 25 * HOUR], ids=str)
def test_what_a_process_has_in_hand_is_not_delivered_twice_though_the_clock_is_put_right(
    database: Database, jump: timedelta
) -> None:
    machine = Machine(database)
    queue = machine.process("worker")
    queue.publish(Topic.FAST, JOB)
    (delivery,) = queue.receive(Topic.FAST.value, 1)
    machine.wait(1)
    machine.clock.set(machine.clock.now() + jump)
    for _ in range(10):
        assert queue.receive(Topic.FAST.value, 1) == []
        assert queue.waiting(Topic.FAST.value, 1) == []
        machine.wait(LEASE / 3)
        queue.extend()
    queue.receive(Topic.FAST.value, 0, [delivery.id])
    assert queue.depth(Topic.FAST.value) == 0


def test_what_a_process_had_in_hand_that_died_comes_after_the_lease_though_the_clock_is_put_back(
    database: Database,
) -> None:
    machine = Machine(database)
    dead, heir = machine.process("dead"), machine.process("heir")
    dead.publish(Topic.FAST, JOB)
    assert dead.receive(Topic.FAST.value, 1)
    assert not heir.receive(Topic.FAST.value, 1)
    machine.clock.set(machine.clock.now() - HOUR)
    assert 0 < machine.until_delivered(heir) <= LEASE
