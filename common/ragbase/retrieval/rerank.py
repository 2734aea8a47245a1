"""Put results in the order of a reranker. If it fails, the order before stays."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.chunk import embedding_text
from ragbase.domain.errors import RagbaseError
from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_RERANKED
from ragbase.retrieval.search_result import SearchResult, numbered

if TYPE_CHECKING:
    from ragbase.ports import Reranker


def reranked(query: str, results: Sequence[SearchResult], reranker: Reranker) -> list[SearchResult]:
    """The same results in the reranker's order; equal scores in the order before. Results after the first MAX_RERANKED,
    or after those that it has read, stay behind the others.

    Their `reranked` says whether it could be asked. One result has its place already, and costs nothing.
    """
    if len(results) <= 1:
        return list(results)
    first = results[:MAX_RERANKED]
    began = time.monotonic()
    try:
        given = reranker.rerank(query[:MAX_QUERY_LENGTH], [embedding_text(result.chunk) for result in first])
    except RagbaseError as error:
        telemetry.log(
            "query.not_reranked",
            f"The results are not reranked: {error}",
            level=logging.WARNING,
            model=reranker.model,
            reason=str(error),
            seconds=round(time.monotonic() - began, 3),
        )
        return [replace(result, reranked=False) for result in results]
    telemetry.log(
        "query.reranked",
        model=reranker.model,
        results=len(given.scores),
        search_units=given.billed_units,
        seconds=round(time.monotonic() - began, 3),
    )
    read, rest = first[: len(given.scores)], results[len(given.scores) :]
    scored = [
        replace(result, breakdown=replace(result.breakdown, rerank_score=score))
        for result, score in zip(read, given.scores, strict=True)
    ]
    scored.sort(key=lambda result: -(result.breakdown.rerank_score or 0.0))
    return [replace(result, reranked=True) for result in numbered([*scored, *rest])]
