"""The indexes of a vector store. One of them is the current index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ragbase.domain.index import Index
from ragbase.ports.vector_store import VectorStore


class Indexes(Protocol):
    """All indexes: the current one, which queries ask and lanes write, and others that a reindex builds or has left."""

    def current(self) -> Index | None:
        """The current index, at most one second out of date; None if there is none yet."""
        ...

    def ensure(self, index: Index) -> Index:
        """The current index. If there is none, or it holds no chunk, `index` is created and becomes the current one."""
        ...

    def open(self, index: Index) -> VectorStore:
        """The chunks of the index, which is created if it is missing."""
        ...

    def all(self) -> Sequence[Index]:
        """Every index that exists, by name."""
        ...

    def make_current(self, index: Index) -> None:
        """Switch to this index in one step, atomic and durable. Raises IndexGone if there is no such index."""
        ...

    def drop(self, index: Index) -> None:
        """Remove the index with all its chunks, if it exists. Raises ValueError for the current index."""
        ...
