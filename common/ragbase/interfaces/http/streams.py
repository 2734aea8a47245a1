"""The streams of this process that go on until somebody ends them: who has one, and their end."""

from __future__ import annotations

import threading
from collections import Counter

STREAMS = 12
"""The most at once. Each holds a thread. An instance of the function `api` has 40 (terraform/functions.tf)."""

STREAMS_OF_ONE = 4
"""The most of one caller: some tabs of a browser."""


class Streams:
    """Any thread may use it."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._ending = threading.Event()

    def take(self, holder: str) -> StreamPlace | None:
        """A place for a stream of this caller; None if there is none now."""
        with self._lock:
            full = self._held.total() >= STREAMS or self._held[holder] >= STREAMS_OF_ONE
            if full or self._ending.is_set():
                return None
            self._held[holder] += 1
        return StreamPlace(self, holder)

    def leave(self, holder: str) -> None:
        with self._lock:
            self._held[holder] -= 1
            self._held += Counter()  # keeps what is above 0

    def rest(self, seconds: float) -> bool:
        """Wait, but not longer than until the end. Whether the stream goes on."""
        return not self._ending.wait(seconds)

    def end(self) -> None:
        """The server stops: end all streams, and begin no more."""
        self._ending.set()


class StreamPlace:
    """The place of one stream."""

    def __init__(self, streams: Streams, holder: str) -> None:
        self._streams = streams
        self._holder = holder
        self._left = False

    def leave(self) -> None:
        """May be called twice."""
        if not self._left:
            self._left = True
            self._streams.leave(self._holder)
