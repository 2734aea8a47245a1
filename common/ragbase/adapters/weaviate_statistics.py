"""What words are worth in a collection of Weaviate: how many passages there are, and how many hold each word."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragbase.retrieval.scoring import K1, bm25

if TYPE_CHECKING:
    from weaviate.collections import CollectionAsync

_COUNTED = 200
"""Up to how many passages of a term are counted one by one, at some 10 µs each."""
_LARGE = 1_000
"""From so many passages on, what was learnt of the collection is told again for a while: every word would cost a query
of Weaviate its own request, and one passage more or less is nothing there."""
_CHANGED = 0.01
"""By which share the number of passages may change meanwhile."""
_SECONDS = 60.0
"""For how long. Texts may be replaced without their number changing."""
_TERMS = 10_000
"""How many terms are remembered."""


@dataclass(frozen=True, slots=True)
class _Learnt:
    """The average length in terms, and the frequencies found so far, of a collection of `passages` at `time`."""

    time: float
    passages: int
    average_length: float
    frequency: dict[str, int]

    def holds(self, passages: int) -> bool:
        grown = abs(passages - self.passages)
        young = time.monotonic() < self.time + _SECONDS and len(self.frequency) <= _TERMS
        return young and self.passages >= _LARGE and grown <= _CHANGED * self.passages


class WeaviateStatistics:
    """Of one collection, for any number of queries at a time."""

    def __init__(self) -> None:
        self._learnt = _Learnt(0.0, 0, 0.0, {})

    async def of(
        self, collection: CollectionAsync[Any, Any], terms: Sequence[str]
    ) -> tuple[int, float, Mapping[str, int]]:
        """The number of passages, their average length in terms, and in how many of them each term stands."""
        from weaviate.classes.aggregate import Metrics

        found: Any = await collection.aggregate.over_all(
            total_count=True, return_metrics=Metrics("term_count").integer(mean=True)
        )
        passages = found.total_count
        learnt = self._learnt
        if not learnt.holds(passages):
            average_length = found.properties["term_count"].mean or 0.0
            learnt = self._learnt = _Learnt(time.monotonic(), passages, average_length, {})
        new = [term for term in terms if term not in learnt.frequency]
        counts = await asyncio.gather(*(_frequency(collection, term, passages, learnt.average_length) for term in new))
        learnt.frequency.update(zip(new, counts, strict=True))
        return passages, learnt.average_length, {term: min(learnt.frequency[term], passages) for term in terms}


async def _frequency(collection: CollectionAsync[Any, Any], term: str, passages: int, average_length: float) -> int:
    """The number of passages in which the term stands: counted where they are few, else from the term's worth.

    Weaviate reads every object that it counts. The best score of the term alone, in which all but its frequency is
    known, gives a common term's for the price of one hit.
    """
    from weaviate.classes.query import Filter, MetadataQuery

    found = await collection.query.bm25(
        term,
        query_properties=["terms"],
        limit=1,
        return_metadata=MetadataQuery(score=True),
        return_properties=["terms"],
    )
    if not found.objects:
        return 0
    best = found.objects[0]
    words = str(best.properties["terms"]).split()
    # Weaviate's BM25 leaves out the constant K1 + 1, and its inverse frequency is ln((N + 1) / (n + 0.5)).
    # The average is 0 where the index was empty a moment ago.
    share = bm25(words.count(term), len(words), max(average_length, 1.0)) / (K1 + 1)
    estimate = round((passages + 1) * math.exp(-(best.metadata.score or 0.0) / share) - 0.5) if share else 0
    if min(estimate, passages) > _COUNTED:
        return min(estimate, passages)
    counted = await collection.aggregate.over_all(total_count=True, filters=Filter.by_property("terms").equal(term))
    return counted.total_count or 0
