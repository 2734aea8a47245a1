"""Search the partitions of several tenants, each as if it were the only one, and merge what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase.domain.errors import TenantNeeded
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.near_miss import nearest_of
from ragbase.retrieval.remembering_embedder import RememberingEmbedder
from ragbase.retrieval.same_text import same_text
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResult, SearchResults, numbered

if TYPE_CHECKING:
    from ragbase.domain.conversation import FollowUp
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.ports import DocumentStore, OpenIndex

MOST_TENANTS = 100
"""Each tenant costs as much as a whole search. A question to more of them is refused."""


def search_tenants(
    query: str,
    *,
    tenants: Sequence[str],
    index: OpenIndex,
    documents: DocumentStore,
    top_k: int,
    threshold: float,
    within: SearchFilter | None = None,
    most: int | None = None,
    group_versions: bool = True,
    follow_up: FollowUp | None = None,
) -> SearchResults:
    """As `search_one_index`, in the partitions of these tenants. The question is embedded once.

    A passage has the score that its own tenant gives it: a word that is rare there weighs more, even if it is common
    elsewhere. Raises TenantNeeded for more than MOST_TENANTS tenants.
    """
    if len(tenants) > MOST_TENANTS:
        raise TenantNeeded(
            f"The index has {len(tenants):,} tenants, and a question to all of them may ask {MOST_TENANTS:,} at most. "
            "Name the tenant to search, or a folder."
        )
    embedder, fitted = RememberingEmbedder(index.embedder), index.fitted()
    found = [
        search_one_index(
            query,
            chunks=ActiveChunks(index.vectors(tenant), documents),
            embedder=embedder,
            top_k=top_k,
            threshold=threshold,
            language=index.index.language,
            within=within,
            most=most,
            fitted=fitted,
            group_versions=group_versions,
            follow_up=follow_up,
        )
        for tenant in tenants
    ]
    if len(found) == 1:
        return found[0]
    if merged := _merged([result for results in found for result in results], most or top_k):
        return SearchResults(merged)
    return SearchResults(near_miss=nearest_of([one.near_miss for one in found if one.near_miss is not None]))


def _merged(results: Sequence[SearchResult], most: int) -> list[SearchResult]:
    """The best of all, a text that several tenants have as one result. Each result keeps its score, unless one above it
    has a lower one (see SearchResult)."""
    by_text: dict[str, SearchResult] = {}
    for result in sorted(results, key=lambda one: (-one.breakdown.combined_score, one.chunk.id)):
        best = by_text.setdefault(same_text(result.chunk.text), result)
        if best is not result:
            by_text[same_text(result.chunk.text)] = replace(best, sources=best.sources + result.sources)
    return numbered(list(by_text.values())[:most])
