"""A source in a dictionary."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ragbase.domain.errors import EntryChanged
from ragbase.ports import SourceEntry


class MemorySource:
    """Implements the DocumentSource port. Change `files`, names and their bytes, as you like."""

    def __init__(self, address: str = "memory://", *, root: str = "", in_order: bool = True) -> None:
        """Without `in_order`, the entries come in the order in which they were added."""
        self.files: dict[str, bytes] = {}
        self.urls: dict[str, str] = {}
        self._address = address
        self._root = root
        self._in_order = in_order

    @property
    def address(self) -> str:
        return self._address

    @property
    def root(self) -> str:
        return self._root

    @property
    def in_order(self) -> bool:
        return self._in_order

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        for name, data in sorted(self.files.items()) if self._in_order else list(self.files.items()):
            if self._in_order and name <= after:
                continue
            yield SourceEntry(name=name, mark=_mark(data), size=len(data), url=self.urls.get(name))

    def read(self, entry: SourceEntry) -> Iterator[bytes]:
        data = self.files.get(entry.name)
        if data is None or _mark(data) != entry.mark:
            raise EntryChanged(f"{self._address}{entry.name}: it was changed while it was read. Run the sync again.")
        yield data

    def close(self) -> None:
        """Nothing is open."""


def _mark(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
