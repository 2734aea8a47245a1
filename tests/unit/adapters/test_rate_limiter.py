"""One rate for all: instances on a virtual clock, against a service that is as strict as one can be."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from ragbase.adapters.backoff import RateLimited, Unreachable
from ragbase.adapters.rate_limiter import AFTER_REFUSAL, AHEAD, LAST_CALL, RateLimiter
from ragbase.domain.errors import NoTurn, Unavailable
from ragbase.domain.rate import ServiceRate
from ragbase.ports import Checkpoints, work_until
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.doubles.input_limit import InputLimit
from tests.unit.adapters.lockstep import Lockstep

RATE = ServiceRate(2_000, 0.05)
INSTANCES = 50
MINUTES = 10
LATENCY = 0.8
"""Seconds of one call."""
JITTER = 0.9
"""The most seconds from a turn to the arrival of its call."""


class Instance:
    """A process that keeps to the rate. Its sleeps move the clock, and are kept."""

    def __init__(
        self, checkpoints: Checkpoints, clock: VirtualClock, *, rate: ServiceRate = RATE, seed: int = 0
    ) -> None:
        self.slept: list[float] = []
        self._clock = clock
        self.rate_limiter = RateLimiter(
            "cohere", RATE, lambda: checkpoints, clock, sleep=self._sleep, chance=random.Random(seed)
        )

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._clock.advance(timedelta(seconds=seconds))


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def checkpoints() -> Checkpoints:
    return MemoryCheckpoints()


@pytest.fixture
def instance(checkpoints: Checkpoints, clock: VirtualClock) -> Instance:
    return Instance(checkpoints, clock)


@pytest.fixture
def another(checkpoints: Checkpoints, clock: VirtualClock) -> Instance:
    return Instance(checkpoints, clock, seed=1)


def full(instance: Instance) -> None:
    """Book everything that fits into a minute."""
    for _ in range(RATE.for_documents // RATE.largest_call(96)):
        instance.rate_limiter.wait(RATE.largest_call(96))
    assert instance.slept == []


def in_seconds(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "inputs"),
    [(RATE, (95,)), (RATE, (1, 4, 20, 60, 95)), (ServiceRate(40_000, 0.05), (95,)), (ServiceRate(60, 0.05), (3, 20))],
    ids=["full calls", "calls of any size", "a high rate", "a low rate"],
)
def test_fifty_instances_use_the_rate_and_never_exceed_it_while_queries_are_answered(
    rate: ServiceRate, inputs: tuple[int, ...]
) -> None:
    time, checkpoints, chance = Lockstep(), MemoryCheckpoints(), random.Random(1)
    service = InputLimit(rate.inputs, time.time)
    end = time.time() + 60 * MINUTES

    def instance(seed: int) -> Callable[[], None]:
        rate_limiter = RateLimiter(
            "cohere", rate, lambda: checkpoints, time, sleep=time.sleep, chance=random.Random(seed)
        )

        def work() -> None:
            while time.time() < end:
                call = chance.choice(inputs)
                rate_limiter.wait(call)
                time.sleep(chance.uniform(0, JITTER))
                assert service.takes(call, "search_document")
                time.sleep(LATENCY)

        return work

    def person() -> None:
        """Asks as often as the share for queries allows."""
        every = 60 / max(1, rate.inputs - rate.for_documents)
        while time.time() < end:
            time.sleep(every * 1.001)
            assert service.takes(1, "search_query")

    time.run([person, *map(instance, range(INSTANCES))])

    stats = service.stats()
    assert stats["refused"] == {}
    assert sum(stats["minutes"][:MINUTES]) >= 0.9 * rate.inputs * MINUTES


def test_a_process_that_stands_still_before_its_call_is_counted_when_it_calls() -> None:
    time, checkpoints, chance = Lockstep(), MemoryCheckpoints(), random.Random(1)
    service = InputLimit(RATE.inputs, time.time)
    end = time.time() + 60 * MINUTES

    def oversleep(seconds: float) -> None:
        time.sleep(seconds + chance.choice([0, 0, 0, 30]))

    def instance(seed: int) -> Callable[[], None]:
        rate_limiter = RateLimiter(
            "cohere", RATE, lambda: checkpoints, time, sleep=oversleep, chance=random.Random(seed)
        )

        def work() -> None:
            while time.time() < end:
                rate_limiter.wait(95)
                assert service.takes(95, "search_document")
                time.sleep(LATENCY)

        return work

    time.run([instance(seed) for seed in range(INSTANCES)])

    assert service.stats()["refused"] == {}


def test_a_quiet_service_takes_a_minute_at_once(instance: Instance, another: Instance) -> None:
    full(instance)

    another.rate_limiter.wait(1)

    assert sum(another.slept) >= 60 - 1, "the first minute is over"
    assert all(pause <= AHEAD for pause in another.slept)


def test_who_has_no_time_to_wait_gets_no_turn_and_books_none(
    instance: Instance, another: Instance, clock: VirtualClock
) -> None:
    full(instance)

    with work_until(in_seconds(LAST_CALL)), pytest.raises(NoTurn, match="cohere takes 1900 texts"):
        another.rate_limiter.wait(1)

    assert another.slept == []
    (book,) = another.rate_limiter.books()
    assert book.ahead(int(clock.now().timestamp())) == 0


def test_who_has_no_time_to_wait_is_served_if_there_is_room(instance: Instance) -> None:
    with work_until(in_seconds(1)):
        instance.rate_limiter.wait(95)

    assert instance.slept == []


def test_retry_after_holds_for_everybody(instance: Instance, another: Instance) -> None:
    instance.rate_limiter.refused(7)

    another.rate_limiter.wait(1)

    assert sum(another.slept) == 7


def test_a_refusal_without_retry_after_lets_the_service_rest_too(instance: Instance, another: Instance) -> None:
    instance.rate_limiter.refused(None)

    another.rate_limiter.wait(1)

    assert sum(another.slept) == AFTER_REFUSAL


def test_a_long_refusal_goes_to_the_queue(instance: Instance, another: Instance) -> None:
    instance.rate_limiter.refused(3_600)

    with pytest.raises(RateLimited) as caught:
        another.rate_limiter.wait(1)

    assert (caught.value.retry_after, another.slept) == (3_600, [])


def test_a_refusal_ends_though_the_clock_is_put_back(instance: Instance, clock: VirtualClock) -> None:
    instance.rate_limiter.refused(30 * 24 * 3_600)
    clock.set(clock.now() - timedelta(days=1))
    instance.rate_limiter.wait(1)


def test_a_turn_is_not_used_if_the_service_has_refused_calls_meanwhile(
    checkpoints: Checkpoints, clock: VirtualClock, another: Instance
) -> None:
    full(another)
    clock.advance(timedelta(seconds=60 - AHEAD / 2))
    sleeps: list[float] = []

    def sleep(seconds: float) -> None:
        clock.advance(timedelta(seconds=seconds))
        if not sleeps:
            another.rate_limiter.refused(10)
        sleeps.append(seconds)

    RateLimiter("cohere", RATE, lambda: checkpoints, clock, sleep=sleep, chance=random.Random(0)).wait(95)

    assert len(sleeps) == 2
    assert sleeps[1] == 10


def test_a_book_that_cannot_be_reached_is_no_fault_of_the_document(clock: VirtualClock) -> None:
    class Away(MemoryCheckpoints):
        def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
            raise Unavailable("Firestore did not answer.")

    with pytest.raises(Unreachable, match="Firestore did not answer"):
        Instance(Away(), clock).rate_limiter.wait(1)


def test_services_have_books_of_their_own(checkpoints: Checkpoints, clock: VirtualClock, instance: Instance) -> None:
    full(instance)
    sleeps: list[float] = []

    RateLimiter("openai", RATE, lambda: checkpoints, clock, sleep=sleeps.append).wait(95)

    assert sleeps == []


def test_it_is_crowded_from_half_of_the_rate_on_and_not_for_ever(instance: Instance, clock: VirtualClock) -> None:
    for _ in range(10):
        instance.rate_limiter.wait(95)
    assert not instance.rate_limiter.is_crowded

    instance.rate_limiter.wait(95)
    assert instance.rate_limiter.is_crowded

    clock.advance(timedelta(minutes=2))
    assert not instance.rate_limiter.is_crowded


def test_waiting_is_logged_once_a_minute(
    instance: Instance, another: Instance, caplog: pytest.LogCaptureFixture
) -> None:
    full(instance)
    with caplog.at_level(logging.INFO, "ragbase"):
        for _ in range(RATE.for_documents // 95 + 1):
            another.rate_limiter.wait(95)

    entries = [record for record in caplog.records if record.getMessage() == "rate.waiting"]
    assert sum(another.slept) > 120 - 1
    assert 2 <= len(entries) <= 3
