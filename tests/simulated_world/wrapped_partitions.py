"""The partitions of indexes, with something around each of their stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragbase.domain.index import Index
from ragbase.ports import Partitions, VectorStore


class WrappedPartitions:
    """Implements the Partitions port. `wrap` gets each store that is opened, and gives the one to use."""

    def __init__(self, partitions: Partitions, wrap: Callable[[VectorStore], Any]) -> None:
        self._partitions = partitions
        self._wrap = wrap

    def open(self, index: Index, tenant: str = "", *, create: bool = True) -> VectorStore:
        store: VectorStore = self._wrap(self._partitions.open(index, tenant, create=create))
        return store

    def tenants(self, index: Index) -> Sequence[str]:
        return self._partitions.tenants(index)
