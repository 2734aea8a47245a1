"""Which documents a caller sees: those of the own tenant, and within reach. To others, they are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.identity import document_id, older_ids
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.domain.tenant import Tenancy
from ragbase.ports import ListingPlace

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import DocumentStore


def seen_document(
    id: str, documents: DocumentStore, tenancy: Tenancy, *, tenant: str | None, reach: Reach = EVERYWHERE
) -> Document | None:
    """The document's record, as a caller of this tenant and reach sees it; with None, as who sees all. None if there is
    no document, or it is deleted, or another tenant's, or out of reach: these cannot be told apart. The store is asked
    with the tenant, so that the record of another one is never read."""
    if tenant and tenancy is Tenancy.NONE:  # then all documents are those of the tenant ""
        return None
    asked = tenant if tenancy is Tenancy.FOLDER else None
    record = documents.get(id, tenant=asked, reach=reach)
    if record is not None and record.tombstone and record.is_older:
        record = documents.get(document_id(record.bucket, record.name), tenant=asked, reach=reach)
    return record if record is not None and not record.tombstone else None


def seen_place(
    id: str, documents: DocumentStore, tenancy: Tenancy, *, tenant: str | None, reach: Reach = EVERYWHERE
) -> ListingPlace | None:
    """Where a listing has the document, or had it before it was deleted, for a caller of this tenant and reach. None as
    of `seen_document`."""
    if tenant and tenancy is Tenancy.NONE:
        return None
    record = documents.get(id, tenant=tenant if tenancy is Tenancy.FOLDER else None, reach=reach)
    return ListingPlace(record.created_at, record.id) if record is not None else None


def seen_by_name(
    name: str, bucket: str, documents: DocumentStore, tenancy: Tenancy, *, tenant: str | None
) -> Document | None:
    """The same of the document with this name in the bucket, in whatever form."""
    ids = (document_id(bucket, name), *older_ids(bucket, name))
    found = (seen_document(id, documents, tenancy, tenant=tenant) for id in ids)
    return next((record for record in found if record is not None), None)
