"""A page of the listing of documents.

The documents are counted for the first page, and the number then goes along in the cursor: counting takes longer with
every document, reading the next page does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragbase.domain.document import Document, Status
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.interfaces.wire.cursor import Cursor, cursor_of
from ragbase.interfaces.wire.documents import document_summary
from ragbase.messages.api.documents import ListResponse
from ragbase.ports import DocumentStore, ListingPlace


@dataclass(frozen=True, slots=True)
class Listing:
    """A page. `total` counts all documents of the listing; `next_cursor` is None at its end."""

    documents: Sequence[Document]
    total: int
    next_cursor: str | None

    def response(self) -> ListResponse:
        return ListResponse(
            documents=tuple(map(document_summary, self.documents)), total=self.total, next_cursor=self.next_cursor
        )


def list_documents(
    documents: DocumentStore,
    *,
    status: Status | None,
    tenant: str | None,
    reach: Reach = EVERYWHERE,
    limit: int,
    offset: int = 0,
    cursor: str | None = None,
) -> Listing:
    """At most `limit` documents after the cursor, which has the form `CURSOR`, and after `offset` more."""
    start = cursor_of(cursor) if cursor is not None else None
    place, total = (start.place, start.total) if start is not None else (None, None)
    if total is None:
        total = documents.count(status=status, tenant=tenant, reach=reach)
    page = documents.page(status=status, tenant=tenant, reach=reach, limit=limit + 1, offset=offset, after=place)
    shown = page[:limit]
    has_more = len(page) > limit
    end = Cursor(ListingPlace(shown[-1].created_at, shown[-1].id), total).text if has_more else None
    return Listing(shown, total, end)
