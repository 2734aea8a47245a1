"""The vector stores, by name: a new one passes its contract suite by an entry here."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from unittest.mock import patch

from qdrant_client import QdrantClient

from ragbase.adapters.embedded import snapshot_files
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.adapters.qdrant.indexes import QdrantIndexes
from ragbase.adapters.weaviate.indexes import WeaviateIndexes
from ragbase.domain.index import Index, index_of
from ragbase.ports import VectorStore
from ragbase.testing.chunks import DIMENSION
from ragbase.testing.vector_store import MemoryVectorStore
from tests.shared_servers import fresh_alias, shared_weaviate

INDEX = index_of("contract", model="model", dimension=DIMENSION, language="english")
GRAPH = index_of("contract", model="model", dimension=DIMENSION, language="english", has_graph=True)


@contextmanager
def _memory() -> Iterator[VectorStore]:
    yield MemoryVectorStore()


@contextmanager
def _sqlite() -> Iterator[VectorStore]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "ragbase.db")
        try:
            yield SqliteVectorStore(database, DIMENSION, "model")
        finally:
            database.close()


@contextmanager
def _sqlite_from_files() -> Iterator[VectorStore]:
    """Each search leaves a file after a change, and the next one starts from it."""
    with patch.multiple(snapshot_files, LEAST_UNSAVED=0, MOST_UNSAVED=0), _sqlite() as store:
        yield store


@contextmanager
def _weaviate(index: Index = INDEX) -> Iterator[VectorStore]:
    server = shared_weaviate()
    with (
        fresh_alias(server) as alias,
        closing(
            WeaviateIndexes(server.url, grpc_url=server.grpc_url, alias=alias, model=INDEX.model, query_seconds=20)
        ) as indexes,
    ):
        yield indexes.open(indexes.ensure(index))


@contextmanager
def _qdrant() -> Iterator[VectorStore]:
    client = QdrantClient(":memory:")
    try:
        indexes = QdrantIndexes(client, alias="contract")
        yield indexes.open(indexes.ensure(INDEX))
    finally:
        client.close()


VECTOR_STORES: Mapping[str, Callable[[], AbstractContextManager[VectorStore]]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "weaviate": _weaviate,
    "weaviate with a graph": lambda: _weaviate(GRAPH),
    "qdrant": _qdrant,
}

SEARCHED_STORES = {**VECTOR_STORES, "sqlite from files": _sqlite_from_files}
"""With one that differs in nothing but where its searches start."""
