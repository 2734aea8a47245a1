"""The use case: find the passages that answer a question, in the current index."""

from __future__ import annotations

from collections.abc import Callable

from ragbase.domain.errors import IndexGone
from ragbase.domain.search_filter import SearchFilter
from ragbase.ports import DocumentStore, OpenIndex
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.search_one_index import SearchResult, search_one_index

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
) -> list[SearchResult]:
    """As `search_one_index`, in the current index, which `current` gives. Without an index there are no results.

    All results come from one index, with its model and language. If another index has become the current one by the
    end, that one is asked instead: only it has what changed since the switch.
    """
    asked = current()
    for _ in range(_ROUNDS):
        if asked is None:
            return []
        gone: IndexGone | None = None
        results: list[SearchResult] = []
        try:
            results = search_one_index(
                query,
                chunks=ActiveChunks(asked.vectors, documents),
                embedder=asked.embedder,
                top_k=top_k,
                threshold=threshold,
                language=asked.index.language,
                within=within,
            )
        except IndexGone as error:
            gone = error
        before, asked = asked, current()
        if asked is not None and asked.index == before.index:
            break
    if gone is not None:
        raise gone
    return results
