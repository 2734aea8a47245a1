"""The evidence for a question: what was found, joined with its neighbours, within a budget of tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from ragbase.chunking.tokens import TOKENS
from ragbase.domain.document import Document
from ragbase.domain.evidence import EvidencePassage
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.overlap import text_of
from ragbase.retrieval.same_text import same_text

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk
    from ragbase.retrieval.search_result import SearchResult

ChunksOf = Callable[[Document], ActiveChunks]
"""The partition that holds the chunks of a document."""


@dataclass(frozen=True, slots=True)
class EvidenceLimits:
    """`tokens` (of cl100k_base) are the most of all passages together; the best hit is there, however long it is.
    `hits_per_document` are the most hits of one document, so that others are heard, too; 0 is no limit. Of a question
    with several `parts`, so many of the best hits are there, however long they are."""

    tokens: int
    hits_per_document: int = 0
    parts: int = 1


def evidence_of(
    results: Sequence[SearchResult], *, chunks_of: ChunksOf, limits: EvidenceLimits
) -> tuple[EvidencePassage, ...]:
    """The passages of these results, in the order of their best hits.

    Each hit is joined with the chunks before and after it, and with other hits, where they touch: they share text, or
    only blanks are between them and they stand under the same headings; both on the same page. A text that several
    documents have comes once. Hits come into the budget before neighbours, the best ones first.
    """
    hits = _spread(results, limits.hits_per_document)
    chosen = _Chosen(limits.tokens, limits.parts)
    taken = [hit for hit in hits if chosen.takes(hit.chunk)]
    for hit in taken:
        for neighbour in _neighbours(hit, chunks_of(hit.document)):
            chosen.takes(neighbour)
    return _passages(taken, chosen.chunks)


def _spread(results: Sequence[SearchResult], most: int) -> list[SearchResult]:
    """The results without those of documents that have `most` better ones."""
    seen: Counter[str] = Counter()
    spread = []
    for result in results:
        seen[result.document.id] += 1
        if not most or seen[result.document.id] <= most:
            spread.append(result)
    return spread


class _Chosen:
    """The chunks that are in the budget."""

    def __init__(self, tokens: int, sure: int) -> None:
        self._left = tokens
        self._sure = sure
        self._texts: set[str] = set()
        self.chunks: list[Chunk] = []

    def takes(self, chunk: Chunk) -> bool:
        """Whether the chunk is new, and is chosen because what it adds fits."""
        text = same_text(chunk.text)
        if text in self._texts:
            return False
        cost = TOKENS.count(self._added(chunk))
        if cost > self._left and len(self.chunks) >= self._sure:
            return False
        self._left -= cost
        self._texts.add(text)
        self.chunks.append(chunk)
        return True

    def _added(self, chunk: Chunk) -> str:
        """The text of the chunk that no chosen neighbour has."""
        start, end = chunk.char_start, chunk.char_end
        for other in self.chunks:
            if text_of(other) == text_of(chunk):
                if other.ordinal == chunk.ordinal - 1:
                    start = max(start, min(other.char_end, end))
                elif other.ordinal == chunk.ordinal + 1:
                    end = min(end, max(other.char_start, start))
        return chunk.text[start - chunk.char_start : end - chunk.char_start]


def _neighbours(hit: SearchResult, chunks: ActiveChunks) -> Iterator[Chunk]:
    """The chunks before and after the hit that touch it. None if the store has another text in its place by now."""
    around = chunks.around(hit.chunk)
    if hit.chunk in around:
        for before, after in pairwise(around):
            if _touch(before, after):
                yield before if after == hit.chunk else after


def _touch(before: Chunk, after: Chunk) -> bool:
    return (
        text_of(before) == text_of(after)
        and after.ordinal == before.ordinal + 1
        and (before.page, before.row) == (after.page, after.row)
        and (after.char_start <= before.char_end or after.header_path == before.header_path)
    )


def _place(chunk: Chunk) -> tuple[str, int, int]:
    return (*text_of(chunk), chunk.ordinal)


def _passages(hits: Sequence[SearchResult], chunks: Sequence[Chunk]) -> tuple[EvidencePassage, ...]:
    ranks = {hit.chunk.id: rank for rank, hit in enumerate(hits)}
    runs = [
        (min(ranks[chunk.id] for chunk in run if chunk.id in ranks), run)
        for _, of_document in groupby(sorted(chunks, key=_place), key=text_of)
        for run in _runs(list(of_document))
    ]
    return tuple(
        EvidencePassage(id=str(number), document=hits[rank].document, chunks=tuple(run), score=hits[rank].score)
        for number, (rank, run) in enumerate(sorted(runs, key=lambda one: one[0]), start=1)
    )


def _runs(chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    """The chunks of one document, in their order, divided where two do not touch."""
    runs = [[chunks[0]]]
    for before, after in pairwise(chunks):
        if _touch(before, after):
            runs[-1].append(after)
        else:
            runs.append([after])
    return runs
