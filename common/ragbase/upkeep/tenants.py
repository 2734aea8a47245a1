"""The tenants that have documents, and what each has and has cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile

from ragbase.domain.document import Document, Usage
from ragbase.domain.name_forms import nfc, stored_forms
from ragbase.domain.tenant import first_folder
from ragbase.ports import DocumentStore

_PAGE = 500
"""Records that are read together."""


@dataclass(slots=True)
class Holdings:
    """What a tenant has: documents, how many of them have failed, and the chunks that search shows of them. `usage` is
    what they have cost, with those that were deleted and whose tombstones are still kept."""

    tenant: str
    documents: int = 0
    failed: int = 0
    chunks: int = 0
    usage: Usage = field(default_factory=Usage)

    def add(self, record: Document) -> None:
        self.documents += not record.tombstone
        self.failed += record.has_failed and not record.tombstone
        self.chunks += record.active.chunk_count if record.active is not None else 0
        self.usage += record.usage


def tenants(documents: DocumentStore, bucket: str) -> Sequence[Holdings]:
    """Every tenant with a document in the bucket of this name, by name. It reads every record."""
    found: dict[str, Holdings] = {}
    for record in records_after("", documents, bucket):
        tenant = first_folder(nfc(record.name))
        found.setdefault(tenant, Holdings(tenant)).add(record)
    return [found[tenant] for tenant in sorted(found) if found[tenant].documents]


def records_of(tenant: str, documents: DocumentStore, bucket: str) -> Iterator[Document]:
    """All records of a tenant, with the tombstones, by name."""
    for form in stored_forms([nfc(tenant)]):
        folder = f"{form}/" if form else ""
        below = records_after(folder, documents, bucket)
        yield from (one for one in takewhile(partial(_begins, folder), below) if first_folder(one.name) == form)


def records_after(after: str, documents: DocumentStore, bucket: str) -> Iterator[Document]:
    """The records of the bucket after the name `after`, by name."""
    while page := documents.scan(bucket, after=after, limit=_PAGE):
        yield from page
        after = page[-1].name


def _begins(folder: str, record: Document) -> bool:
    return record.name.startswith(folder)
