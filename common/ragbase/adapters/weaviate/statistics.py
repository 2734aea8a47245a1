"""What the weight of a word depends on in a collection of Weaviate: the number of passages, and how many hold it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragbase.adapters.weaviate.objects import is_candidate, is_hidden
from ragbase.retrieval.bm25 import K1, bm25

if TYPE_CHECKING:
    from weaviate.collections import CollectionAsync
    from weaviate.collections.classes.filters import FilterReturn

_COUNTED = 200
"""Up to this number the passages that hold a term are counted one by one, at about 10 µs each."""
_LARGE = 1_000
"""From this number of passages on, what was learnt about the collection is used again for a while. Otherwise every word
of a query would cost a request, and one passage more or less does not matter in a collection of this size."""
_SIZED = 5.0
"""Seconds for which the number of passages of such a collection is used again. A request for it takes half a
millisecond alone, and several times ten beside the search by vector of the same query, which has all of Weaviate's
processors. Only after it the words could be asked for."""
_CHANGED = 0.01
"""The share by which the number of passages may have changed by then for the rest to be used again, too."""
_SECONDS = 60.0
"""For how long. Texts may be replaced without a change of their number."""
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
    """The statistics of one collection, for any number of queries at a time."""

    def __init__(self) -> None:
        self._learnt = _Learnt(0.0, 0, 0.0, {})
        self._sized = (0.0, 0)
        """When the number of passages was asked for, and what it was."""

    def forget_size(self) -> None:
        """This process has written or removed passages: the next query asks how many there are."""
        self._sized = (0.0, 0)

    async def of(
        self,
        collection: CollectionAsync[Any, Any],
        terms: Sequence[str],
        without: Collection[str] = (),
        counted: FilterReturn | None = None,
    ) -> tuple[int, float, Mapping[str, int]]:
        """The number of passages, their average length in terms, and how many of them hold each term. Those of the
        documents `without` are not counted; with a filter, only those that it finds are `counted`. Hidden chunks are
        counted only in a large collection: there are few of them, and Weaviate would have to read every other
        object."""
        if counted is not None:
            return await _counted(collection, terms, is_candidate(without) & counted)
        if without:
            return await _counted(collection, terms, is_candidate(without))
        learnt, (sized, passages) = self._learnt, self._sized
        if passages < _LARGE or time.monotonic() >= sized + _SIZED or not learnt.holds(passages):
            asked = time.monotonic()
            (passages, average_length), (hidden, _) = await asyncio.gather(
                _size(collection), _size(collection, is_hidden())
            )
            if hidden and passages < _LARGE:
                return await _counted(collection, terms, is_candidate(without))
            self._sized = (asked, passages)
            if not learnt.holds(passages):
                learnt = self._learnt = _Learnt(asked, passages, average_length, {})
        new = [term for term in terms if term not in learnt.frequency]
        counts = await asyncio.gather(*(_frequency(collection, term, passages, learnt.average_length) for term in new))
        learnt.frequency.update(zip(new, counts, strict=True))
        return passages, learnt.average_length, {term: min(learnt.frequency[term], passages) for term in terms}


async def _counted(
    collection: CollectionAsync[Any, Any], terms: Sequence[str], which: FilterReturn
) -> tuple[int, float, Mapping[str, int]]:
    """The same for some of the objects, which are all read."""
    from weaviate.classes.query import Filter

    (passages, average_length), *found = await asyncio.gather(
        _size(collection, which),
        *(_size(collection, Filter.by_property("terms").equal(term) & which) for term in terms),
    )
    return passages, average_length, {term: count for term, (count, _) in zip(terms, found, strict=True)}


async def _size(collection: CollectionAsync[Any, Any], which: FilterReturn | None = None) -> tuple[int, float]:
    """The number of objects, and their average length in terms."""
    from weaviate.classes.aggregate import Metrics

    found: Any = await collection.aggregate.over_all(
        total_count=True, filters=which, return_metrics=Metrics("term_count").integer(mean=True)
    )
    return found.total_count, found.properties["term_count"].mean or 0.0


async def _frequency(collection: CollectionAsync[Any, Any], term: str, passages: int, average_length: float) -> int:
    """The number of passages that hold the term: counted if they are few, otherwise computed from the best score.

    Weaviate reads every object that it counts, which is slow for a common term. In the best score for the term alone,
    everything but the term's frequency is known, so that one hit is enough to compute it.
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
    # The average is 0 if the index was empty a moment ago.
    share = bm25(words.count(term), len(words), max(average_length, 1.0)) / (K1 + 1)
    estimate = round((passages + 1) * math.exp(-(best.metadata.score or 0.0) / share) - 0.5) if share else 0
    if min(estimate, passages) > _COUNTED:
        return min(estimate, passages)
    counted = await collection.aggregate.over_all(total_count=True, filters=Filter.by_property("terms").equal(term))
    return counted.total_count or 0
