"""The indexes of a vector store, of which one is live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ragbase.domain.index import Index
from ragbase.ports.vector_store import VectorStore


class Indexes(Protocol):
    """The indexes that there are: the live one, which queries ask and lanes write, and such as are built or left."""

    def live(self) -> Index | None:
        """The live index, as it was within the last second; None where none was begun yet."""
        ...

    def begin(self, index: Index) -> Index:
        """The live index; where there is none, or one that holds no chunk, `index` is made and becomes it."""
        ...

    def open(self, index: Index) -> VectorStore:
        """Its chunks. It is made if it is missing."""
        ...

    def all(self) -> Sequence[Index]:
        """Every index that exists, by name."""
        ...

    def make_live(self, index: Index) -> None:
        """The flip: one step, atomic and durable. Raises IndexGone where there is no such index."""
        ...

    def drop(self, index: Index) -> None:
        """Remove it with all its chunks, if it is there. Raises ValueError for the live one."""
        ...
