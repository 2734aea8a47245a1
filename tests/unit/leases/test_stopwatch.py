"""What counts as passed while the clock is put right."""

from __future__ import annotations

from datetime import timedelta

from ragbase.domain.passed import BETWEEN_LOOKS
from ragbase.leases.stopwatch import Stopwatch
from ragbase.testing.clock import START, VirtualClock

MINUTE = timedelta(minutes=1)


def test_time_counts_as_far_as_somebody_has_seen_it_pass() -> None:
    clock = VirtualClock()
    stopwatch = Stopwatch(clock)
    clock.advance(MINUTE)
    assert stopwatch.read() == MINUTE
    clock.set(START - timedelta(hours=1))
    assert stopwatch.read() == MINUTE
    clock.advance(MINUTE)
    assert stopwatch.read() == 2 * MINUTE
    clock.set(START + timedelta(days=30))
    assert stopwatch.read() == 2 * MINUTE + BETWEEN_LOOKS
    stopwatch.restart()
    assert stopwatch.read() == timedelta(0)
