"""Document records in a dictionary."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from ragbase.domain.document import Change, Document, Status, Transition
from ragbase.domain.limits import DEFAULT_PAGE_SIZE
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.domain.tenant import first_folder
from ragbase.ports import ListingPlace


class MemoryDocumentStore:
    """Implements the DocumentStore port."""

    def __init__(self) -> None:
        self._records: dict[str, Document] = {}
        self._changes: dict[str, int] = {}
        self._lock = threading.Lock()

    def get(self, document_id: str, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Document | None:
        with self._lock:
            record = self._records.get(document_id)
        return record if record is not None and _is_seen(record, tenant, reach) else None

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        with self._lock:
            return {id: self._records[id] for id in document_ids if id in self._records}

    def update(self, document_id: str, transition: Transition) -> Change:
        with self._lock:
            before = self._records.get(document_id)
            after = transition(before)
            if after is not None:
                self._records[document_id] = after
                if after is not before:
                    self._changes[document_id] = max(self._changes.values(), default=0) + 1
            return Change(before, after)

    def find_active(self, md5: str, fingerprint: str, *, tenant: str | None = None) -> Document | None:
        matches = (
            record
            for record in self._all(tenant)
            if record.active and (record.active.md5, record.active.fingerprint) == (md5, fingerprint)
        )
        return min(matches, key=lambda record: record.id, default=None)

    def leased_to(self, worker: str) -> Sequence[Document]:
        return [
            record
            for record in self._all()
            if (record.lease is not None and record.lease.worker == worker) or worker in record.part_workers
        ]

    def handed_out(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> Sequence[Document]:
        seen = self._all(tenant, reach)
        waits = [(record.handed_out.since, record.id, record) for record in seen if record.handed_out]
        return [record for _, _, record in sorted(waits, key=lambda wait: wait[:2])[:limit]]

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
        listed = self._listed(status, tenant, reach)
        listed.sort(key=lambda record: record.id)
        listed.sort(key=lambda record: record.created_at, reverse=True)
        later = [record for record in listed if after is None or after.precedes(record)]
        return later[offset : offset + limit]

    def count(self, *, status: Status | None = None, tenant: str | None = None, reach: Reach = EVERYWHERE) -> int:
        return len(self._listed(status, tenant, reach))

    def counts(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Mapping[Status, int]:
        found = Counter(record.status for record in self._listed(None, tenant, reach))
        return {status: found[status] for status in Status}

    def scan(self, bucket: str, *, after: str = "", limit: int) -> Sequence[Document]:
        records = [record for record in self._all() if record.bucket == bucket and record.name > after]
        return sorted(records, key=lambda record: record.name)[:limit]

    def waiting(self, *, before: datetime, after: Document | None = None, limit: int) -> Sequence[Document]:
        records = [record for record in self._all() if record.needs_work and record.updated_at < before]
        records.sort(key=_by_change)
        return [record for record in records if after is None or _by_change(record) > _by_change(after)][:limit]

    def changes(self, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Mapping[str, int]:
        """The number of the last change of each record, for MemoryChanges."""
        seen = self._all(tenant, reach)
        with self._lock:
            return {record.id: self._changes[record.id] for record in seen}

    def _listed(self, status: Status | None, tenant: str | None, reach: Reach) -> list[Document]:
        seen = self._all(tenant, reach)
        return [record for record in seen if not record.tombstone and status in (None, record.status)]

    def _all(self, tenant: str | None = None, reach: Reach = EVERYWHERE) -> list[Document]:
        with self._lock:
            records = list(self._records.values())
        return [record for record in records if _is_seen(record, tenant, reach)]


def _is_seen(record: Document, tenant: str | None, reach: Reach) -> bool:
    return tenant in (None, first_folder(record.name)) and reach.has(record.name)


def _by_change(record: Document) -> tuple[datetime, str]:
    return (record.updated_at, record.id)
