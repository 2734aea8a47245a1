"""Virtual time for threads that sleep: one of them runs at a time, and the time moves on when it sleeps."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from ragbase.testing.clock import START


class Lockstep:
    """A clock with its own `sleep`. `run` is over when all threads are, or have slept beyond the end."""

    def __init__(self) -> None:
        self._passed = 0.0
        self._order = itertools.count()
        self._asleep: list[tuple[float, int, threading.Event]] = []
        self._over = threading.Event()

    def now(self) -> datetime:
        return START + timedelta(seconds=self._passed)

    def time(self) -> float:
        return self.now().timestamp()

    def sleep(self, seconds: float) -> None:
        awake = threading.Event()
        heapq.heappush(self._asleep, (self._passed + seconds, next(self._order), awake))
        self._wake_next()
        awake.wait()

    def run(self, works: Sequence[Callable[[], object]]) -> None:
        """Do all works at the same time, until each has returned. Raises the first error of one of them."""
        errors: list[BaseException] = []

        def thread(work: Callable[[], object], begin: threading.Event) -> None:
            begin.wait()
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - raised below, in the caller's thread
                errors.append(error)
            self._wake_next()

        threads = []
        for work in works:
            begin = threading.Event()
            heapq.heappush(self._asleep, (self._passed, next(self._order), begin))
            threads.append(threading.Thread(target=thread, args=(work, begin), daemon=True))
            threads[-1].start()
        self._wake_next()
        self._over.wait()
        for one in threads:
            one.join()
        if errors:
            raise errors[0]

    def _wake_next(self) -> None:
        if self._asleep:
            self._passed, _, event = heapq.heappop(self._asleep)
            event.set()
        else:
            self._over.set()
