"""Chunks, embeddings and their search in Weaviate."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ragbase.adapters.checked_vector import checked_vector
from ragbase.adapters.weaviate.connection import NoPartition, WeaviateConnection
from ragbase.adapters.weaviate.held_chunks import MOST, Answer, find_held, list_held
from ragbase.adapters.weaviate.objects import chunk_of, embedded_of, hit_of, is_candidate, is_within, properties_of
from ragbase.adapters.weaviate.partitions import partition_of
from ragbase.adapters.weaviate.statistics import WeaviateStatistics
from ragbase.domain.errors import IndexGone, TransientError
from ragbase.ports import Candidates, HeldChunk, Hit

if TYPE_CHECKING:
    from weaviate import WeaviateAsyncClient
    from weaviate.collections import CollectionAsync
    from weaviate.collections.classes.filters import FilterReturn

    from ragbase.domain.chunk import Chunk, EmbeddedChunk, Vector
    from ragbase.domain.search_filter import SearchFilter

Result = TypeVar("Result")

QUERY_SECONDS = 3.0
"""A search is given up if Weaviate has not answered by then, so that the user learns of it within 5 s."""
WRITE_SECONDS = 30.0
"""The same for writing a batch, reading a page, or a deletion."""

_BATCH = 200
"""Chunks written by one request: about 1.5 MB with 1,024 dimensions, and well below a second."""
_PAGE = 500
"""Chunks read by one request."""
_TURN = 1e-3
"""How far a vector is turned, for moments: too little to change a ranking, and more than 32-bit numbers round off."""

_NO_CANDIDATES = Candidates(hits=[], passages=0, average_length=0.0, frequency={}, exhausted=True)


class WeaviateVectorStore:
    """Implements ports.VectorStore. Any thread may call it. The first call connects.

    `write` is not one transaction: Weaviate has none. After a failed `write` the index may hold some of its chunks,
    under a generation that no record shows. Writing again replaces them by their ids.

    Search by vector is exact if the vector index is flat. In one with a graph it may miss a near chunk; every cosine is
    exact in both, because it is computed from the chunk's own vector.
    """

    def __init__(
        self,
        connection: WeaviateConnection,
        *,
        collection: str,
        dimension: int,
        tenant: str | None = None,
        query_seconds: float = QUERY_SECONDS,
        write_seconds: float = WRITE_SECONDS,
    ) -> None:
        """Use an existing collection (weaviate/indexes.py makes them): all of it, or one tenant's partition."""
        self._connection = connection
        self._collection = collection
        self._dimension = dimension
        self._tenant = tenant
        self._query_seconds = query_seconds
        self._write_seconds = write_seconds
        self._statistics = WeaviateStatistics()

    @property
    def longest_search(self) -> timedelta:
        return timedelta(seconds=self._query_seconds)

    def wait_for_searches(self) -> None:
        time.sleep(self.longest_search.total_seconds())

    @property
    def keeps_labels(self) -> bool:
        return True

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        self._write(chunks, hidden=False)

    def _write(self, chunks: Sequence[EmbeddedChunk], *, hidden: bool) -> None:
        from weaviate.classes.data import DataObject

        objects = [
            DataObject(
                uuid=id,
                properties=properties_of(one, hidden=hidden, tenant=self._tenant),
                vector=checked_vector(one.vector, self._dimension).tolist(),
            )
            for id, one in {one.chunk.id: one for one in chunks}.items()
        ]
        if not objects:
            return
        for start in range(0, len(objects), _BATCH):
            batch = objects[start : start + _BATCH]

            async def insert(
                collection: CollectionAsync[Any, Any], batch: Sequence[DataObject[Any, Any]] = batch
            ) -> None:
                await _check_exists(collection)
                done = await collection.data.insert_many(batch)
                if done.has_errors:  # errors are returned, not raised
                    first = next(iter(done.errors.values()))
                    raise TransientError(
                        f"Weaviate did not store {len(done.errors)} of {len(batch)} chunks: {first.message}"
                    )

            self._call(insert, self._write_seconds)
        self._call(_flush, self._write_seconds)
        self._statistics.forget_size()

    def restore(self, chunks: Sequence[EmbeddedChunk]) -> None:
        # Weaviate makes new entries in its index for an object whose vector has changed, and no others.
        self.write([replace(one, vector=_turned(one.vector)) for one in chunks])
        self.write(chunks)

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        return list(self._all(_is("document_id", document_id) & _is("generation", generation)))

    def chunks(self, document_id: str, generation: int, *, first: int, limit: int) -> Sequence[Chunk]:
        from weaviate.classes.query import Filter

        of_generation = _is("document_id", document_id) & _is("generation", generation)
        found: list[Chunk] = []
        for start in range(first, first + limit, _PAGE):
            end = min(start + _PAGE, first + limit)
            ordinal = Filter.by_property("ordinal")
            which = of_generation & ordinal.greater_or_equal(start) & ordinal.less_than(end)

            async def fetch(collection: CollectionAsync[Any, Any], which: FilterReturn = which) -> list[Chunk]:
                page = await collection.query.fetch_objects(filters=which, limit=_PAGE)
                return [chunk_of(one) for one in page.objects]

            found += self._ask(fetch, self._write_seconds, [])
        return sorted(found, key=lambda chunk: chunk.ordinal)

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        return {one.chunk.text_hash: one.vector for one in self._all(_is("document_id", document_id))}

    def hide(self, document_id: str, *, generation: int) -> None:
        # Weaviate changes no objects by a filter. Writing them as a batch takes a quarter of the time of changing one
        # property of each.
        self._write(self.read(document_id, generation), hidden=True)

    def delete(self, document_id: str, *, generation: int) -> None:
        which = _is("document_id", document_id) & _is("generation", generation)

        async def delete(collection: CollectionAsync[Any, Any]) -> int:
            done = await collection.data.delete_many(where=which)
            if done.failed:
                raise TransientError(f"Weaviate did not delete {done.failed} of {done.matches} chunks.")
            return done.matches

        # One call deletes no more than Weaviate's QUERY_MAXIMUM_RESULTS.
        while self._ask(delete, self._write_seconds, 0):
            pass
        self._statistics.forget_size()

    def delete_chunks(self, ids: Sequence[str]) -> None:
        """One request for each id: a deletion by a filter finds only what Weaviate's own indexes have."""
        if ids:
            self._call(_check_exists, self._write_seconds)
        for id in ids:

            async def delete(collection: CollectionAsync[Any, Any], id: str = id) -> None:
                await collection.data.delete_by_id(id)

            self._ask(delete, self._write_seconds, None)
        self._statistics.forget_size()

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
        most = min(limit, MOST)
        facts = within.asked_facts if within is not None else None
        counted = is_within(facts) if facts is not None else None
        everything = is_candidate(without) if counted is None else is_candidate(without) & counted
        which = everything
        matching = is_within(within) if within is not None else None
        if matching is not None:
            which = which & matching

        async def ask(collection: CollectionAsync[Any, Any]) -> Candidates:
            async with self._connection.searching(self._query_seconds / 2):  # later, an answer would be late, too
                near, beside, best, (passages, average_length, frequency) = await asyncio.gather(
                    _nearest(collection, vector, which, most + 1),  # one more, to see whether there are more
                    _nearest(collection, vector, everything, nearest),
                    _best(collection, vector, terms, which, most),
                    self._statistics.of(collection, list(dict.fromkeys(terms)), without, counted),
                )
            hits = {hit.chunk.id: hit for hit in (*best, *near[:most])}
            return Candidates(
                hits=sorted(hits.values(), key=lambda hit: (-hit.cosine, hit.chunk.id)),
                passages=passages,
                average_length=average_length,
                frequency=frequency,
                exhausted=len(near) <= most or most < limit,
                nearest=beside,
            )

        return self._ask(ask, self._query_seconds, _NO_CANDIDATES)

    def held(self, document_ids: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        def ask(question: Callable[[CollectionAsync[Any, Any]], Awaitable[list[Answer]]]) -> list[Answer]:
            return self._ask(question, self._write_seconds, [])

        return find_held(ask, document_ids, self._dimension)

    def scan(self, *, after: str = "", limit: int) -> Sequence[HeldChunk]:
        return self._ask(lambda collection: list_held(collection, after, limit), self._write_seconds, [])

    def _call(self, work: Callable[[CollectionAsync[Any, Any]], Awaitable[Result]], seconds: float) -> Result:
        return self._connection.call(lambda client: work(self._used(client)), seconds)

    def _ask(
        self, work: Callable[[CollectionAsync[Any, Any]], Awaitable[Result]], seconds: float, nothing: Result
    ) -> Result:
        """The same for what only reads or removes; `nothing` if the tenant has no partition."""
        try:
            return self._call(work, seconds)
        except NoPartition:
            return nothing

    def _used(self, client: WeaviateAsyncClient) -> CollectionAsync[Any, Any]:
        collection = client.collections.use(self._collection)
        return collection if self._tenant is None else collection.with_tenant(partition_of(self._tenant))

    def _all(self, which: FilterReturn) -> Iterator[EmbeddedChunk]:
        """The chunks by generation and ordinal. Each page starts after the last chunk of the page before, because
        Weaviate accepts no offset beyond its QUERY_MAXIMUM_RESULTS."""
        from weaviate.classes.query import Sort

        order = Sort.by_property("generation").by_property("ordinal")
        page = which
        while True:

            async def fetch(collection: CollectionAsync[Any, Any], page: FilterReturn = page) -> list[EmbeddedChunk]:
                found = await collection.query.fetch_objects(filters=page, sort=order, limit=_PAGE, include_vector=True)
                return [embedded_of(one) for one in found.objects]

            chunks: list[EmbeddedChunk] = self._ask(fetch, self._write_seconds, [])
            yield from chunks
            if len(chunks) < _PAGE:
                return
            page = which & _after(chunks[-1].chunk)


async def _check_exists(collection: CollectionAsync[Any, Any]) -> None:
    """Raises IndexGone: not every request says so itself, and an insertion makes the collection again."""
    if not await collection.exists():
        raise IndexGone(f"The index {collection.name} has been dropped.")


async def _flush(collection: CollectionAsync[Any, Any]) -> None:
    """Make Weaviate write its buffers to the disk, so that killing it loses nothing.

    A batch flushes the logs of its shards before the vectors of its objects are in them (1.39.0,
    shard_write_batch_objects.go: the flush comes before the wait). When the server was killed then, the objects were
    there but could not be found by their vectors. Every deletion by a filter ends with a flush, even a dry run that
    matches nothing.
    """
    await collection.data.delete_many(where=_is("ordinal", -1), dry_run=True)


async def _nearest(collection: CollectionAsync[Any, Any], vector: Vector, which: FilterReturn, limit: int) -> list[Hit]:
    if not limit:
        return []
    found = await collection.query.near_vector(vector.tolist(), filters=which, limit=limit, include_vector=True)
    return [hit_of(one, vector) for one in found.objects]


async def _best(
    collection: CollectionAsync[Any, Any], vector: Vector, terms: Sequence[str], which: FilterReturn, limit: int
) -> list[Hit]:
    if not terms:
        return []
    found = await collection.query.bm25(
        " ".join(terms), query_properties=["terms"], filters=which, limit=limit, include_vector=True
    )
    return [hit_of(one, vector) for one in found.objects]


def _turned(vector: Vector) -> Vector:
    """Almost the same direction. A change of the length alone is lost, because Weaviate stores unit vectors."""
    turned = vector.copy()
    turned[0] += np.float32(_TURN)
    return turned


def _is(name: str, value: str | int) -> FilterReturn:
    from weaviate.classes.query import Filter

    return Filter.by_property(name).equal(value)


def _after(chunk: Chunk) -> FilterReturn:
    """The chunks after this one by generation and ordinal."""
    from weaviate.classes.query import Filter

    later_generation = Filter.by_property("generation").greater_than(chunk.generation)
    later_ordinal = Filter.by_property("ordinal").greater_than(chunk.ordinal)
    return later_generation | (_is("generation", chunk.generation) & later_ordinal)
