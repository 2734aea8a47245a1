"""Chunks, embeddings and their search in Qdrant."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from ragbase.adapters.checked_vector import checked_vector
from ragbase.adapters.qdrant.connection import SECONDS, QdrantConnection
from ragbase.adapters.qdrant.points import (
    DAY,
    DENSE,
    HIDDEN,
    LABELS,
    OWNER,
    SPARSE,
    TENANT,
    candidate_points,
    chunk_of,
    embedded_of,
    held_of,
    hit_of,
    payload_of,
    points_between,
    points_of,
    points_of_any,
    points_of_tenant,
    points_with,
    points_within,
    sparse_vector,
    terms_of,
)
from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.ports import Candidates, HeldChunk
from ragbase.retrieval.bm25 import bm25, inverse_frequency

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client.models import Filter, ScoredPoint

    from ragbase.domain.chunk import Vector
    from ragbase.domain.search_filter import SearchFilter

EXACT_UP_TO = 40_000
"""Passages. Up to this number a search compares with every vector; above it, Qdrant's HNSW graph is used."""

_TYPICAL_LENGTH = 100
"""Terms in a chunk of 1,000 characters, for the stored weights. Those only decide which chunks are scored exactly."""
_SPARE = 4
"""The exact BM25 scores this many times as many chunks as are asked for, and at least `_LEAST`."""
_LEAST = 100
_BATCH = 200
_PAGE = 500
_LENGTHS = 100_000
"""More than the different numbers of terms that chunks can have."""


class QdrantVectorStore:
    """Implements ports.VectorStore. Any thread may call it.

    A `write` of more than 200 chunks is several operations. If one fails, the index may hold some of the chunks, under
    a generation that no record shows. Writing again replaces them by their ids.
    """

    def __init__(
        self, connection: QdrantConnection, *, collection: str, dimension: int, tenant: str | None = None
    ) -> None:
        """Use an existing collection (qdrant/indexes.py makes them): all of its points, or those of a tenant."""
        self._connection = connection
        self._name = collection
        self._dimension = dimension
        self._tenant = tenant

    @property
    def longest_search(self) -> timedelta:
        return timedelta() if self._connection.is_local else timedelta(seconds=SECONDS)

    def wait_for_searches(self) -> None:
        time.sleep(self.longest_search.total_seconds())

    @property
    def keeps_labels(self) -> bool:
        return True

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        from qdrant_client.models import PointStruct

        owner = {TENANT: self._tenant} if self._tenant is not None else {}
        points = [
            PointStruct(id=id, payload=payload_of(one) | owner, vector=self._vectors(one))
            for id, one in {one.chunk.id: one for one in chunks}.items()
        ]
        for start in range(0, len(points), _BATCH):
            with self._connection.asking() as client:
                client.upsert(self._name, points[start : start + _BATCH], wait=True)

    def restore(self, chunks: Sequence[EmbeddedChunk]) -> None:
        self.write(chunks)

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        found = self._all(points_of(document_id, generation))
        return sorted(found, key=lambda one: one.chunk.ordinal)

    def chunks(self, document_id: str, generation: int, *, first: int, limit: int) -> Sequence[Chunk]:
        which = self._own(points_between(document_id, generation, first, first + limit))
        found: list[Chunk] = []
        offset = None
        while True:
            with self._connection.asking() as client:
                points, offset = client.scroll(self._name, which, limit=_PAGE, offset=offset, with_payload=True)
            found += map(chunk_of, points)
            if offset is None:
                return sorted(found, key=lambda chunk: chunk.ordinal)

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        return {one.chunk.text_hash: one.vector for one in self._all(points_of(document_id))}

    def hide(self, document_id: str, *, generation: int) -> None:
        with self._connection.asking() as client:
            client.set_payload(self._name, {HIDDEN: True}, self._own(points_of(document_id, generation)), wait=True)

    def delete(self, document_id: str, *, generation: int) -> None:
        self._delete(points_of(document_id, generation))

    def delete_chunks(self, ids: Sequence[str]) -> None:
        if ids:
            self._delete(points_with(ids))

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
        vector = checked_vector(vector, self._dimension)
        facts = within.asked_facts if within is not None else None
        everything = self._asked(candidate_points(without), facts)
        which = everything if within is None else points_within(everything, within)
        begin = self._connection.begin
        asked_lengths = begin(partial(self._lengths, which=everything))
        asked_terms = {
            term: begin(partial(self._holding, term=term, without=without, facts=facts))
            for term in dict.fromkeys(terms)
        }
        lengths = asked_lengths()
        frequency = {term: count() for term, count in asked_terms.items()}
        passages = sum(lengths.values())
        average_length = sum(length * count for length, count in lengths.items()) / max(passages, 1)
        worth = {term: inverse_frequency(passages, count) for term, count in frequency.items()}
        # One more than asked for, to see whether there are more.
        asked_near = begin(lambda client: self._nearest(client, vector, which, limit + 1, passages))
        asked_beside = begin(lambda client: self._nearest(client, vector, everything, nearest, passages))
        asked_likely = begin(lambda client: self._likely(client, terms, worth, which, max(limit * _SPARE, _LEAST)))
        near, beside, likely = asked_near(), asked_beside(), asked_likely()

        usual_length = max(average_length, 1.0)  # the first passages may have come since their lengths were asked for

        def relevance(point: ScoredPoint) -> float:
            words = terms_of(point)
            counts = Counter(words)
            return sum(worth[term] * bm25(counts[term], len(words), usual_length) for term in terms if term in counts)

        # Qdrant's own order uses weights that were stored before the average length was known, and hashes of terms,
        # which may collide. So the final order is computed here, from the terms themselves.
        scored = [(relevance(point), point) for point in likely]
        scored.sort(key=lambda one: (-one[0], str(one[1].id)))
        best = [point for score, point in scored[:limit] if score > 0]
        hits = {str(point.id): hit_of(point, vector) for point in (*near[:limit], *best)}
        return Candidates(
            hits=sorted(hits.values(), key=lambda hit: (-hit.cosine, hit.chunk.id)),
            passages=passages,
            average_length=average_length,
            frequency=frequency,
            exhausted=len(near) <= limit,
            nearest=[hit_of(point, vector) for point in beside],
        )

    def held(self, document_ids: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        found: dict[str, Counter[int]] = defaultdict(Counter)
        for chunk in self._scroll(self._own(points_of_any(document_ids)), OWNER) if document_ids else ():
            found[chunk.document_id][chunk.generation] += 1
        return found

    def scan(self, *, after: str = "", limit: int) -> Sequence[HeldChunk]:
        # A page begins with the offset's own point, if it is still there.
        found = self._scroll(points_of_tenant(self._tenant), [*OWNER, LABELS, DAY], after or None)
        return list(islice((chunk for chunk in found if chunk.id != after), limit))

    def _scroll(self, which: Filter | None, fields: Sequence[str], offset: Any = None) -> Iterator[HeldChunk]:
        """The chunks by id, with these fields of their payloads, without texts and vectors."""
        while True:
            with self._connection.asking() as client:
                points, offset = client.scroll(self._name, which, limit=_PAGE, offset=offset, with_payload=list(fields))
            yield from map(held_of, points)
            if offset is None:
                return

    def _lengths(self, client: QdrantClient, *, which: Filter) -> Mapping[int, int]:
        """How many of the points have so many terms."""
        found = client.facet(self._name, "term_count", which, limit=_LENGTHS, exact=True).hits
        return {int(hit.value): hit.count for hit in found}

    def _holding(self, client: QdrantClient, *, term: str, without: Collection[str], facts: SearchFilter | None) -> int:
        return client.count(self._name, self._asked(candidate_points(without, term), facts), exact=True).count

    def _nearest(
        self, client: QdrantClient, vector: Vector, which: Filter, limit: int, passages: int
    ) -> Sequence[ScoredPoint]:
        from qdrant_client.models import SearchParams

        if not limit:
            return []
        is_local = self._connection.is_local  # it is always exact
        exact = None if is_local else SearchParams(exact=passages <= EXACT_UP_TO)
        return client.query_points(
            self._name,
            vector.tolist(),
            using=DENSE,
            query_filter=which,
            limit=limit,
            search_params=exact,
            with_vectors=[DENSE],
        ).points

    def _likely(
        self, client: QdrantClient, terms: Sequence[str], worth: Mapping[str, float], which: Filter, limit: int
    ) -> Sequence[ScoredPoint]:
        """Those that Qdrant's sparse vectors rank highest. In an index that is split, the collection does not multiply
        by the words' worth itself (qdrant/indexes.py): it would count the passages of all tenants."""
        if not terms:
            return []
        is_split = self._tenant is not None
        weights = {term: count * (worth[term] if is_split else 1.0) for term, count in Counter(terms).items()}
        return client.query_points(
            self._name,
            sparse_vector(weights),
            using=SPARSE,
            query_filter=which,
            limit=limit,
            with_vectors=[DENSE],
        ).points

    def _asked(self, which: Filter, facts: SearchFilter | None) -> Filter:
        """Of these points, those whose facts count."""
        own = self._own(which)
        return own if facts is None else points_within(own, facts)

    def _own(self, which: Filter) -> Filter:
        """Of these points, those of this store's tenant."""
        return points_of_tenant(self._tenant, which) or which

    def _all(self, which: Filter) -> Iterator[EmbeddedChunk]:
        which = self._own(which)
        offset = None
        while True:
            with self._connection.asking() as client:
                points, offset = client.scroll(
                    self._name, which, limit=_PAGE, offset=offset, with_payload=True, with_vectors=[DENSE]
                )
            for point in points:
                yield embedded_of(point)
            if offset is None:
                return

    def _delete(self, which: Filter) -> None:
        from qdrant_client.models import FilterSelector

        with self._connection.asking() as client:
            client.delete(self._name, FilterSelector(filter=self._own(which)), wait=True)

    def _vectors(self, embedded: EmbeddedChunk) -> dict[str, Any]:
        terms = embedded.terms.split()
        weights = {term: bm25(count, len(terms), _TYPICAL_LENGTH) for term, count in Counter(terms).items()}
        return {DENSE: checked_vector(embedded.vector, self._dimension).tolist(), SPARSE: sparse_vector(weights)}
