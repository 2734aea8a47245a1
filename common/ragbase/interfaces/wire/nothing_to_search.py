"""Why there was nothing to search: what is said where there is neither a result nor a near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.reach import EVERYWHERE
from ragbase.domain.search_filter import SearchFilter
from ragbase.retrieval.unmatched import unmatched_parts

if TYPE_CHECKING:
    from ragbase.ports import DocumentStore

NO_DOCUMENTS = "There are no documents yet."
NOTHING_INDEXED = "No document is indexed yet."
"""Where there is no index."""
NO_MATCH = "No document matches "
"""Before the field of a filter."""

_FIELDS = {
    "document_ids": "documentIds",
    "path_prefixes": "pathPrefix",
    "url_prefix": "urlPrefix",
    "date": "dateFrom and dateTo",
}


def nothing_to_search(
    within: SearchFilter | None, documents: DocumentStore, tenant: str | None, *, most: int
) -> tuple[str, ...]:
    """Of the documents of this tenant, or of all, that are within the filter's reach; a filter is judged by `most` of
    them. Its values are not repeated:
    what is said of somebody else's document is what is said of none."""
    reach = within.reach if within is not None else EVERYWHERE
    if not documents.page(tenant=tenant, reach=reach, limit=1):
        return (NO_DOCUMENTS,)
    if within is None or within == SearchFilter(reach=reach):
        return ("No document is searchable yet: they wait for their turn, or have failed.",)
    parts = unmatched_parts(within, documents, tenant=tenant, most=most)
    said = dict.fromkeys(f"{NO_MATCH}{_FIELDS.get(part.name, part.name)}." for part in parts)
    return tuple(said) or ("No document that search shows matches the filter.",)
