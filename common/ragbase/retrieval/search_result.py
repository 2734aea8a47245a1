"""A passage that answers, and a list of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from ragbase.domain.chunk import Chunk
from ragbase.domain.confidence import Confidence
from ragbase.domain.document import Document
from ragbase.retrieval.scoring import ScoreBreakdown

if TYPE_CHECKING:
    from ragbase.domain.answer import QuestionPart
    from ragbase.domain.context import Context
    from ragbase.domain.near_miss import NearMiss


@dataclass(frozen=True, slots=True)
class ResultSource:
    """A place where a text was found."""

    document: Document
    chunk: Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A passage that answers. `rank` counts from 1.

    `score`, in 0..1, is the confidence that the passage has to do with the query. If a result above it has a
    lower one, it takes that one: another score decides the ranks (`breakdown.combined_score`), but a list of results
    must not look unsorted. This is the only influence of other results on what is shown. `confidence` is without it.
    `sources` names every place where the same text was found, this one first, and those of other versions of the
    document that have it nearly. `reranked` says whether a reranker has decided the ranks; None if none was asked.
    `lacks` are the identifiers and numbers of the query, as they are written there, that the passage does not have.
    `context` is the text around the passage, if the question asks for it; `context_of` is the rank of a result whose
    context has this passage, too.
    `level` says in a word how sure the result is.
    """

    chunk: Chunk
    document: Document
    score: float
    confidence: float
    breakdown: ScoreBreakdown
    rank: int
    sources: tuple[ResultSource, ...]
    reranked: bool | None = None
    lacks: tuple[str, ...] = ()
    context: Context | None = None
    context_of: int | None = None
    level: Confidence = Confidence.FAIR


class SearchResults(list[SearchResult]):
    """The results, best first. If there are none, `near_miss` says which passages were nearest; None if there was no
    passage to look at. `has_index` says whether there was an index to search. `searched_for` is the question that was
    searched for, if the history completed it; `parts` are those of a question that asks for several things."""

    def __init__(
        self,
        results: Iterable[SearchResult] = (),
        near_miss: NearMiss | None = None,
        *,
        has_index: bool = True,
        searched_for: str | None = None,
        parts: Sequence[QuestionPart] = (),
    ) -> None:
        super().__init__(results)
        self.near_miss = near_miss
        self.has_index = has_index
        self.searched_for = searched_for
        self.parts = tuple(parts)


def near_miss_of(results: Sequence[SearchResult]) -> NearMiss | None:
    return results.near_miss if isinstance(results, SearchResults) else None


def numbered(results: Iterable[SearchResult]) -> list[SearchResult]:
    """The results with the ranks and the scores that they have in this order."""
    given = list(results)
    scores = never_rising(one.confidence for one in given)
    return [
        replace(one, rank=rank, score=score)
        for rank, (one, score) in enumerate(zip(given, scores, strict=True), start=1)
    ]


def never_rising(confidences: Iterable[float]) -> Iterator[float]:
    """The score that each of these has in a list (see SearchResult)."""
    return accumulate(confidences, min)
