"""The order of changes of a store in memory."""

from __future__ import annotations

from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.ports.changes import ChangedIds
from ragbase.testing.document_store import MemoryDocumentStore


class MemoryChanges:
    """Implements the Changes port."""

    def __init__(self, store: MemoryDocumentStore) -> None:
        self._store = store

    def latest(self) -> int:
        return max(self._store.changes().values(), default=0)

    def after(self, number: int, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> ChangedIds:
        latest = self.latest()  # first: what changes meanwhile is told again
        numbers = self._store.changes(tenant, reach)
        ids = sorted((id for id in numbers if numbers[id] > number), key=numbers.__getitem__)
        return ChangedIds(ids[max(len(ids) - limit, 0) :], latest, len(ids) > limit)
