"""A heartbeat keeps the lease of a long attempt. If the worker dies, it stops, and the lease soon runs out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_MOMENT = 0.1
"""Seconds: the thread of a heartbeat ends at once, unless it is beating."""

Beat = Callable[[], bool]


@contextmanager
def heartbeat(beat: Beat, *, every: float) -> Iterator[None]:
    """Call `beat` every so many seconds, in a thread of its own, until it returns False or the context ends.

    Work that ends within `every` seconds costs no beat. A beat that is running when the context ends is not waited for.
    """
    over = threading.Event()
    thread = _started(lambda: _keep_beating(beat, over, every, first=every))
    try:
        yield
    finally:
        over.set()
        thread.join(_MOMENT)


class Heartbeats:
    """Heartbeats for many attempts, of which most are short: one thread waits for all of them. An attempt that lasts
    longer than `every` seconds gets a thread of its own, so that no beat waits for another."""

    def __init__(self, every: float) -> None:
        self._every = every
        self._lock = threading.Lock()
        self._waiting: dict[threading.Event, tuple[float, Beat]] = {}
        self._beating: dict[threading.Event, threading.Thread] = {}
        self._watcher: threading.Thread | None = None

    @contextmanager
    def __call__(self, beat: Beat) -> Iterator[None]:
        """Does what `heartbeat` does."""
        over = threading.Event()
        with self._lock:
            self._waiting[over] = (time.monotonic() + self._every, beat)
            if self._watcher is None or not self._watcher.is_alive():  # a fork leaves it behind
                self._watcher = _started(self._watch, name="heartbeats")
        try:
            yield
        finally:
            over.set()
            with self._lock:
                self._waiting.pop(over, None)
                thread = self._beating.pop(over, None)
            if thread is not None:
                thread.join(_MOMENT)

    def _watch(self) -> None:
        """Start what is due. It ends when nothing has waited for so long that nothing would have become due."""
        seconds = self._every
        while seconds:
            time.sleep(seconds)
            seconds = self._start_due()

    def _start_due(self) -> float:
        """The seconds until the next one may be due; 0 if none waits."""
        with self._lock:
            now = time.monotonic()
            while self._waiting:
                over, (due, beat) = next(iter(self._waiting.items()))  # who came first is due first
                if due > now:
                    return due - now
                self._beating[over] = self._started(beat, over)
                del self._waiting[over]
            self._watcher = None
            return 0.0

    def _started(self, beat: Beat, over: threading.Event) -> threading.Thread:
        return _started(lambda: _keep_beating(beat, over, self._every, first=0.0))


def _keep_beating(beat: Beat, over: threading.Event, every: float, *, first: float) -> None:
    """The first beat is after `first` seconds."""
    wait = first
    while not over.wait(wait) and beat():
        wait = every


def _started(run: Callable[[], None], name: str = "heartbeat") -> threading.Thread:
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread
