"""The memory store with postings: the same candidates, sooner, for the benches that ask thousands of questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragbase.ports import Candidates, Hit
from ragbase.retrieval.bm25 import bm25, inverse_frequency
from ragbase.testing.vector_store import MemoryVectorStore

if TYPE_CHECKING:
    from ragbase.domain.chunk import EmbeddedChunk, Vector
    from ragbase.domain.search_filter import SearchFilter

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Postings:
    passages: Sequence[EmbeddedChunk]

    @cached_property
    def vectors(self) -> npt.NDArray[np.float32]:
        return np.stack([one.vector for one in self.passages])

    @cached_property
    def lengths(self) -> list[int]:
        return [len(one.terms.split()) for one in self.passages]

    @cached_property
    def average_length(self) -> float:
        return sum(self.lengths) / len(self.lengths)

    @cached_property
    def counts(self) -> dict[str, dict[int, int]]:
        """How often each term is in each passage that has it."""
        counts: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for place, one in enumerate(self.passages):
            for term in one.terms.split():
                counts[term][place] += 1
        return {term: dict(found) for term, found in counts.items()}

    def relevance(self, terms: Sequence[str]) -> Array:
        relevance = np.zeros(len(self.passages))
        for term in terms:
            found = self.counts.get(term, {})
            worth = inverse_frequency(len(self.passages), len(found))
            for place, count in found.items():
                relevance[place] += worth * bm25(count, self.lengths[place], self.average_length)
        return relevance


class PostingsStore(MemoryVectorStore):
    """Is written once, and then only searched, without a filter. Any other search is the memory store's own."""

    def __init__(self) -> None:
        super().__init__()
        self._postings: _Postings | None = None

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        super().write(chunks)
        self._postings = _Postings(sorted(chunks, key=lambda one: one.chunk.id))

    def search(
        self,
        vector: Vector,
        terms: Sequence[str],
        limit: int,
        *,
        without: Collection[str] = (),
        within: SearchFilter | None = None,
        nearest: int = 0,
    ) -> Candidates:
        postings = self._postings
        if postings is None or without or within is not None:
            return super().search(vector, terms, limit, without=without, within=within, nearest=nearest)
        cosines, relevance = postings.vectors @ vector, postings.relevance(terms)
        near = [int(place) for place in np.argsort(-cosines, kind="stable")[: max(limit, nearest)]]
        best = [int(place) for place in np.argsort(-relevance, kind="stable")[:limit] if relevance[place] > 0]

        def hit(place: int) -> Hit:
            one = postings.passages[place]
            return Hit(one.chunk, float(cosines[place]), one.terms)

        hits = [hit(place) for place in dict.fromkeys([*near[:limit], *best])]
        return Candidates(
            hits=hits,
            passages=len(postings.passages),
            average_length=postings.average_length,
            frequency={term: len(postings.counts.get(term, {})) for term in set(terms)},
            exhausted=len(hits) == len(postings.passages),
            nearest=[hit(place) for place in near[:nearest]],
        )
