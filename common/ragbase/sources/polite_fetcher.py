"""Requests to the server of somebody else, no more and no faster than it likes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from ragbase.sources.fetch import Fetched, Fetcher

MOST_SECONDS_BETWEEN = 30.0
"""However much more a server asks for."""
_LATER = (429, 503)


class PoliteFetcher:
    """GET, for several threads at once. `pause` is in seconds, from request to request."""

    def __init__(self, fetcher: Fetcher, *, connections: int, pause: float, wait: Callable[[float], None]) -> None:
        self.fetcher = fetcher
        self.pause = pause
        self._wait = wait
        self._connections = BoundedSemaphore(connections)
        self._turn = Lock()

    @contextmanager
    def get(self, url: str, *, max_bytes: int, headers: Mapping[str, str] | None = None) -> Iterator[Fetched]:
        """As `Fetcher.get`. A server that asks for patience gets it, three times, from all threads."""
        with self._connections:
            for left in (2, 1, 0):
                with self._turn:
                    self._wait(self.pause)
                with self.fetcher.get(url, max_bytes=max_bytes, headers=headers) as answer:
                    if not left or answer.status not in _LATER:
                        yield answer
                        return
                    patience = answer.headers.get("Retry-After", "")
                with self._turn:
                    self._wait(min(int(patience) if patience.isdecimal() else 1, MOST_SECONDS_BETWEEN))
