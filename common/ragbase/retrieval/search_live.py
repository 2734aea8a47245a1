"""The use case: a question is asked of the live index, whichever that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragbase.domain.errors import IndexGone
from ragbase.domain.index import Index
from ragbase.ports import DocumentStore, Embedder, VectorStore
from ragbase.retrieval.live_index import LiveIndex
from ragbase.retrieval.search import SearchResult, search

_ROUNDS = 5
"""How many indexes one query asks at most. It takes a flip during each round to need more than two."""


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An index with what it takes to ask it. `embedder` is the index's own: vectors of different models cannot be
    compared."""

    index: Index
    vectors: VectorStore
    embedder: Embedder


def search_live(
    query: str, *, live: Callable[[], OpenIndex | None], documents: DocumentStore, top_k: int, threshold: float
) -> list[SearchResult]:
    """As `search`. `live` gives the live index; without any there are no results.

    All results are of one index, with its model and language. Where another has become the live one by the end, that
    one is asked instead: what changed since the flip is in it alone.
    """
    asked = live()
    for _ in range(_ROUNDS):
        if asked is None:
            return []
        gone: IndexGone | None = None
        results: list[SearchResult] = []
        try:
            results = search(
                query,
                index=LiveIndex(asked.vectors, documents),
                embedder=asked.embedder,
                top_k=top_k,
                threshold=threshold,
                language=asked.index.language,
            )
        except IndexGone as error:
            gone = error
        before, asked = asked, live()
        if asked is not None and asked.index == before.index:
            break
    if gone is not None:
        raise gone
    return results
