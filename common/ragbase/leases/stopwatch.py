"""How long something has lasted, as far as somebody has seen it pass (domain/passed.py)."""

from __future__ import annotations

from datetime import timedelta

from ragbase.domain.passed import passed
from ragbase.ports.clock import Clock


class Stopwatch:
    """Runs from the beginning. Read it now and then while you wait."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.restart()

    def restart(self) -> None:
        self._last = self._clock.now()
        self._seen = timedelta(0)

    def read(self) -> timedelta:
        now = self._clock.now()
        self._seen += passed(self._last, now)
        self._last = now
        return self._seen
