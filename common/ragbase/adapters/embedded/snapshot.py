"""What search reads of the chunks of one tenant, as they were at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragbase.adapters.embedded.term_postings import Flags, Positions, TermPostings, hash_terms
from ragbase.adapters.embedded.vectors import Floats, Vectors
from ragbase.retrieval.scoring import K1, B, inverse_frequency

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk, Vector

Integers = npt.NDArray[np.int64]
ReadChunk = tuple["Chunk", str]
"""A chunk, and the terms by which it is indexed."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The chunks at one moment. Each has a position in the arrays, which are in the order of `row_ids`.

    `live` marks the chunks that are not removed, `lengths` counts terms. `removal` is the last entry in the log of
    removals that is included. `unsaved` counts the chunks that came or went since the file that it started from. `read`
    holds what searches have read lately, by row id.
    """

    removal: int
    row_ids: Integers
    live: Flags
    lengths: Floats
    vectors: Vectors
    postings: TermPostings
    unsaved: int = 0
    read: dict[int, ReadChunk] = field(default_factory=dict)

    @cached_property
    def passages(self) -> int:
        return int(np.count_nonzero(self.live))

    @cached_property
    def average_length(self) -> float:
        """In terms; 0 if there is no chunk."""
        return float(self.lengths.sum(where=self.live, dtype=np.float64)) / max(self.passages, 1)

    @property
    def last(self) -> int:
        """The highest row id; 0 if there is none."""
        return int(self.row_ids[-1]) if len(self.row_ids) else 0

    def without(self, row_ids: Integers) -> Snapshot:
        """As if the chunks with these row ids were removed."""
        return replace(self, live=self.live & ~np.isin(self.row_ids, row_ids))

    def cosines(self, vector: Vector) -> Floats:
        """Each chunk's cosine with `vector`, -inf for a removed one."""
        cosines = self.vectors.cosines(vector)
        if self.passages < len(cosines):
            cosines[~self.live] = -np.inf
        return cosines

    def bm25(self, terms: Sequence[str]) -> tuple[Floats, dict[str, int]]:
        """A BM25 score for each chunk (0 for one that is removed or has no term), and how many hold each term."""
        scores = np.zeros(len(self.row_ids), dtype=np.float32)
        frequency = {}
        wanted = Counter(terms)
        hashes, _ = hash_terms([term.encode() for term in wanted])
        for (term, repeated), hash in zip(wanted.items(), hashes, strict=True):
            positions, counts = self._find(hash)
            frequency[term] = holding = len(positions)
            weight = np.float32(repeated * inverse_frequency(self.passages, holding))
            relative_length = self.lengths[positions] / np.float32(self.average_length or 1)
            scores[positions] += weight * counts / (counts + np.float32(K1) * (1 - B + np.float32(B) * relative_length))
        return scores, frequency

    def _find(self, hash: np.uint64) -> tuple[Positions, Floats]:
        positions, counts = self.postings.find(hash)
        if self.passages == len(self.row_ids):
            return positions, counts
        kept = self.live[positions]
        return positions[kept], counts[kept]
