"""The bytes of new and changed pages, from the time that they are listed until they are read."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile
from threading import Lock

MAX_KEPT = 1024 * 1024 * 1024
"""Bytes of all pages together. What is beyond is asked for a second time."""
_BLOCK = 1024 * 1024


class KeptPages:
    """In a file that the system removes. For several threads at once."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._places: dict[tuple[str, str], tuple[int, int]] = {}
        self._end = 0
        self._lock = Lock()

    def keep(self, name: str, mark: str, body: bytes) -> None:
        with self._lock:
            if self._end + len(body) <= MAX_KEPT:
                self._file.seek(self._end)
                self._file.write(body)
                self._places[name, mark] = (self._end, len(body))
                self._end += len(body)

    def take(self, name: str, mark: str) -> Iterator[bytes] | None:
        """The bytes in blocks, once. None if they were not kept."""
        with self._lock:
            place = self._places.pop((name, mark), None)
        return self._blocks(*place) if place is not None else None

    def _blocks(self, start: int, length: int) -> Iterator[bytes]:
        for at in range(start, start + length, _BLOCK):
            with self._lock:
                self._file.seek(at)
                block = self._file.read(min(_BLOCK, start + length - at))
            yield block

    def clear(self) -> None:
        with self._lock:
            self._places.clear()
            self._end = 0

    def close(self) -> None:
        self._file.close()
