"""What the tests of the embedded profile's adapters share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.testing.chunks import DIMENSION
from tests.unit.adapters.embedded.folder_place import Place


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "ragbase.db")
    yield database
    database.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of a database that is not there yet, in a folder of its own."""
    return tmp_path / "home" / "ragbase.db"


@pytest.fixture
def opened(path: Path) -> Iterator[Callable[[], SqliteVectorStore]]:
    """Opens the one file again and again, as another process would."""
    databases: list[Database] = []

    def open_again() -> SqliteVectorStore:
        databases.append(Database(path))
        return SqliteVectorStore(databases[-1], DIMENSION, "model")

    yield open_again
    for database in databases:
        database.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.close()


@pytest.fixture
def bucket(place: Place) -> FolderBucket:
    return place.process()
