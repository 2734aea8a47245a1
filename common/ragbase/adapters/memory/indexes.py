"""Indexes in the memory of one process."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from ragbase.adapters.memory.vector_store import MemoryVectorStore
from ragbase.domain.errors import IndexGone
from ragbase.domain.index import Index


class MemoryIndexes:
    """Implements the Indexes port. `open` gives the same store every time, until its index is dropped."""

    def __init__(self) -> None:
        self._stores: dict[Index, MemoryVectorStore] = {}
        self._live: Index | None = None
        self._lock = Lock()

    def live(self) -> Index | None:
        return self._live

    def begin(self, index: Index) -> Index:
        with self._lock:
            if self._live is None or (self._live != index and self._stores[self._live].is_empty):
                replaced = self._stores.pop(self._live, None) if self._live is not None else None
                if replaced is not None:
                    replaced.drop()
                self._stores.setdefault(index, MemoryVectorStore())
                self._live = index
            return self._live

    def open(self, index: Index) -> MemoryVectorStore:
        with self._lock:
            return self._stores.setdefault(index, MemoryVectorStore())

    def all(self) -> Sequence[Index]:
        with self._lock:
            return sorted(self._stores, key=lambda index: index.name)

    def make_live(self, index: Index) -> None:
        with self._lock:
            if index not in self._stores:
                raise IndexGone(f"There is no index {index.name}.")
            self._live = index

    def drop(self, index: Index) -> None:
        with self._lock:
            if index == self._live:
                raise ValueError(f"{index.name} is the live index.")
            store = self._stores.pop(index, None)
        if store is not None:
            store.drop()
