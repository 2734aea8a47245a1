"""What search reads of the chunks of one tenant, as they were at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragbase.adapters.embedded.term_postings import Flags, Hashes, Positions, TermPostings, hashes_of
from ragbase.adapters.embedded.vectors import Floats, Vectors
from ragbase.retrieval.bm25 import K1, B, inverse_frequency

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
    _last_cosines: dict[bytes, Floats] = field(init=False, default_factory=dict)

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

    def of(self, row_ids: Integers) -> Snapshot:
        """As if all other chunks were removed."""
        return replace(self, live=self.live & np.isin(self.row_ids, row_ids))

    def cosines(self, vector: Vector) -> Floats:
        """Each chunk's cosine with `vector`, -inf for a removed one. Those of the last vector are kept: a question may
        search twice, for more words."""
        key = vector.tobytes()
        cosines = self._last_cosines.get(key)
        if cosines is None:
            cosines = self.vectors.cosines(vector)
            if self.passages < len(cosines):
                cosines[~self.live] = -np.inf
            self._last_cosines.clear()
            self._last_cosines[key] = cosines
        return cosines.copy()

    def bm25(self, terms: Sequence[str]) -> tuple[Floats, dict[str, int]]:
        """A BM25 score for each chunk (0 for one that is removed or has no term), and how many hold each term."""
        scores = np.zeros(len(self.row_ids), dtype=np.float32)
        wanted = Counter(terms)
        positions, counts, ends = self._find(hashes_of(wanted))
        holding = [end - start for start, end in pairwise([0, *ends])]
        frequency = dict(zip(wanted, holding, strict=True))
        worth = [inverse_frequency(self.passages, having) for having in holding]
        weights = [repeated * one for repeated, one in zip(wanted.values(), worth, strict=True)]
        added = np.repeat(np.array(weights, np.float32), holding) * counts / (counts + self._length_parts[positions])
        np.add.at(scores, positions, added)
        return scores, frequency

    def holding(self, terms: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term."""
        wanted = list(dict.fromkeys(terms))
        _, _, ends = self._find(hashes_of(wanted))
        return {term: end - start for term, (start, end) in zip(wanted, pairwise([0, *ends]), strict=True)}

    @cached_property
    def _length_parts(self) -> Floats:
        """What BM25 divides by for the length of each chunk."""
        relative_lengths = self.lengths / np.float32(self.average_length or 1)
        parts: Floats = np.float32(K1) * (1 - B + np.float32(B) * relative_lengths)
        return parts

    def _find(self, hashes: Hashes) -> tuple[Positions, Floats, list[int]]:
        """As TermPostings.find_all, without removed chunks."""
        positions, counts, ends = self.postings.find_all(hashes)
        if self.passages == len(self.row_ids):
            return positions, counts, ends
        kept = self.live[positions]
        kept_before = np.concatenate(([0], np.cumsum(kept)))
        return positions[kept], counts[kept], kept_before[ends].tolist()
