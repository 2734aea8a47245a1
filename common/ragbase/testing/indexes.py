"""Indexes in the memory of one process."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from ragbase.domain.errors import IndexGone
from ragbase.domain.index import Index
from ragbase.testing.vector_store import MemoryVectorStore


class MemoryIndexes:
    """Implements the Indexes port. `open` returns the same store every time, until its index is dropped."""

    def __init__(self) -> None:
        self._stores: dict[Index, MemoryVectorStore] = {}
        self._current: Index | None = None
        self._lock = Lock()

    def current(self) -> Index | None:
        return self._current

    def ensure(self, index: Index) -> Index:
        with self._lock:
            if self._current is None or (self._current != index and self._stores[self._current].is_empty):
                replaced = self._stores.pop(self._current, None) if self._current is not None else None
                if replaced is not None:
                    replaced.drop()
                self._stores.setdefault(index, MemoryVectorStore())
                self._current = index
            return self._current

    def open(self, index: Index) -> MemoryVectorStore:
        with self._lock:
            return self._stores.setdefault(index, MemoryVectorStore())

    def all(self) -> Sequence[Index]:
        with self._lock:
            return sorted(self._stores, key=lambda index: index.name)

    def make_current(self, index: Index) -> None:
        with self._lock:
            if index not in self._stores:
                raise IndexGone(f"There is no index {index.name}.")
            self._current = index

    def drop(self, index: Index) -> None:
        with self._lock:
            if index == self._current:
                raise ValueError(f"{index.name} is the current index.")
            store = self._stores.pop(index, None)
        if store is not None:
            store.drop()
