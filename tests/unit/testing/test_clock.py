"""The clocks give an aware time in UTC, and the virtual one moves only when a test advances it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from ragbase.adapters.system.clock import SystemClock
from ragbase.ports import Clock
from ragbase.testing.clock import VirtualClock


@pytest.mark.parametrize("clock", [SystemClock(), VirtualClock()])
def test_the_time_is_aware_and_in_utc(clock: Clock) -> None:
    assert clock.now().tzinfo is UTC


def test_the_system_clock_gives_the_time_of_the_machine() -> None:
    before = datetime.now(UTC)
    assert before <= SystemClock().now() <= datetime.now(UTC)


def test_the_virtual_clock_moves_when_a_test_advances_it() -> None:
    start = datetime(2025, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    clock = VirtualClock(start)
    assert clock.now() == clock.now() == start
    assert clock.advance(timedelta(seconds=5)) == clock.now() == start + timedelta(seconds=5)


def test_the_virtual_clock_refuses_what_no_clock_does() -> None:
    with pytest.raises(ValueError, match="negative"):
        VirtualClock().advance(timedelta(seconds=-1))
    with pytest.raises(ValueError, match="time zone"):
        VirtualClock(datetime(2025, 1, 1))  # noqa: DTZ001 - that is the point
