"""An index that can be searched and written, in all its partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from ragbase.domain.calibration import FittedCalibration
from ragbase.domain.index import Index
from ragbase.ports.embedder import Embedder
from ragbase.ports.indexes import Partitions
from ragbase.ports.vector_store import VectorStore


@dataclass(frozen=True, slots=True)
class OpenPartitions:
    """An index with its chunks. Any thread may use it. If there is no such index, or no more, every use raises
    IndexGone: only `create` makes it.

    A partition is opened when it is first used, and stays open: what its store keeps in memory is of use to the next
    search.
    """

    index: Index
    partitions: Partitions
    _open: dict[str, VectorStore] = field(default_factory=dict, init=False, repr=False, compare=False)
    _opening: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def create(self) -> None:
        """Make the index if it is missing. If an older version has made it, it gets what it lacks."""
        with self._opening:
            self._open[""] = self.partitions.open(self.index)

    def vectors(self, tenant: str = "") -> VectorStore:
        """The chunks of this tenant. In an index that is not split, the tenant "" has all."""
        known = self._open.get(tenant)
        if known is not None:
            return known
        with self._opening:
            if tenant not in self._open:
                self._open[tenant] = self.partitions.open(self.index, tenant, create=False)
            return self._open[tenant]

    def vectors_of(self, name: str) -> VectorStore:
        """The partition that holds the document of this name."""
        return self.vectors(self.index.tenant_of(name))

    def tenants(self) -> Sequence[str]:
        """The tenants that have a chunk, by name."""
        return self.partitions.tenants(self.index) if self.index.is_split else [""]

    def held(self, documents: Iterable[tuple[str, str]]) -> Mapping[str, Mapping[int, int]]:
        """As VectorStore.held, for documents of any tenants, given by their names and ids."""
        if not self.index.is_split:
            return self.vectors().held([id for _, id in documents])
        by_tenant: dict[str, list[str]] = {}
        for name, id in documents:
            by_tenant.setdefault(self.index.tenant_of(name), []).append(id)
        return {
            id: counts for tenant, ids in by_tenant.items() for id, counts in self.vectors(tenant).held(ids).items()
        }


@dataclass(frozen=True, slots=True)
class OpenIndex(OpenPartitions):
    """An index with its chunks and the embedder that it was made with: vectors of different models cannot be
    compared. `fitted` gives the calibration that `ragbase calibrate` found for it; None without one."""

    embedder: Embedder
    fitted: Callable[[], FittedCalibration | None] = field(default=lambda: None, compare=False)
