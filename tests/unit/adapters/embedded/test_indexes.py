"""What a file of the first format becomes: its chunks are an index like any other, and its records name it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.indexes import SqliteIndexes
from ragbase.adapters.embedded.schema import SCHEMA
from ragbase.domain.index import Index, index_of
from ragbase.testing.chunks import DIMENSION, document, unit

RECORD = {
    "id": "a",
    "bucket": "bucket",
    "name": "a.md",
    "updated_at": "2025-01-01T00:00:00Z",
    "active": {"generation": 1},
}


def first_format(path: Path, *, chunks: bool) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in SCHEMA[0].split(";\n"):
            connection.execute(statement)
        connection.execute("INSERT INTO embedding_model VALUES ('old-model')")
        connection.execute(
            "INSERT INTO documents (id, status, tombstone, created_at, record) VALUES ('a', 'COMPLETED', 0, '2025', ?)",
            (json.dumps(RECORD),),
        )
        if chunks:
            connection.execute(
                "INSERT INTO chunks (id, document_id, generation, part, ordinal, text, char_start, char_end, "
                "header_path, text_hash, terms, vector) VALUES ('c', 'a', 1, 0, 0, 'kept', 0, 4, '[]', 'h', 'kept', ?)",
                (unit(1).astype(np.float32).tobytes(),),
            )
        connection.execute("PRAGMA user_version = 1")
        connection.commit()


def test_what_the_first_format_held_is_the_current_index(tmp_path: Path) -> None:
    first_format(tmp_path / "ragbase.db", chunks=True)
    with closing(Database(tmp_path / "ragbase.db")) as database:
        indexes = SqliteIndexes(database)
        live = indexes.current()
        assert live == Index(name="first", model="old-model", dimension=DIMENSION, language="english")
        vectors = indexes.open(live)
        assert [hit.chunk.text for hit in vectors.search(unit(1), ["kept"], 5).hits] == ["kept"]
        vectors.delete("a", generation=1)
        vectors.write(document("b", ["new"]))
        assert [hit.chunk.text for hit in vectors.search(unit(1), [], 5).hits] == ["new"]
        assert vectors.held(["b"]) == {"b": {1: 1}}
        (record,) = database.reader.execute("SELECT record FROM documents").fetchone()
        assert json.loads(record) == {**RECORD, "active": {"generation": 1, "index": "first"}}


def test_a_first_format_without_chunks_has_no_index_yet(tmp_path: Path) -> None:
    first_format(tmp_path / "ragbase.db", chunks=False)
    with closing(Database(tmp_path / "ragbase.db")) as database:
        indexes = SqliteIndexes(database)
        assert indexes.current() is None
        wanted = index_of("", model="new-model", dimension=DIMENSION, language="english")
        assert indexes.ensure(wanted) == wanted == indexes.current()
