"""The indexes of a vector store. One of them is the current index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.index import Index
    from ragbase.ports.vector_store import VectorStore


class Partitions(Protocol):
    """The partitions of indexes: an index that is split by tenant has one for each tenant with a document, and any
    other index has one, of the tenant ""."""

    def open(self, index: Index, tenant: str = "", *, create: bool = True) -> VectorStore:
        """The chunks of this tenant, and no others, for search as if there were no others. The partition is made by
        the first write: until then, nothing is found in it.

        If the index is missing, it is made; with `create` false, every method of the store raises IndexGone.

        Raises ValueError for a tenant in an index that is not split.
        """
        ...

    def tenants(self, index: Index) -> Sequence[str]:
        """The tenants that have a chunk in this index, by name. Raises IndexGone if there is no such index."""
        ...


class Indexes(Partitions, Protocol):
    """All indexes: the current one, which queries ask and lanes write, and others that a reindex builds or has left."""

    def current(self) -> Index | None:
        """The current index, at most one second out of date; None if there is none yet."""
        ...

    def check(self) -> Index | None:
        """The same as `current`, as it is now, without a thread or connection left behind that a fork would break.
        Raises ConfigurationError if the settings do not fit the store."""
        ...

    def ensure(self, index: Index) -> Index:
        """The current index. If there is none, or it holds no chunk, `index` is created and becomes the current one."""
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

    def drop_tenant(self, index: Index, tenant: str) -> None:
        """Remove the partition of this tenant with all its chunks, if it exists. A later write makes it again.

        Raises ValueError for an index that is not split, and IndexGone if there is no such index.
        """
        ...
