"""Which parts of a filter no document matches: a mistyped tag finds nothing, and looks as if nothing were known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.search_filter import SearchFilter
from ragbase.ports import ListingPlace

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import DocumentStore

_PAGE = 500
"""Documents whose records are read together."""


@dataclass(frozen=True, slots=True)
class FilterPart:
    """One thing that a filter asks for: `name` is its field in SearchFilter ("date" for both bounds), `value` what was
    asked, for a person."""

    name: str
    value: str


def unmatched_parts(
    within: SearchFilter, documents: DocumentStore, *, tenant: str | None, most: int
) -> Sequence[FilterPart]:
    """The parts that no document (of this tenant, within the filter's reach) matches. None are known to be such if
    there are more than `most` documents, whose records are all read."""
    parts = dict(_parts(within))
    looked_at = 0
    place: ListingPlace | None = None
    while parts and (page := documents.page(tenant=tenant, reach=within.reach, limit=_PAGE, after=place)):
        looked_at += len(page)
        if looked_at > most:
            return ()
        parts = {part: wanted for part, wanted in parts.items() if not _matches_any(wanted, page)}
        place = ListingPlace(page[-1].created_at, page[-1].id)
    return list(parts) if looked_at else ()


def _matches_any(wanted: SearchFilter, page: Sequence[Document]) -> bool:
    return any(map(wanted.matches, page))


def _parts(within: SearchFilter) -> Iterator[tuple[FilterPart, SearchFilter]]:
    if within.document_ids:
        yield FilterPart("document_ids", _listed(within.document_ids)), SearchFilter(document_ids=within.document_ids)
    if within.path_prefixes:
        yield FilterPart("path_prefixes", min(within.path_prefixes)), SearchFilter(path_prefixes=within.path_prefixes)
    if within.formats:
        yield FilterPart("formats", _listed(within.formats)), SearchFilter(formats=within.formats)
    for tag in sorted(within.tags):
        yield FilterPart("tags", tag), SearchFilter(tags=frozenset({tag}))
    if within.title:
        yield FilterPart("title", within.title), SearchFilter(title=within.title)
    if within.url_prefix:
        yield FilterPart("url_prefix", within.url_prefix), SearchFilter(url_prefix=within.url_prefix)
    if within.date_from or within.date_to:
        days = f"{within.date_from or ''}..{within.date_to or ''}"
        yield FilterPart("date", days), SearchFilter(date_from=within.date_from, date_to=within.date_to)
    for condition in within.where:
        yield FilterPart("where", condition.key), SearchFilter(where=(condition,))


def _listed(values: frozenset[str]) -> str:
    return ", ".join(sorted(values))
