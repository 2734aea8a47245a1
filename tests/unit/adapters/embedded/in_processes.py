"""What processes do together to one file. A new process imports this module alone, and none of the tests."""

from __future__ import annotations

import sqlite3
from multiprocessing.connection import Connection
from pathlib import Path
from unittest.mock import patch

from ragbase.adapters.embedded import snapshot_files
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.testing.chunks import DIMENSION, document, vector_of

INSERT = "INSERT INTO messages (topic, body, reason, visible_at) VALUES ('t', ?, '', 0)"


def open_and_close(path: Path) -> bool:
    """Whether this process has changed the format of the file."""
    database = Database(path)
    database.close()
    return database.format_change is not None


def open_and_add(path: Path, name: str) -> None:
    database = Database(path)
    add(database, name)
    database.close()


def add(database: Database, body: str | None, *, durable: bool = True, is_one_change: bool = False) -> None:
    def insert(connection: sqlite3.Connection) -> None:
        connection.execute(INSERT, (body,))

    database.write(insert, durable=durable, is_one_change=is_one_change)


def write_and_search(path: Path, name: str, searched: Connection) -> None:
    """Replace a document again and again, and search after each write. Each search writes a file."""
    database = Database(path)
    with patch.multiple(snapshot_files, LEAST_UNSAVED=0, MOST_UNSAVED=0):
        for step in range(1, 1_000):
            store = SqliteVectorStore(database, DIMENSION, "model")
            store.write(document(name, [f"{name} {step} {i}" for i in range(20)]))
            candidates = store.search(vector_of(name), [name, str(step)], 1_000)
            assert candidates.frequency[name] == 20
            assert candidates.frequency[str(step)] >= 20
            assert candidates.passages == len(candidates.hits)
            searched.send(step)


def write_until_killed(path: Path, written: Connection) -> None:
    store = SqliteVectorStore(Database(path), DIMENSION, "model")
    number = 0
    while True:
        store.write(document(f"document{number}", [f"{number} {i}" for i in range(40)]))
        written.send(number)
        number += 1
