"""The adapters of the Indexes port, by name: a new one passes its contract suite by an entry here."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from qdrant_client import QdrantClient

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.indexes import SqliteIndexes
from ragbase.adapters.qdrant.indexes import QdrantIndexes
from ragbase.adapters.weaviate.indexes import WeaviateIndexes
from ragbase.ports import Indexes
from ragbase.testing.contracts.indexes import Opened
from ragbase.testing.indexes import MemoryIndexes
from tests.shared_servers import fresh_alias, shared_weaviate


@contextmanager
def _memory() -> Iterator[Opened]:
    indexes = MemoryIndexes()
    yield lambda: indexes


@contextmanager
def _sqlite() -> Iterator[Opened]:
    databases: list[Database] = []
    with tempfile.TemporaryDirectory() as folder:

        def open_again() -> Indexes:
            databases.append(Database(Path(folder) / "ragbase.db"))
            return SqliteIndexes(databases[-1])

        try:
            yield open_again
        finally:
            for database in databases:
                database.close()


@contextmanager
def _weaviate() -> Iterator[Opened]:
    server = shared_weaviate()
    with fresh_alias(server) as alias, ExitStack() as opened:

        def open_again() -> Indexes:
            indexes = WeaviateIndexes(
                server.url, grpc_url=server.grpc_url, alias=alias, model="model-8", query_seconds=20
            )
            opened.callback(indexes.close)
            return indexes

        yield open_again


@contextmanager
def _qdrant() -> Iterator[Opened]:
    client = QdrantClient(":memory:")
    try:
        # One connection for all: the client's local mode allows one caller at a time, and the connection ensures that.
        indexes = QdrantIndexes(client, alias="indexes")
        yield lambda: indexes
    finally:
        client.close()


INDEXES: Mapping[str, Callable[[], AbstractContextManager[Opened]]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "weaviate": _weaviate,
    "qdrant": _qdrant,
}
