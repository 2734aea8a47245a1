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
        self._stores: dict[Index, dict[str, MemoryVectorStore]] = {}
        self._current: Index | None = None
        self._lock = Lock()

    def check(self) -> Index | None:
        return self.current()

    def current(self) -> Index | None:
        return self._current

    def ensure(self, index: Index) -> Index:
        with self._lock:
            if self._current is None or (self._current != index and self._is_empty(self._current)):
                if self._current is not None:
                    self._remove(self._current)
                self._stores.setdefault(index, {})
                self._current = index
            return self._current

    def open(self, index: Index, tenant: str = "", *, create: bool = True) -> MemoryVectorStore:
        index.check_tenant(tenant)
        with self._lock:
            if not create and index not in self._stores:
                gone = MemoryVectorStore()
                gone.drop()
                return gone
            return self._stores.setdefault(index, {}).setdefault(tenant, MemoryVectorStore())

    def tenants(self, index: Index) -> Sequence[str]:
        with self._lock:
            return sorted(tenant for tenant, store in self._of(index).items() if not store.is_empty)

    def all(self) -> Sequence[Index]:
        with self._lock:
            return sorted(self._stores, key=lambda index: index.name)

    def make_current(self, index: Index) -> None:
        with self._lock:
            self._of(index)
            self._current = index

    def drop(self, index: Index) -> None:
        with self._lock:
            if index == self._current:
                raise ValueError(f"{index.name} is the current index.")
            self._remove(index)

    def drop_tenant(self, index: Index, tenant: str) -> None:
        index.check_split()
        with self._lock:
            store = self._of(index).get(tenant)
            if store is not None:
                store.clear()

    def _is_empty(self, index: Index) -> bool:
        return all(store.is_empty for store in self._stores[index].values())

    def _of(self, index: Index) -> dict[str, MemoryVectorStore]:
        if index not in self._stores:
            raise IndexGone(f"There is no index {index.name}.")
        return self._stores[index]

    def _remove(self, index: Index) -> None:
        for store in self._stores.pop(index, {}).values():
            store.drop()
