"""The use case: find the passages that answer a question, in the current index or in one tenant's partition of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ragbase.domain.errors import IndexGone, NotSplit
from ragbase.domain.limits import MAX_RERANKED
from ragbase.retrieval.rerank import reranked
from ragbase.retrieval.search_result import SearchResults
from ragbase.retrieval.search_tenants import search_tenants

if TYPE_CHECKING:
    from ragbase.domain.conversation import FollowUp
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.ports import DocumentStore, OpenIndex, Reranker

_ROUNDS = 5
"""How many indexes one query asks at most. Only a switch to another index during each round needs more than two."""


def search(
    query: str,
    *,
    current: Callable[[], OpenIndex | None],
    documents: DocumentStore,
    top_k: int,
    threshold: float,
    within: SearchFilter | None = None,
    tenant: str | None = None,
    reranker: Reranker | None = None,
    group_versions: bool = True,
    follow_up: FollowUp | None = None,
) -> SearchResults:
    """As `search_one_index`, in the current index, which `current` gives. Without an index there are no results.

    A `tenant` gets what it would get if its documents were the only ones. None stands for all (search_tenants.py).
    Raises NotSplit if a tenant is named and the index is not split by tenant.

    With a `reranker`, all passages that the search has found and that reach the threshold are put in its order, before
    the list is cut to `top_k` (rerank.py).

    All results come from one index, with its model and language. If another index has become the current one by the
    end, that one is asked instead: only it has what changed since the switch.
    """
    asked = current()
    for _ in range(_ROUNDS):
        if asked is None:
            return SearchResults(has_index=False)
        gone: IndexGone | None = None
        results = SearchResults()
        try:
            results = search_tenants(
                query,
                tenants=_tenants(asked, tenant, within),
                index=asked,
                documents=documents,
                top_k=top_k,
                threshold=threshold,
                within=within,
                most=max(top_k, MAX_RERANKED) if reranker is not None else None,
                group_versions=group_versions,
                follow_up=follow_up,
            )
        except IndexGone as error:
            gone = error
        before, asked = asked, current()
        if asked is not None and asked.index == before.index:
            break
    if gone is not None:
        raise gone
    if reranker is None or not results:
        return results
    return SearchResults(reranked(query, results, reranker)[:top_k])


def _tenants(index: OpenIndex, tenant: str | None, within: SearchFilter | None) -> Sequence[str]:
    """Those that can have an answer."""
    if tenant is None:
        found = index.tenants()
        return found if within is None or not index.index.is_split else list(filter(within.may_be_of, found))
    if not index.index.is_split:
        raise NotSplit(
            f"Only the tenant {tenant!r} may be searched, but the index {index.index.name} is not split by tenant. Set "
            "`tenancy` to folder, and run `ragbase reindex`."
        )
    return [tenant]
