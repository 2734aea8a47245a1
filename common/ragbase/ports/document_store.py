"""The records of all documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from ragbase.domain.limits import DEFAULT_PAGE_SIZE
from ragbase.domain.reach import EVERYWHERE, Reach

if TYPE_CHECKING:
    from ragbase.domain.document import Change, Document, Status, Transition


@dataclass(frozen=True, slots=True)
class ListingPlace:
    """A document's place in a listing. It stays where it is when the document is gone."""

    created_at: datetime
    id: str

    def precedes(self, record: Document) -> bool:
        """Whether a listing of the newest first has the record after this place."""
        return record.created_at < self.created_at or (record.created_at == self.created_at and record.id > self.id)


class DocumentStore(Protocol):
    """One record for each document. Only transitions change it, by compare-and-set.

    The tenant of a record, where one is asked for, is the first folder of its name, whatever the setting `tenancy` is:
    ask for one only where documents are divided so. With a `reach`, only records within it are asked for.
    """

    def get(self, document_id: str, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Document | None:
        """The record; None if there is none, or it is another tenant's, or out of reach. Of such a record, nothing is
        read but its name: it takes as long as one that is not there."""
        ...

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        """The records of these documents, if they have one, in one batched read that is consistent for each record."""
        ...

    def update(self, document_id: str, transition: Transition) -> Change:
        """Apply a transition to the record as it is now, atomically and durably."""
        ...

    def find_active(self, md5: str, fingerprint: str, *, tenant: str | None = None) -> Document | None:
        """Any document (of this tenant) whose active generation has these bytes and was made with this fingerprint."""
        ...

    def leased_to(self, worker: str) -> Sequence[Document]:
        """The records whose lease this worker holds, or the lease of one of their parts."""
        ...

    def handed_out(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> Sequence[Document]:
        """The first `limit` documents (of this tenant) that an extractor elsewhere is to read, those that have waited
        longest first (by the time since when, then id)."""
        ...

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
        """The documents (of this tenant), newest first (by created_at, then id), that come after the place `after`.
        Tombstones are left out. With a place, a page costs the same wherever it is; an `offset` is counted off."""
        ...

    def count(self, *, status: Status | None = None, tenant: str | None = None, reach: Reach = EVERYWHERE) -> int:
        """How many documents such a listing has. This takes longer with every document: never ask it for each page."""
        ...

    def counts(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Mapping[Status, int]:
        """`count` of each status, for every status."""
        ...

    def scan(self, bucket: str, *, after: str = "", limit: int) -> Sequence[Document]:
        """The next `limit` records of a bucket after the name `after`, with the tombstones, in the order in which a
        bucket lists its objects: by name (by code point). If there are fewer than `limit`, they are the last."""
        ...

    def waiting(self, *, before: datetime, after: Document | None = None, limit: int) -> Sequence[Document]:
        """The next `limit` records that need work and have not changed since `before`, the longest waiting first (by
        updated_at, then id), that come after the record `after` in this order."""
        ...
