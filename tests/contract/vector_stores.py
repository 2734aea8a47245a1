"""The vector stores, by name: a new one passes its contract suite by an entry here."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.adapters.memory.vector_store import MemoryVectorStore
from ragbase.ports import VectorStore
from tests.contract.chunks import DIMENSION


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


VECTOR_STORES: Mapping[str, Callable[[], AbstractContextManager[VectorStore]]] = {"memory": _memory, "sqlite": _sqlite}
