"""What search makes of one document's chunks: each step of it with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase.domain.chunk import EmbeddedChunk, embedding_text, joined_text
from ragbase.domain.document import Document
from ragbase.domain.search_filter import SearchFilter
from ragbase.domain.searched_text import searched_text
from ragbase.ports import DocumentStore, Hit, OpenIndex
from ragbase.retrieval.active_chunks import ActiveChunks, Found, candidates_for
from ragbase.retrieval.explain.explanation import BetterResult, CandidateFigures, JoinedFigures, PassageFigures
from ragbase.retrieval.explain.words import Worth, densest_span
from ragbase.retrieval.read_candidates import ReadCandidates, named_hit, read_candidates
from ragbase.retrieval.scoring import Scorer
from ragbase.retrieval.search_one_index import results_of
from ragbase.retrieval.search_result import SearchResult
from ragbase.text.asked_part import asked_part
from ragbase.text.framing_words import without_framing
from ragbase.text.terms import analysed_in, index_terms, terms_of

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk, Vector

_WIDE = 640
"""For how many results candidates are read to find the place of a chunk that is none: 1,920 by meaning and by
words."""


@dataclass(frozen=True, eq=False)
class Judge:
    """One question, one document, and the index that holds the document's `chunks`, which are those that search may
    show. `index` has an embedder that remembers the question."""

    query: str
    record: Document
    chunks: Sequence[EmbeddedChunk]
    index: OpenIndex
    documents: DocumentStore
    top_k: int
    threshold: float
    within: SearchFilter | None
    group_versions: bool = True

    @cached_property
    def terms(self) -> Sequence[str]:
        return terms_of(self.asked, self.index.index.language)

    @cached_property
    def asked(self) -> str:
        """The question without the words that only frame it."""
        return without_framing(self._part)

    @cached_property
    def language(self) -> str:
        """The one in which the question is analysed."""
        return analysed_in(self.query, self.index.index.language)

    @property
    def found(self) -> Found:
        """The candidates, as a search for `top_k` results has them."""
        return self._read.found

    @cached_property
    def scorer(self) -> Scorer:
        return self._read.scorer(self._vector, self.terms, model=self.index.embedder.model, fitted=self.index.fitted())

    @cached_property
    def hits(self) -> Sequence[Hit]:
        """All chunks of the document, candidates or not."""
        return [self._hit(one.chunk, one.vector, one.terms) for one in self.chunks]

    @cached_property
    def worth(self) -> Worth:
        return Worth.of(self.terms, self.found.candidates)

    @cached_property
    def longest(self) -> int:
        """Characters of the document's longest chunk."""
        return max(len(one.chunk.text) for one in self.chunks)

    @cached_property
    def best(self) -> PassageFigures:
        """The chunk with the highest confidence: among the candidates, if one of them is the document's."""
        return max(map(self._passage, self._own(self.found) or self.hits), key=lambda one: one.confidence)

    def candidates(self) -> CandidateFigures:
        found, wanted = self.found, self.top_k
        by_meaning, by_words = self._places(found, candidates_for(wanted))
        if by_meaning is None or (by_words is None and not found.candidates.exhausted):
            wanted = max(_WIDE, self.top_k)
            by_meaning, by_words = self._places(self._read_for(wanted).found, candidates_for(wanted))
        return CandidateFigures(
            by_meaning=by_meaning,
            by_words=by_words,
            limit=candidates_for(self.top_k),
            looked_at=candidates_for(wanted),
            passages=found.candidates.passages,
            chunks=len(self._own(found)),
        )

    def passing(self) -> list[SearchResult]:
        """All candidates that reach the threshold, best first."""
        return self._results(self.found, self.threshold, len(self.found.candidates.hits))

    def rank_in(self, results: Sequence[SearchResult]) -> int | None:
        """The rank of the document among these results; None if it is not there."""
        return next(
            (one.rank for one in results if any(source.document.id == self.record.id for source in one.sources)), None
        )

    def better(self, results: Sequence[SearchResult]) -> list[BetterResult]:
        return [BetterResult(one.rank, one.document, one.breakdown.combined_score) for one in results[: self.top_k]]

    def joined(self, chunks: int) -> JoinedFigures | None:
        """The piece of the text, as long as so many of the longest chunk, that has most of the question's words, if a
        border divides it; None if one chunk holds it whole. It is embedded and judged as if it were a chunk."""
        text = "".join(joined_text((one.chunk for one in self.chunks), start=0))
        longest = chunks * self.longest
        span = densest_span(text, self.worth, self.language, length=longest)
        if span is None or any(
            one.chunk.char_start <= span[0] and span[1] <= one.chunk.char_end for one in self.chunks
        ):
            return None
        start, end = _widened(text, span[0], span[1], longest)
        first = next(one.chunk for one in self.chunks if one.chunk.char_start <= span[0] < one.chunk.char_end)
        chunk = replace(first, id="joined", text=text[start:end], char_start=start, char_end=end)
        embedded = embedding_text(chunk)
        vector = self.index.embedder.embed_documents([embedded]).vectors[0]
        terms = index_terms(embedded, self.index.index.language)
        hit = replace(self._hit(chunk, vector, terms), names=self.hits[0].names)
        found = self.found
        added = Found(
            replace(found.candidates, hits=[*found.candidates.hits, hit]),
            {**found.documents, self.record.id: self.record},
        )
        results = self._results(added, self.threshold, self.top_k)
        return JoinedFigures(
            char_start=start,
            char_end=end,
            chunks=chunks,
            coverage=self.worth.covered(hit.terms.split()),
            chunk_coverage=max(self.worth.covered(one.terms.split()) for one in self.hits),
            rank=next((one.rank for one in results if any(source.chunk is chunk for source in one.sources)), None),
            confidence=self._passage(hit).confidence,
        )

    def _hit(self, chunk: Chunk, vector: Vector, terms: str) -> Hit:
        hit = Hit(chunk, float(vector @ self._vector), terms)
        return self._read.same.read(named_hit(hit, self.index.index.language))

    @cached_property
    def _part(self) -> str:
        return asked_part(self.query)

    @cached_property
    def _vector(self) -> Vector:
        return self.index.embedder.embed_query(searched_text(self._part))

    @cached_property
    def _active(self) -> ActiveChunks:
        return ActiveChunks(self.index.vectors_of(self.record.name), self.documents)

    @cached_property
    def _read(self) -> ReadCandidates:
        return self._read_for(self.top_k)

    def _read_for(self, wanted: int) -> ReadCandidates:
        return read_candidates(
            self.asked,
            self._vector,
            self.terms,
            chunks=self._active,
            language=self.index.index.language,
            wanted=wanted,
            within=self.within,
        )

    def _own(self, found: Found) -> list[Hit]:
        return [hit for hit in found.candidates.hits if hit.chunk.document_id == self.record.id]

    def _results(self, found: Found, threshold: float, top_k: int) -> list[SearchResult]:
        versions_of = self.query if self.group_versions else None
        return results_of(found, self.scorer, most=max(top_k, 1), threshold=threshold, versions_of=versions_of)

    def _passage(self, hit: Hit) -> PassageFigures:
        """The chunk alone: no result above it changes the confidence that it shows."""
        score = self.scorer.score(hit)
        return PassageFigures(
            chunk=hit.chunk,
            facts=self.scorer.facts(hit),
            background=self.scorer.background,
            confidence=score.confidence,
            breakdown=score.breakdown,
        )

    def _places(self, found: Found, limit: int) -> tuple[int | None, int | None]:
        """The best places of the document's chunks by meaning and by words, among all chunks of the index. The best
        `limit` by each are among the hits, so a place up to that number is right."""
        scorer = self.scorer
        others = [hit for hit in found.candidates.hits if hit.chunk.document_id != self.record.id]
        cosine = max(hit.cosine for hit in self.hits)
        bm25 = max(scorer.facts(hit).bm25 for hit in self.hits)
        by_meaning = 1 + sum(hit.cosine > cosine for hit in others)
        by_words = 1 + sum(scorer.facts(hit).bm25 > bm25 for hit in others)
        return (
            by_meaning if by_meaning <= limit else None,
            by_words if bm25 > 0 and by_words <= limit else None,
        )


def _widened(text: str, start: int, end: int, length: int) -> tuple[int, int]:
    """The span with as much of the text around it as makes it `length` characters long, without parts of words."""
    spare = max(0, length - (end - start)) // 2
    first, last = max(0, start - spare), min(len(text), end + spare)
    while first < start and first > 0 and not text[first - 1].isspace():
        first += 1
    while last > end and last < len(text) and not text[last].isspace():
        last -= 1
    return first, last
