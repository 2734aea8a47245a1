"""What an answer without results says of its filter: which parts of it no document matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.retrieval.unmatched import unmatched_parts

if TYPE_CHECKING:
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.ports import DocumentStore

_MOST = 1_000
"""Documents whose records are read for it: with more, nothing is said."""

_FIELDS = {
    "document_ids": "documentIds",
    "path_prefixes": "pathPrefix",
    "url_prefix": "urlPrefix",
    "date": "dateFrom and dateTo",
}


def filter_warnings(
    within: SearchFilter | None, documents: DocumentStore, tenant: str | None
) -> tuple[str, ...] | None:
    """Of the documents of this tenant, or of all. None if there is nothing to say. The values are not repeated: what is
    said of somebody else's document is what is said of none."""
    if within is None:
        return None
    parts = unmatched_parts(within, documents, tenant=tenant, most=_MOST)
    said = dict.fromkeys(f"No document matches {_FIELDS.get(part.name, part.name)}." for part in parts)
    return tuple(said) or None
