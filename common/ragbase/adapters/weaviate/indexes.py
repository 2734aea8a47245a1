"""The indexes in Weaviate: a collection for each, and an alias that names the current one.

Queries and writes use a collection's own name, not the alias. So a query's vector and the chunks that it is compared
with are always of the same model, even if the alias changes meanwhile.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ragbase.adapters.remembered_index import RememberedIndex
from ragbase.adapters.weaviate.alias import alias_of, description_of
from ragbase.adapters.weaviate.check_settings import check_weaviate
from ragbase.adapters.weaviate.connection import WeaviateConnection
from ragbase.adapters.weaviate.partitions import TENANT, is_empty, list_partitions, names_of, partition_of
from ragbase.adapters.weaviate.vector_store import QUERY_SECONDS, WRITE_SECONDS, WeaviateVectorStore
from ragbase.domain.errors import IndexGone
from ragbase.retrieval.bm25 import K1, B

if TYPE_CHECKING:
    from weaviate import WeaviateAsyncClient
    from weaviate.classes.config import DataType, Property
    from weaviate.collections import CollectionAsync

    from ragbase.domain.index import Index

Result = TypeVar("Result")

_COMPARED = 100_000
"""If fewer chunks than this match its filter, a search in an index with a graph compares all of them."""
_TOGETHER = 100
"""Tenants whose names are asked for by requests at the same time."""
_INVALID = 422
"""The status of a request that cannot be done, for example to create what somebody else has just created."""


class WeaviateIndexes:
    """Implements the Indexes port. Any thread may call it. The first call connects."""

    def __init__(
        self,
        url: str,
        *,
        model: str,
        api_key: str = "",
        grpc_url: str = "",
        alias: str = "ragbase",
        fills: bool = True,
        query_seconds: float = QUERY_SECONDS,
        write_seconds: float = WRITE_SECONDS,
    ) -> None:
        """`model` is that of the settings, `fills` says that this process may make an index. `grpc_url` is by default
        port 50051 of the same host. Raises ConfigurationError for settings that cannot be right. Nothing is sent
        yet."""
        self._alias = alias_of(alias)
        self._connection = WeaviateConnection(url, grpc_url=grpc_url, api_key=api_key)
        self._url, self._api_key = url, api_key
        self._model = model
        self._fills = fills
        self._query_seconds = query_seconds
        self._write_seconds = write_seconds
        self._remembered = RememberedIndex()
        self._names: dict[str, str] = {}
        """The tenants of partitions, which never change."""

    def check(self) -> Index | None:
        """The current index, found without the client. Raises ConfigurationError if the settings do not fit the server
        or its alias, and TransientError if this cannot be found out."""
        return check_weaviate(
            self._url, self._api_key, self._alias, model=self._model, fills=self._fills, seconds=self._query_seconds
        )

    def close(self) -> None:
        self._connection.close()

    def current(self) -> Index | None:
        """Raises ConfigurationError if the alias is missing and there are other indexes."""
        return self._remembered.get(lambda: self._connection.call(self._current, self._query_seconds))

    def ensure(self, index: Index) -> Index:
        self._remembered.forget()

        async def begin(client: WeaviateAsyncClient) -> Index:
            current = await self._current(client)
            old = self._alias.collection(current) if current is not None and current.name != index.name else None
            if old is not None and current is not None and await _is_empty(client.collections.use(old), current):
                await self._add(client, index)
                await self._point_at(client, index)
                await client.collections.delete(old)
                return index
            if current is None:
                await self._add(client, index)
                current = index
            # Also if the index was left without its alias. Somebody else may point the alias at another index first.
            await self._name(client, current)
            return await self._current(client) or current

        return self._connection.call(begin, self._write_seconds)

    def open(self, index: Index, tenant: str = "", *, create: bool = True) -> WeaviateVectorStore:
        index.check_tenant(tenant)
        if create:
            self._connection.call(lambda client: self._add(client, index), self._write_seconds)
        return WeaviateVectorStore(
            self._connection,
            collection=self._alias.collection(index),
            dimension=index.dimension,
            tenant=tenant if index.is_split else None,
            query_seconds=self._query_seconds,
            write_seconds=self._write_seconds,
        )

    def tenants(self, index: Index) -> Sequence[str]:
        def ask(work: Callable[[CollectionAsync[Any, Any]], Awaitable[Result]]) -> Result:
            name = self._alias.collection(index)
            return self._connection.call(lambda client: work(client.collections.use(name)), self._write_seconds)

        if not index.is_split:
            return [] if ask(lambda collection: _is_empty(collection, index)) else [""]
        partitions = ask(list_partitions)
        unknown = [partition for partition in partitions if partition not in self._names]
        for start in range(0, len(unknown), _TOGETHER):
            some = unknown[start : start + _TOGETHER]
            self._names |= ask(partial(names_of, partitions=some))
        return sorted(self._names[partition] for partition in partitions if partition in self._names)

    def all(self) -> Sequence[Index]:
        held = self._connection.call(_held, self._query_seconds)
        found = [self._alias.index(name, description) for name, description in held.items()]
        return sorted((index for index in found if index is not None), key=lambda index: index.name)

    def make_current(self, index: Index) -> None:
        async def switch(client: WeaviateAsyncClient) -> None:
            if not await client.collections.exists(self._alias.collection(index)):
                raise IndexGone(f"There is no index {index.name}.")
            await self._name(client, index)
            await self._point_at(client, index)

        self._connection.call(switch, self._write_seconds)
        self._remembered.forget()

    def drop(self, index: Index) -> None:
        async def drop(client: WeaviateAsyncClient) -> None:
            if await self._current(client) == index:
                raise ValueError(f"{index.name} is the current index.")
            await client.collections.delete(self._alias.collection(index))

        self._connection.call(drop, self._write_seconds)

    def drop_tenant(self, index: Index, tenant: str) -> None:
        index.check_split()
        name = self._alias.collection(index)

        async def drop(client: WeaviateAsyncClient) -> None:
            collection = client.collections.use(name)
            if not await collection.exists():
                raise IndexGone(f"The index {index.name} has been dropped.")
            await collection.tenants.remove([partition_of(tenant)])

        self._connection.call(drop, self._write_seconds)

    async def _current(self, client: WeaviateAsyncClient) -> Index | None:
        found = await client.alias.get(alias_name=self._alias.name)
        if found is None:
            return self._alias.left(await _held(client), model=self._model, fills=self._fills)
        described = await client.collections.use(found.collection).config.get(simple=True)
        return self._alias.index(found.collection, described.description or "")

    async def _point_at(self, client: WeaviateAsyncClient, index: Index) -> None:
        await client.alias.update(alias_name=self._alias.name, new_target_collection=self._alias.collection(index))

    async def _name(self, client: WeaviateAsyncClient, index: Index) -> None:
        """Make the alias if it is missing."""
        await _unless_there(
            client.alias.create(alias_name=self._alias.name, target_collection=self._alias.collection(index))
        )

    async def _add(self, client: WeaviateAsyncClient, index: Index) -> None:
        """Make the collection if it is missing."""
        name = self._alias.collection(index)
        if await client.collections.exists(name):
            described = await client.collections.use(name).config.get(simple=True)
            if described.description:
                held = {one.name for one in described.properties}
                for added in (_hidden(), _labels(), _day(), _row(), _table_header()):
                    if added.name not in held:  # an older version has made the collection
                        await _unless_there(client.collections.use(name).config.add_property(added))
                return
            # Weaviate made this collection by itself, for a write after the index was dropped. It has no settings.
            await client.collections.delete(name)
        await _unless_there(_create(client, name, index))


async def _held(client: WeaviateAsyncClient) -> Mapping[str, str]:
    """The descriptions of all collections, by name."""
    found = await client.collections.list_all(simple=True)
    return {name: one.description or "" for name, one in found.items()}


async def _is_empty(collection: CollectionAsync[Any, Any], index: Index) -> bool:
    if index.is_split:
        return await is_empty(collection)
    counted = await collection.aggregate.over_all(total_count=True)
    return not counted.total_count


async def _create(client: WeaviateAsyncClient, name: str, index: Index) -> None:
    from weaviate.classes.config import (
        Configure,
        DataType,
        Property,
        StopwordsPreset,
        Tokenization,
        VectorDistances,
    )

    await client.collections.create(
        name,
        description=description_of(index),
        properties=[
            Property(
                name="document_id",
                data_type=DataType.TEXT,
                tokenization=Tokenization.FIELD,
                index_searchable=False,
            ),
            Property(name="generation", data_type=DataType.INT, index_range_filters=True),
            Property(name="part", data_type=DataType.INT),
            Property(name="ordinal", data_type=DataType.INT),
            _hidden(),
            _labels(),
            _day(),
            Property(name="terms", data_type=DataType.TEXT, tokenization=Tokenization.WHITESPACE),
            Property(name="term_count", data_type=DataType.INT),
            _stored("text", DataType.TEXT),
            _stored("char_start", DataType.INT),
            _stored("char_end", DataType.INT),
            _stored("header_path", DataType.TEXT_ARRAY),
            _stored("page", DataType.INT),
            _stored("text_hash", DataType.TEXT),
            _row(),
            _table_header(),
            *([_stored(TENANT, DataType.TEXT)] if index.is_split else []),
        ],
        # Dot product: the vectors have unit length, so it equals the cosine, and they are stored unchanged. A flat
        # index gets no quantizer, which a server may have by default: a cosine would no longer be exact. A graph is
        # made of vectors with a byte for each number: they need a quarter of the memory and no training, and what they
        # find is put in order by the whole vectors, which stay on the disk.
        vector_config=Configure.Vectors.self_provided(
            quantizer=Configure.VectorIndex.Quantizer.rq(bits=8),
            vector_index_config=Configure.VectorIndex.hnsw(
                distance_metric=VectorDistances.DOT, flat_search_cutoff=_COMPARED
            ),
        )
        if index.has_graph
        else Configure.Vectors.self_provided(
            quantizer=Configure.VectorIndex.Quantizer.none(),
            vector_index_config=Configure.VectorIndex.flat(distance_metric=VectorDistances.DOT),
        ),
        inverted_index_config=Configure.inverted_index(bm25_k1=K1, bm25_b=B, stopwords_preset=StopwordsPreset.NONE),
        # Each tenant has indexes of its own, for words, too: nobody's texts count in another's statistics. The first
        # write makes the tenant; one that an operator has made inactive, to save memory, comes back when it is used.
        multi_tenancy_config=Configure.multi_tenancy(
            enabled=True, auto_tenant_creation=True, auto_tenant_activation=True
        )
        if index.is_split
        else None,
    )


def _hidden() -> Property:
    from weaviate.classes.config import DataType, Property

    return Property(name="hidden", data_type=DataType.BOOL)


def _labels() -> Property:
    from weaviate.classes.config import DataType, Property, Tokenization

    return Property(
        name="labels", data_type=DataType.TEXT_ARRAY, tokenization=Tokenization.FIELD, index_searchable=False
    )


def _day() -> Property:
    from weaviate.classes.config import DataType, Property

    return Property(name="day", data_type=DataType.INT, index_range_filters=True)


def _row() -> Property:
    from weaviate.classes.config import DataType

    return _stored("row", DataType.INT)


def _table_header() -> Property:
    from weaviate.classes.config import DataType

    return _stored("table_header", DataType.TEXT)


def _stored(name: str, data_type: DataType) -> Property:
    from weaviate.classes.config import Property

    return Property(name=name, data_type=data_type, index_filterable=False, index_searchable=False)


async def _unless_there(creation: Awaitable[object]) -> None:
    """Somebody else may have been faster. All that matters is that it exists afterwards."""
    from weaviate.exceptions import UnexpectedStatusCodeError

    try:
        await creation
    except UnexpectedStatusCodeError as error:
        if error.status_code != _INVALID:
            raise
