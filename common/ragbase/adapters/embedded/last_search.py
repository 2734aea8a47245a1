"""What the last search has found, for a search that asks for the same in more words."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.adapters.embedded.snapshot import Snapshot
    from ragbase.domain.chunk import Vector
    from ragbase.ports import Candidates


@dataclass(frozen=True, slots=True)
class LastSearch:
    """A search of all chunks, and its candidates.

    A question in another language searches twice: the second time, also for its words as that language has them
    (retrieval/same_words.py). Mostly no chunk has these.
    """

    snapshot: weakref.ref[Snapshot]
    vector: bytes
    limit: int
    terms: Sequence[str]
    candidates: Candidates

    @classmethod
    def of(
        cls, snapshot: Snapshot, vector: Vector, terms: Sequence[str], limit: int, candidates: Candidates
    ) -> LastSearch:
        return cls(weakref.ref(snapshot), vector.tobytes(), limit, list(terms), candidates)

    def with_more(self, snapshot: Snapshot, vector: Vector, terms: Sequence[str], limit: int) -> Candidates | None:
        """What this other search finds, if it differs by more terms alone and no chunk has them; otherwise None."""
        before = len(self.terms)
        if (
            self.snapshot() is not snapshot
            or self.limit != limit
            or list(terms[:before]) != self.terms
            or self.vector != vector.tobytes()
        ):
            return None
        holding = snapshot.holding(terms[before:])
        if any(holding.values()):
            return None
        return replace(self.candidates, frequency={**self.candidates.frequency, **holding})
