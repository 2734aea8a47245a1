"""A clock that moves only when a test moves it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

START = datetime(2025, 1, 1, tzinfo=UTC)


class VirtualClock:
    """Implements the Clock port. Tests advance it, so that leases run out and retries become due without waiting."""

    def __init__(self, start: datetime = START) -> None:
        """Raises ValueError for a time without a time zone."""
        if start.tzinfo is None:
            raise ValueError("A clock's start needs a time zone, such as datetime(2025, 1, 1, tzinfo=UTC).")
        self._now = start.astimezone(UTC)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        with self._lock:
            return self._now

    def set(self, moment: datetime) -> None:
        """Put it right, forward or back, as somebody does with the clock of a machine."""
        with self._lock:
            self._now = moment.astimezone(UTC)

    def advance(self, step: timedelta) -> datetime:
        """Let time pass and return what it is then. Raises ValueError for a step backwards."""
        if step < timedelta(0):
            raise ValueError(f"A clock does not go back: {step} is negative.")
        with self._lock:
            self._now += step
            return self._now
