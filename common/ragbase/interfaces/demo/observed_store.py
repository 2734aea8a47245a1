"""A DocumentStore that reports every change of a record once it is durable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from ragbase.domain.document import Change, Document, Status, Transition
from ragbase.domain.limits import DEFAULT_PAGE_SIZE
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.ports import DocumentStore, ListingPlace


class ObservedStore:
    """Implements the DocumentStore port on top of another store."""

    def __init__(self, store: DocumentStore, observe: Callable[[Change], None]) -> None:
        self._store = store
        self._observe = observe

    def get(self, document_id: str, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Document | None:
        return self._store.get(document_id, tenant=tenant, reach=reach)

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        return self._store.get_many(document_ids)

    def update(self, document_id: str, transition: Transition) -> Change:
        change = self._store.update(document_id, transition)
        self._observe(change)
        return change

    def find_active(self, md5: str, fingerprint: str, *, tenant: str | None = None) -> Document | None:
        return self._store.find_active(md5, fingerprint, tenant=tenant)

    def leased_to(self, worker: str) -> Sequence[Document]:
        return self._store.leased_to(worker)

    def handed_out(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> Sequence[Document]:
        return self._store.handed_out(tenant=tenant, reach=reach, limit=limit)

    def page(
        self,
        *,
        status: Status | None = None,
        tenant: str | None = None,
        reach: Reach = EVERYWHERE,
        limit: int = DEFAULT_PAGE_SIZE,
        offset: int = 0,
        after: ListingPlace | None = None,
    ) -> Sequence[Document]:
        return self._store.page(status=status, tenant=tenant, reach=reach, limit=limit, offset=offset, after=after)

    def count(self, *, status: Status | None = None, tenant: str | None = None, reach: Reach = EVERYWHERE) -> int:
        return self._store.count(status=status, tenant=tenant, reach=reach)

    def counts(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Mapping[Status, int]:
        return self._store.counts(tenant=tenant, reach=reach)

    def scan(self, bucket: str, *, after: str = "", limit: int) -> Sequence[Document]:
        return self._store.scan(bucket, after=after, limit=limit)

    def waiting(self, *, before: datetime, after: Document | None = None, limit: int) -> Sequence[Document]:
        return self._store.waiting(before=before, after=after, limit=limit)
