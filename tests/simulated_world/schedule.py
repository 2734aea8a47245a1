"""Many tasks in one thread, in virtual time: the same choices always give the same interleaving."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]  # greenlet has no types

from ragbase.testing.clock import START
from tests.simulated_world.violation import Violation


class WallClock:
    """The clock of the machines of a world, which somebody may put right. Implements the Clock port."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        return self._schedule.now() + self._ahead

    def put_right(self, by: timedelta) -> None:
        self._ahead += by


class Schedule:
    """Runs what is due, by time and then by order of arrival. Implements the Clock port: its time only passes, and
    that of `wall` is what the pipeline sees.

    A task is a plain function. It calls `sleep` where another task may run; nothing else interrupts it. `owner` says
    which task runs. Times are seconds since START.
    """

    def __init__(self, *, limit: int) -> None:
        """More turns than `limit` are a violation: something repeats without an end."""
        self.seconds = 0.0
        self._limit = limit
        self._turns = 0
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._order = itertools.count()
        self._hub = getcurrent()
        self.wall = WallClock(self)

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something later, outside of all tasks. It must not sleep."""
        heapq.heappush(self._due, (self.seconds + seconds, next(self._order), action))

    def spawn(self, task: Callable[[], object], owner: object) -> None:
        """Start a task. An exception in it ends the whole run."""
        thread = greenlet(task, parent=self._hub)
        thread.owner = owner
        self.after(0.0, thread.switch)

    @property
    def owner(self) -> object | None:
        """The owner of the running task; None outside of all tasks."""
        return getattr(getcurrent(), "owner", None)

    def sleep(self, seconds: float) -> None:
        """Let other tasks run. Only tasks call this."""
        self._count()
        until = self.seconds + seconds
        if not self._due or self._due[0][0] > until:
            self.seconds = until  # no other task is due before then: no need to switch
            return
        heapq.heappush(self._due, (until, next(self._order), getcurrent().switch))
        self._hub.switch()

    def together(self, tasks: Sequence[Callable[[], object]]) -> None:
        """Run these as tasks of the running task's owner, and return when all have ended. Only tasks call this."""
        left, waiting, owner = len(tasks), getcurrent(), self.owner

        def ended(task: Callable[[], object]) -> None:
            nonlocal left
            task()
            left -= 1
            if not left:
                self.after(0.0, waiting.switch)

        for task in tasks:
            self.spawn(partial(ended, task), owner)
        if tasks:
            self._hub.switch()

    def run(self) -> None:
        """Run until nothing is due."""
        while self._due:
            self._count()
            self.seconds, _, action = heapq.heappop(self._due)
            action()

    def _count(self) -> None:
        self._turns += 1
        if self._turns > self._limit:
            raise Violation("rest", f"the pipeline does not come to rest within {self._limit} turns")
