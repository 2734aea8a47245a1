"""Chunks, embeddings and their search in Qdrant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from ragbase.adapters.qdrant_points import (
    DENSE,
    SPARSE,
    embedded_of,
    hit_of,
    payload_of,
    points_of,
    sparse_vector,
    terms_of,
)
from ragbase.domain.chunk import EmbeddedChunk
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.ports import Candidates
from ragbase.retrieval.scoring import bm25, inverse_frequency

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client.models import Filter, ScoredPoint

    from ragbase.domain.chunk import Vector

EXACT_UP_TO = 40_000
"""Passages. Up to here a search compares with every vector; beyond, it walks Qdrant's HNSW graph."""

_TYPICAL_LENGTH = 100
"""Terms in a chunk of 1,000 characters, for the weights that are stored: those only say which chunks to look at."""
_SPARE = 4
"""How many times as many chunks are looked at by the exact BM25 as are asked for, and no fewer than `_LEAST`."""
_LEAST = 100
_SECONDS = 10
"""The deadline of a call."""
_BATCH = 200
_PAGE = 500
_LENGTHS = 100_000
"""More than there are different numbers of terms in a chunk."""
_REFUSED = (401, 403)
_CONFLICT = 409


def qdrant_client(url: str, api_key: str = "") -> QdrantClient:
    """A client of the server at `url`, whose calls have a deadline. Nothing is sent yet."""
    from qdrant_client import QdrantClient

    return QdrantClient(url=url, api_key=api_key or None, timeout=_SECONDS, check_compatibility=False)


class QdrantVectorStore:
    """Implements ports.VectorStore. Any thread may call it; the first call makes the collection, if it is missing.

    A `write` of more than 200 chunks is several operations. After one has failed, some of its chunks may be held, under
    a generation that no record shows, and writing again replaces them by their ids.
    """

    def __init__(self, client: QdrantClient, *, collection: str, model: str, dimension: int) -> None:
        """Use a collection of vectors of `model`. The client's own timeout is the deadline of every call."""
        self._client = client
        self._name = collection
        self._model = model
        self._dimension = dimension
        self._is_ready = False
        self._preparing = Lock()
        options = client.init_options
        # The client's local mode keeps everything in plain dictionaries, which bear one thread at a time.
        self._turn = RLock() if options.get("location") == ":memory:" or options.get("path") else None

    def connect(self) -> None:
        """Connect now. Raises ConfigurationError where the settings do not fit the server or its collection."""
        with self._asking():
            pass

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        from qdrant_client.models import PointStruct

        points = [
            PointStruct(id=id, payload=payload_of(one), vector=self._vectors(one))
            for id, one in {one.chunk.id: one for one in chunks}.items()
        ]
        for start in range(0, len(points), _BATCH):
            with self._asking() as client:
                client.upsert(self._name, points[start : start + _BATCH], wait=True)

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        found = self._all(points_of(document_id, gte=generation, lte=generation))
        return sorted(found, key=lambda one: (one.chunk.part, one.chunk.ordinal))

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        return {one.chunk.text_hash: one.vector for one in self._all(points_of(document_id))}

    def delete(self, document_id: str, *, generation: int) -> None:
        self._delete(points_of(document_id, gte=generation, lte=generation))

    def delete_older(self, document_id: str, *, than: int) -> None:
        self._delete(points_of(document_id, lt=than))

    def search(self, vector: Vector, terms: Sequence[str], limit: int) -> Candidates:
        vector = self._checked(vector)
        with self._asking() as client:
            lengths = client.facet(self._name, "term_count", limit=_LENGTHS, exact=True).hits
            passages = sum(hit.count for hit in lengths)
            average_length = sum(int(hit.value) * hit.count for hit in lengths) / max(passages, 1)
            frequency = {term: self._frequency(client, term) for term in dict.fromkeys(terms)}
            # One more, to know whether there is more.
            nearest = self._nearest(client, vector, limit + 1, passages)
            likely = self._likely(client, terms, max(limit * _SPARE, _LEAST))

        def relevance(point: ScoredPoint) -> float:
            words = terms_of(point)
            counts = Counter(words)
            return sum(
                inverse_frequency(passages, frequency[term]) * bm25(counts[term], len(words), average_length)
                for term in terms
                if term in counts
            )

        # Qdrant's own order is by weights that were stored before the average length was known, and by hashes of
        # terms, which may collide: so the last word is had here, from the terms themselves.
        scored = [(relevance(point), point) for point in likely]
        scored.sort(key=lambda one: (-one[0], str(one[1].id)))
        best = [point for score, point in scored[:limit] if score > 0]
        hits = {str(point.id): hit_of(point, vector) for point in (*nearest[:limit], *best)}
        return Candidates(
            hits=sorted(hits.values(), key=lambda hit: (-hit.cosine, hit.chunk.id)),
            passages=passages,
            average_length=average_length,
            frequency=frequency,
            background=None,
            exhausted=len(nearest) <= limit,
        )

    def _nearest(self, client: QdrantClient, vector: Vector, limit: int, passages: int) -> Sequence[ScoredPoint]:
        from qdrant_client.models import SearchParams

        exact = SearchParams(exact=passages <= EXACT_UP_TO) if self._turn is None else None  # local mode always is
        return client.query_points(
            self._name,
            vector.tolist(),
            using=DENSE,
            limit=limit,
            search_params=exact,
            with_vectors=[DENSE],
        ).points

    def _likely(self, client: QdrantClient, terms: Sequence[str], limit: int) -> Sequence[ScoredPoint]:
        if not terms:
            return []
        counts = {term: float(count) for term, count in Counter(terms).items()}
        return client.query_points(
            self._name, sparse_vector(counts), using=SPARSE, limit=limit, with_vectors=[DENSE]
        ).points

    def _frequency(self, client: QdrantClient, term: str) -> int:
        from qdrant_client.models import FieldCondition, Filter, MatchValue

        condition = FieldCondition(key="words", match=MatchValue(value=term))
        return client.count(self._name, Filter(must=[condition]), exact=True).count

    def _all(self, which: Filter) -> Iterator[EmbeddedChunk]:
        offset = None
        while True:
            with self._asking() as client:
                points, offset = client.scroll(
                    self._name, which, limit=_PAGE, offset=offset, with_payload=True, with_vectors=[DENSE]
                )
            for point in points:
                yield embedded_of(point)
            if offset is None:
                return

    def _delete(self, which: Filter) -> None:
        from qdrant_client.models import FilterSelector

        with self._asking() as client:
            client.delete(self._name, FilterSelector(filter=which), wait=True)

    def _vectors(self, embedded: EmbeddedChunk) -> dict[str, Any]:
        terms = embedded.terms.split()
        weights = {term: bm25(count, len(terms), _TYPICAL_LENGTH) for term, count in Counter(terms).items()}
        return {DENSE: self._checked(embedded.vector).tolist(), SPARSE: sparse_vector(weights)}

    def _checked(self, vector: Vector) -> Vector:
        """Raises ConfigurationError for a wrong dimension and ValueError for a number that is not finite."""
        if vector.shape != (self._dimension,):
            raise ConfigurationError(
                f"The index holds vectors of {self._dimension} dimensions, and here is one of shape {vector.shape}. "
                "Set `embedder` to the model that the index was made with."
            )
        if not np.isfinite(vector).all():
            raise ValueError("A vector holds a number that is not finite, so that nothing can be compared with it.")
        return vector

    @contextmanager
    def _asking(self) -> Iterator[QdrantClient]:
        """The client, with the collection there, its errors as ours and, in local mode, nobody else at it."""
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

        try:
            if self._turn is not None:
                with self._turn:
                    self._prepare()
                    yield self._client
            else:
                self._prepare()
                yield self._client
        except UnexpectedResponse as error:
            if error.status_code in _REFUSED:
                raise ConfigurationError(
                    "Qdrant refused the key. Set `qdrant_api_key` to one that may read and write."
                ) from error
            raise TransientError(f"Qdrant (setting `qdrant_url`) failed: {error}") from error
        except ApiException as error:
            raise TransientError(f"Qdrant (setting `qdrant_url`) does not answer: {error}") from error

    def _prepare(self) -> None:
        if self._is_ready:
            return
        with self._preparing:
            if not self._client.collection_exists(self._name):
                self._create()
            self._check()
            self._is_ready = True

    def _create(self) -> None:
        from qdrant_client.http.exceptions import UnexpectedResponse
        from qdrant_client.models import Distance, Modifier, PayloadSchemaType, SparseVectorParams, VectorParams

        try:
            self._client.create_collection(
                self._name,
                # Dot product: the vectors have unit length, so it is the cosine, and they are kept bit by bit.
                vectors_config={DENSE: VectorParams(size=self._dimension, distance=Distance.DOT)},
                sparse_vectors_config={SPARSE: SparseVectorParams(modifier=Modifier.IDF)},
                metadata={"model": self._model},
            )
        except UnexpectedResponse as error:
            if error.status_code != _CONFLICT:  # somebody else was faster
                raise
        if self._turn is None:  # the local mode has no indexes
            for field, schema in (
                ("document_id", PayloadSchemaType.KEYWORD),
                ("generation", PayloadSchemaType.INTEGER),
                ("words", PayloadSchemaType.KEYWORD),
                ("term_count", PayloadSchemaType.INTEGER),
            ):
                self._client.create_payload_index(self._name, field, schema, wait=True)

    def _check(self) -> None:
        config = self._client.get_collection(self._name).config
        vectors = config.params.vectors
        dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
        model = (config.metadata or {}).get("model")
        if dense is None or dense.size != self._dimension or model != self._model:
            held = f"{model} with {dense.size} dimensions" if dense is not None else "something else than ragbase's"
            raise ConfigurationError(
                f"The collection {self._name} (setting `qdrant_collection`) holds vectors of {held}, and the model is "
                f"{self._model} with {self._dimension}. A collection holds one model's vectors: set `embedder` to the "
                "model it was made with, or choose another collection and ingest the documents again."
            )
