"""The indexes in Qdrant: a collection for each, and an alias that names the current one.

Queries and writes use a collection's own name, not the alias. So a query's vector and the chunks that it is compared
with are always of the same model, even if the alias changes meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragbase.adapters.qdrant.connection import QdrantConnection
from ragbase.adapters.qdrant.points import DAY, DENSE, HIDDEN, LABELS, SPARSE, TENANT, points_of_tenant
from ragbase.adapters.qdrant.vector_store import QdrantVectorStore
from ragbase.adapters.remembered_index import RememberedIndex
from ragbase.domain.errors import ConfigurationError, IndexGone
from ragbase.domain.index import Index
from ragbase.domain.tenant import Tenancy

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

_TENANTS = 1_000_000
"""More tenants than a collection is likely to have."""
_LINKS = 16
"""Of a point in its tenant's graph: Qdrant's default for a graph over all points."""
_CONFLICT = 409
"""The status if somebody else has just created the collection."""


class QdrantIndexes:
    """Implements the Indexes port. Any thread may call it."""

    def __init__(self, client: QdrantClient, *, alias: str) -> None:
        """Nothing is sent yet."""
        self._connection = QdrantConnection(client)
        self._alias = alias
        self._remembered = RememberedIndex()

    def check(self) -> Index | None:
        """The same as `current`: there is no cheaper way to find out whether the settings fit the server."""
        return self.current()

    def current(self) -> Index | None:
        def ask() -> Index | None:
            with self._connection.asking() as client:
                return self._current(client)

        return self._remembered.get(ask)

    def ensure(self, index: Index) -> Index:
        self._remembered.forget()
        with self._connection.asking() as client:
            current = self._current(client)
            if current is not None and (current.name == index.name or client.count(self._collection(current)).count):
                return current
            if current is None and client.collection_exists(self._alias):
                raise ConfigurationError(
                    f"There is a collection {self._alias}, so no alias can have this name. Set `qdrant_collection` to "
                    "another name."
                )
            self._add(client, index)
            self._point_at(client, index)
            if current is not None:
                client.delete_collection(self._collection(current))
            return self._current(client) or index

    def open(self, index: Index, tenant: str = "", *, create: bool = True) -> QdrantVectorStore:
        index.check_tenant(tenant)
        if create:
            with self._connection.asking() as client:
                self._add(client, index)
        return QdrantVectorStore(
            self._connection,
            collection=self._collection(index),
            dimension=index.dimension,
            tenant=tenant if index.is_split else None,
        )

    def tenants(self, index: Index) -> Sequence[str]:
        with self._connection.asking() as client:
            if not index.is_split:
                return [""] if client.count(self._collection(index)).count else []
            found = client.facet(self._collection(index), TENANT, limit=_TENANTS, exact=True).hits
        return sorted(str(one.value) for one in found)

    def all(self) -> Sequence[Index]:
        with self._connection.asking() as client:
            names = [one.name for one in client.get_collections().collections]
            found = [self._index(client, name) for name in names if name.startswith(f"{self._alias}_")]
        return sorted((index for index in found if index is not None), key=lambda index: index.name)

    def make_current(self, index: Index) -> None:
        with self._connection.asking() as client:
            if not client.collection_exists(self._collection(index)):
                raise IndexGone(f"There is no index {index.name}.")
            self._point_at(client, index)
        self._remembered.forget()

    def drop(self, index: Index) -> None:
        with self._connection.asking() as client:
            if self._current(client) == index:
                raise ValueError(f"{index.name} is the current index.")
            client.delete_collection(self._collection(index))

    def drop_tenant(self, index: Index, tenant: str) -> None:
        from qdrant_client.models import FilterSelector

        index.check_split()
        which = points_of_tenant(tenant)
        assert which is not None  # noqa: S101 - a tenant is named
        with self._connection.asking() as client:
            client.delete(self._collection(index), FilterSelector(filter=which), wait=True)

    def _collection(self, index: Index) -> str:
        return f"{self._alias}_{index.name}"

    def _current(self, client: QdrantClient) -> Index | None:
        aliases = client.get_aliases().aliases
        name = next((one.collection_name for one in aliases if one.alias_name == self._alias), None)
        return self._index(client, name) if name is not None else None

    def _index(self, client: QdrantClient, collection: str) -> Index | None:
        """The index that the collection's metadata describe; None if it is not one of ragbase's."""
        metadata: dict[str, Any] = dict(client.get_collection(collection).config.metadata or {})
        if not metadata.keys() >= {"model", "dimension", "language"}:
            return None
        tenancy = Tenancy(metadata.pop("tenancy", Tenancy.NONE))
        return Index(name=collection.removeprefix(f"{self._alias}_"), tenancy=tenancy, **metadata)

    def _point_at(self, client: QdrantClient, index: Index) -> None:
        """In one step: if the alias exists, it is taken from the other collection."""
        from qdrant_client.models import CreateAlias, CreateAliasOperation

        alias = CreateAlias(collection_name=self._collection(index), alias_name=self._alias)
        client.update_collection_aliases([CreateAliasOperation(create_alias=alias)])

    def _add(self, client: QdrantClient, index: Index) -> None:
        """Make the collection if it is missing."""
        from qdrant_client.http.exceptions import UnexpectedResponse
        from qdrant_client.models import (
            Distance,
            HnswConfigDiff,
            KeywordIndexParams,
            KeywordIndexType,
            Modifier,
            PayloadSchemaType,
            SparseVectorParams,
            VectorParams,
        )

        name = self._collection(index)
        if not client.collection_exists(name):
            try:
                client.create_collection(
                    name,
                    # Dot product: the vectors have unit length, so it equals the cosine, and they are stored unchanged.
                    vectors_config={DENSE: VectorParams(size=index.dimension, distance=Distance.DOT)},
                    # The modifier weighs a word by its frequency among the passages of all tenants.
                    sparse_vectors_config={
                        SPARSE: SparseVectorParams(modifier=None if index.is_split else Modifier.IDF)
                    },
                    # A graph for each tenant, and none over all
                    # (https://qdrant.tech/documentation/manage-data/multitenancy).
                    hnsw_config=HnswConfigDiff(m=0, payload_m=_LINKS) if index.is_split else None,
                    metadata={
                        "model": index.model,
                        "dimension": index.dimension,
                        "language": index.language,
                        **({"tenancy": index.tenancy.value} if index.is_split else {}),
                    },
                )
            except UnexpectedResponse as error:
                if error.status_code != _CONFLICT:  # somebody else was faster
                    raise
        # Every field that a filter or a facet names. Qdrant Cloud refuses a filter over any other field
        # (https://qdrant.tech/documentation/cloud/configure-cluster), and a facet needs an index everywhere. An index
        # for integers is one for matches and for ranges, if nothing else is said
        # (https://qdrant.tech/documentation/manage-data/indexing). All are made before the first point, because a graph
        # takes only the indexes into account that are there when it is built.
        if not self._connection.is_local:  # the local mode has no payload indexes
            indexed = client.get_collection(name).payload_schema
            if index.is_split and TENANT not in indexed:
                by_tenant = KeywordIndexParams(type=KeywordIndexType.KEYWORD, is_tenant=True)
                client.create_payload_index(name, TENANT, by_tenant, wait=True)
            for field, schema in (
                ("document_id", PayloadSchemaType.KEYWORD),
                ("generation", PayloadSchemaType.INTEGER),
                ("words", PayloadSchemaType.KEYWORD),
                ("term_count", PayloadSchemaType.INTEGER),
                (LABELS, PayloadSchemaType.KEYWORD),
                (DAY, PayloadSchemaType.INTEGER),
                (HIDDEN, PayloadSchemaType.BOOL),
                ("ordinal", PayloadSchemaType.INTEGER),
            ):
                if field not in indexed:  # the collection is new, or an older version has made it
                    client.create_payload_index(name, field, schema, wait=True)
