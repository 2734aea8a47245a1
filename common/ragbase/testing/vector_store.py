"""Vectors and text index in the memory of one process: the other stores are compared with this one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragbase.domain.chunk import EmbeddedChunk
from ragbase.domain.errors import IndexGone
from ragbase.ports import Candidates, HeldChunk, Hit
from ragbase.retrieval.bm25 import bm25, inverse_frequency

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk, Vector
    from ragbase.domain.search_filter import SearchFilter


@dataclass(frozen=True, slots=True)
class _Entry:
    embedded: EmbeddedChunk
    counts: Counter[str]
    length: int
    hidden: bool = False


class MemoryVectorStore:
    """Every query reads every passage, so it is easy to see that the answer is right. Any thread may call it."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._lock = Lock()
        self._is_dropped = False

    @property
    def is_empty(self) -> bool:
        return not self._snapshot()

    @property
    def longest_search(self) -> timedelta:
        return timedelta()

    def wait_for_searches(self) -> None:
        """Nothing to wait for."""

    @property
    def keeps_labels(self) -> bool:
        return True

    def drop(self) -> None:
        """Every later call raises IndexGone."""
        with self._lock:
            self._is_dropped = True
            self._entries = {}

    def clear(self) -> None:
        """Remove every chunk."""
        with self._lock:
            self._entries = {}

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        new = {embedded.chunk.id: _entry(embedded) for embedded in chunks}
        with self._lock:
            self._check()
            self._entries |= new

    def restore(self, chunks: Sequence[EmbeddedChunk]) -> None:
        self.write(chunks)

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        found = [one for one in self._of(document_id) if one.chunk.generation == generation]
        return sorted(found, key=lambda one: one.chunk.ordinal)

    def chunks(self, document_id: str, generation: int, *, first: int, limit: int) -> Sequence[Chunk]:
        of_generation = (one.chunk for one in self.read(document_id, generation))
        return [chunk for chunk in of_generation if first <= chunk.ordinal < first + limit]

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        return {one.chunk.text_hash: one.vector for one in self._of(document_id)}

    def hide(self, document_id: str, *, generation: int) -> None:
        with self._lock:
            self._check()
            for id, entry in self._entries.items():
                chunk = entry.embedded.chunk
                if (chunk.document_id, chunk.generation) == (document_id, generation):
                    self._entries[id] = replace(entry, hidden=True)

    def delete(self, document_id: str, *, generation: int) -> None:
        self._remove(lambda chunk: chunk.document_id == document_id and chunk.generation == generation)

    def delete_chunks(self, ids: Sequence[str]) -> None:
        self._remove(lambda chunk: chunk.id in ids)

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
        left = [one for one in self._snapshot() if not one.hidden and one.embedded.chunk.document_id not in without]
        facts = within.asked_facts if within is not None else None
        if facts is not None:
            left = [one for one in left if facts.may_match(one.embedded.chunk.document_id, one.embedded.labels)]
        # By id, so that equal scores always come in the same order, whatever was written first.
        index = sorted(left, key=lambda entry: entry.embedded.chunk.id)
        if not index:
            return Candidates(hits=[], passages=0, average_length=0.0, frequency={}, exhausted=True)
        cosines = np.stack([entry.embedded.vector for entry in index]) @ vector
        average_length = sum(entry.length for entry in index) / len(index)
        frequency = {term: sum(term in entry.counts for entry in index) for term in set(terms)}
        relevance = _relevance(index, terms, frequency, average_length)
        allowed = [
            i
            for i, one in enumerate(entry.embedded for entry in index)
            if within is None or within.may_match(one.chunk.document_id, one.labels)
        ]
        by_meaning = sorted(range(len(index)), key=lambda i: -cosines[i])
        near = sorted(allowed, key=lambda i: -cosines[i])[:limit]
        best = [i for i in sorted(allowed, key=lambda i: -relevance[i])[:limit] if relevance[i] > 0]

        def hit(i: int) -> Hit:
            return Hit(index[i].embedded.chunk, float(cosines[i]), index[i].embedded.terms)

        hits = [hit(i) for i in dict.fromkeys([*near, *best])]
        return Candidates(
            hits=hits,
            passages=len(index),
            average_length=average_length,
            frequency=frequency,
            exhausted=len(hits) == len(allowed),
            nearest=[hit(i) for i in by_meaning[:nearest]],
        )

    def held(self, document_ids: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        wanted, found = set(document_ids), defaultdict[str, Counter[int]](Counter)
        for entry in self._snapshot():
            if (chunk := entry.embedded.chunk).document_id in wanted:
                found[chunk.document_id][chunk.generation] += 1
        return dict(found)

    def scan(self, *, after: str = "", limit: int) -> Sequence[HeldChunk]:
        held = sorted(_held(entry.embedded) for entry in self._snapshot())
        return [chunk for chunk in held if chunk.id > after][:limit]

    def _snapshot(self) -> list[_Entry]:
        with self._lock:
            self._check()
            return list(self._entries.values())

    def _check(self) -> None:
        if self._is_dropped:
            raise IndexGone("The index has been dropped.")

    def _of(self, document_id: str) -> Iterable[EmbeddedChunk]:
        return (entry.embedded for entry in self._snapshot() if entry.embedded.chunk.document_id == document_id)

    def _remove(self, is_removed: Callable[[Chunk], bool]) -> None:
        with self._lock:
            self._check()
            self._entries = {id: entry for id, entry in self._entries.items() if not is_removed(entry.embedded.chunk)}


def _held(one: EmbeddedChunk) -> HeldChunk:
    return HeldChunk(one.chunk.id, one.chunk.document_id, one.chunk.generation, one.labels)


def _entry(embedded: EmbeddedChunk) -> _Entry:
    terms = embedded.terms.split()
    return _Entry(embedded, Counter(terms), len(terms))


def _relevance(
    index: Sequence[_Entry], terms: Sequence[str], frequency: Mapping[str, int], average_length: float
) -> npt.NDArray[np.float64]:
    """BM25 of every passage. A term that the query repeats counts each time."""
    relevance = np.zeros(len(index))
    for term in terms:
        worth = inverse_frequency(len(index), frequency[term])
        for i, entry in enumerate(index):
            if term in entry.counts:
                relevance[i] += worth * bm25(entry.counts[term], entry.length, average_length)
    return relevance
