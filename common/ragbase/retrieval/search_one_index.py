"""Find the passages that answer a question, in one index, or in one tenant's partition of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.domain.confidence import confidence_of
from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Hit, QueryEmbedder
from ragbase.retrieval.active_chunks import ActiveChunks, Found
from ragbase.retrieval.near_miss import near_miss, with_lacks
from ragbase.retrieval.overlap import Shown
from ragbase.retrieval.read_candidates import read_candidates
from ragbase.retrieval.same_text import grouped_by_text
from ragbase.retrieval.scoring import Score, Scorer
from ragbase.retrieval.search_result import ResultSource, SearchResult, SearchResults, never_rising
from ragbase.retrieval.versions import Versions
from ragbase.text.asked_part import asked_part
from ragbase.text.framing_words import without_framing
from ragbase.text.terms import terms_of

if TYPE_CHECKING:
    from ragbase.domain.calibration import FittedCalibration
    from ragbase.domain.conversation import FollowUp
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.retrieval.conversation.own_evidence import OwnEvidence

_NEAREST = 10
"""Passages that a near miss is chosen from."""


def search_one_index(
    query: str,
    *,
    chunks: ActiveChunks,
    embedder: QueryEmbedder,
    top_k: int,
    threshold: float,
    language: str,
    within: SearchFilter | None = None,
    most: int | None = None,
    fitted: FittedCalibration | None = None,
    group_versions: bool = True,
    follow_up: FollowUp | None = None,
) -> SearchResults:
    """At most `top_k` passages of different text whose score reaches `threshold`, best first. A passage that
    one above it has by more than half is left out. With `within`, only passages of documents that match it, with the
    same scores as without it. With `most`, the list goes on with the passages that the same search has found beside,
    up to so many. `fitted` is the calibration of the index. With `group_versions`, a passage that versions of one
    document have in common is one result (versions.py).

    The list is empty if the index holds nothing on the query's subject. It then says what was nearest. A question that
    its history completed is a `follow_up`: its own words need evidence, too (conversation/own_evidence.py).
    """
    query = query[:MAX_QUERY_LENGTH]
    part = asked_part(query)
    asked = without_framing(part)
    terms = terms_of(asked, language)
    vector = embedder.embed_query(searched_text(part))
    read = read_candidates(asked, vector, terms, chunks=chunks, language=language, wanted=top_k, within=within)
    scorer = read.scorer(vector, terms, model=embedder.model, fitted=fitted)
    own = None
    if follow_up is not None:
        from ragbase.retrieval.conversation.own_evidence import OwnEvidence  # most questions are no follow-ups

        own = OwnEvidence(follow_up, read, asked, language)
    results = partial(results_of, read.found, scorer, versions_of=query if group_versions else None, own=own)
    found = results(most=most or top_k, threshold=threshold)
    if own is not None:
        found = [one for one in own.doubted(found) if one.score >= threshold]
    if found:
        return SearchResults(with_lacks(found, asked, terms, read, language))
    nearest = results_of(_most_confident(read.found, scorer), scorer, most=_NEAREST, threshold=0.0)
    if own is not None:
        nearest = own.doubted(nearest)
    return SearchResults(near_miss=near_miss(nearest, asked, terms, read, language, threshold=threshold))


def embedded_text(query: str) -> str:
    """What is embedded of a query."""
    return searched_text(asked_part(query[:MAX_QUERY_LENGTH]))


def _most_confident(found: Found, scorer: Scorer) -> Found:
    scored = [(hit, scorer.score(hit)) for hit in found.candidates.hits]
    best = sorted(scored, key=lambda one: (-one[1].confidence, *_order(one)))[:_NEAREST]
    return replace(found, candidates=replace(found.candidates, hits=[hit for hit, _ in best]))


def results_of(
    found: Found,
    scorer: Scorer,
    *,
    most: int,
    threshold: float,
    versions_of: str | None = None,
    own: OwnEvidence | None = None,
) -> list[SearchResult]:
    """At most `most` of what was found, of different text, whose score reaches `threshold`, best first, and
    each with something new. With a question, `versions_of`, passages that versions of a document share are together.
    With a follow-up's `own` evidence, passages that have it come before others."""
    scored = [(hit, scorer.score(hit)) for hit in found.candidates.hits]
    if own is not None:
        scored = [(hit, score.lifted(own.lift(hit))) for hit, score in scored]
    if not any(score.confidence >= threshold for _, score in scored):
        return []
    confident = [group for group in _grouped_by_text(scored) if group[0][1].confidence >= threshold]
    together = confident if versions_of is None else Versions(versions_of, found.documents).together(confident)
    return _results(list(islice(_with_something_new(together), most)), found, scorer)


_Scored = tuple[Hit, Score]


def _grouped_by_text(scored: Sequence[_Scored]) -> list[list[_Scored]]:
    """Groups of hits with the same text: the best group first, and in each group the best hit first."""
    return grouped_by_text((one[0].chunk, one) for one in sorted(scored, key=_order))


def _with_something_new(groups: Iterable[list[_Scored]]) -> Iterator[list[_Scored]]:
    """Without those whose text a reader has already seen by more than half, wherever it stands."""
    seen = Shown()
    for group in groups:
        chunks = [hit.chunk for hit, _ in group]
        if not seen.adds_little(chunks):
            seen.add(chunks)
            yield group


def _order(scored: _Scored) -> tuple[float, str, int]:
    """By rank score; equal scores by place, so that the same search always gives the same list."""
    hit, score = scored
    return (-score.combined, hit.chunk.document_id, hit.chunk.ordinal)


def _results(groups: Sequence[Sequence[_Scored]], found: Found, scorer: Scorer) -> list[SearchResult]:
    shown = never_rising(group[0][1].confidence for group in groups)
    return [
        _result(group, found, scorer, similarity, rank)
        for rank, (group, similarity) in enumerate(zip(groups, shown, strict=True), start=1)
    ]


def _result(group: Sequence[_Scored], found: Found, scorer: Scorer, similarity: float, rank: int) -> SearchResult:
    hit, score = group[0]
    sources = tuple([ResultSource(found.documents[hit.chunk.document_id], hit.chunk) for hit, _ in group])
    return SearchResult(
        chunk=sources[0].chunk,
        document=sources[0].document,
        score=similarity,
        confidence=score.confidence,
        breakdown=score.breakdown,
        rank=rank,
        sources=sources,
        level=confidence_of(score.confidence, scorer.facts(hit).coverage, has_identifiers=scorer.has_identifiers(hit)),
    )
