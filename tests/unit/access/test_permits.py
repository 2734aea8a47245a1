"""Permits on a virtual clock: no history of processes goes over the limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from ragbase.access.permits import Permits
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock

MINUTE = timedelta(minutes=1)
PROCESSES = 4


class Counted(MemoryCheckpoints):
    writes = 0

    def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
        before = self.load(name)
        after = super().update(name, change)
        self.writes += after != before
        return after


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("take"), st.integers(0, PROCESSES - 1)),
        st.tuples(st.just("restart"), st.integers(0, PROCESSES - 1)),
        st.tuples(st.just("wait"), st.integers(1, 70)),
    ),
    max_size=300,
)


@given(steps=STEPS, limit=st.integers(1, 60))
def test_a_minute_never_has_more_than_its_limit(steps: list[tuple[str, int]], limit: int) -> None:
    clock, checkpoints = VirtualClock(), MemoryCheckpoints()

    def process() -> Permits:
        return Permits("name", limit, MINUTE, lambda: checkpoints, clock)

    processes = [process() for _ in range(PROCESSES)]
    allowed = Counter[int]()
    for step, number in steps:
        second = int(clock.now().timestamp())
        if step == "take":
            wait = processes[number].take()
            allowed[second // 60] += not wait
            assert wait in (0, 60 - second % 60)
        elif step == "restart":
            processes[number] = process()
        else:
            clock.advance(timedelta(seconds=number))
    assert all(count <= limit for count in allowed.values())


@given(limit=st.integers(1, 20_000))
def test_a_process_alone_uses_the_whole_limit_with_few_writes(limit: int) -> None:
    clock, checkpoints = VirtualClock(), Counted()
    permits = Permits("name", limit, MINUTE, lambda: checkpoints, clock)
    assert sum(permits.take() == 0 for _ in range(limit + 50)) == limit
    assert checkpoints.writes <= 110


@given(limit=st.integers(40, 5_000))
def test_what_others_hold_is_at_most_a_twentieth_of_the_limit_each(limit: int) -> None:
    clock, checkpoints = VirtualClock(), MemoryCheckpoints()
    holders = [Permits("name", limit, MINUTE, lambda: checkpoints, clock) for _ in range(3)]
    for holder in holders:
        assert holder.take() == 0
    busy = Permits("name", limit, MINUTE, lambda: checkpoints, clock)
    allowed = sum(busy.take() == 0 for _ in range(limit))
    assert allowed >= limit - 3 * max(1, limit // 20)


def test_a_clock_that_is_behind_takes_from_the_window_that_has_begun() -> None:
    ahead, behind = VirtualClock(), VirtualClock()
    ahead.advance(timedelta(seconds=60))
    checkpoints = MemoryCheckpoints()
    first = Permits("name", 10, MINUTE, lambda: checkpoints, ahead)
    late = Permits("name", 10, MINUTE, lambda: checkpoints, behind)
    assert sum(first.take() == 0 for _ in range(7)) == 7
    assert sum(late.take() == 0 for _ in range(10)) == 3
