"""Why there was nothing to search: what is said where there is neither a result nor a near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.retrieval.unmatched import unmatched_parts

if TYPE_CHECKING:
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.ports import DocumentStore

NOTHING_INDEXED = ("No document is indexed yet.",)
"""Where there is no index."""

_MOST = 1_000
"""Documents whose records are read to say which parts of a filter no document matches."""

_FIELDS = {
    "document_ids": "documentIds",
    "path_prefixes": "pathPrefix",
    "url_prefix": "urlPrefix",
    "date": "dateFrom and dateTo",
}


def nothing_to_search(within: SearchFilter | None, documents: DocumentStore, tenant: str | None) -> tuple[str, ...]:
    """Of the documents of this tenant, or of all. The values of a filter are not repeated: what is said of somebody
    else's document is what is said of none."""
    if not documents.page(tenant=tenant, limit=1):
        return ("There are no documents yet.",)
    if within is None:
        return ("No document is searchable yet: they wait for their turn, or have failed.",)
    parts = unmatched_parts(within, documents, tenant=tenant, most=_MOST)
    said = dict.fromkeys(f"No document matches {_FIELDS.get(part.name, part.name)}." for part in parts)
    return tuple(said) or ("No document that search shows matches the filter.",)
