"""Many tasks in one thread under virtual time: the same choices always give the same interleaving."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from datetime import datetime, timedelta

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]  # greenlet has no types

from ragbase.testing.clock import START
from ragbase.testing.violation import Violation


class Schedule:
    """Runs what is due, by time and then by order of arrival. Implements the Clock port.

    A task is a plain function that calls `sleep` wherever another task may have its turn; nothing else interrupts it.
    `owner` tells tasks apart. Times are seconds since START.
    """

    def __init__(self, *, limit: int) -> None:
        """More turns than `limit` are a violation: something goes round in circles."""
        self.seconds = 0.0
        self._limit = limit
        self._turns = 0
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._order = itertools.count()
        self._hub = getcurrent()

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something later, on its own: an action does not sleep."""
        heapq.heappush(self._due, (self.seconds + seconds, next(self._order), action))

    def spawn(self, task: Callable[[], object], owner: object) -> None:
        """Run a task from now on. What it raises ends the whole run."""
        thread = greenlet(task, parent=self._hub)
        thread.owner = owner
        self.after(0.0, thread.switch)

    @property
    def owner(self) -> object | None:
        """Whose task runs; None outside of all tasks."""
        return getattr(getcurrent(), "owner", None)

    def sleep(self, seconds: float) -> None:
        """Let the others have their turn. Called within a task."""
        self._count()
        until = self.seconds + seconds
        if not self._due or self._due[0][0] > until:
            self.seconds = until  # nobody else is due before: no need to switch
            return
        heapq.heappush(self._due, (until, next(self._order), getcurrent().switch))
        self._hub.switch()

    def run(self) -> None:
        """Work until nothing is due any more."""
        while self._due:
            self._count()
            self.seconds, _, action = heapq.heappop(self._due)
            action()

    def _count(self) -> None:
        self._turns += 1
        if self._turns > self._limit:
            raise Violation("rest", f"the pipeline does not come to rest within {self._limit} turns")
