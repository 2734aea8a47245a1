"""The tables of one index: its chunks, and which of them were removed of late. Each index has its own, so that it goes
as a whole, and all are in the one file, whose log keeps their writes in order with the records'."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

_NAME = re.compile(r"[a-z0-9_]+")

# Chunks with their terms (analysed text) and embeddings (little-endian float32). A replaced chunk gets a new row id, so
# that readers find what is new by row id alone. Removals are logged for them: the last 65,536, without a gap, so that a
# reader sees whether it has missed any.
_TABLES = """
CREATE TABLE IF NOT EXISTS chunks_{index} (
    row_id INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    document_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    part INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    text TEXT NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    header_path TEXT NOT NULL,
    page INTEGER,
    text_hash TEXT NOT NULL,
    terms TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_{index}_by_document ON chunks_{index} (document_id, generation, part, ordinal);
CREATE TABLE IF NOT EXISTS removals_{index} (
    id INTEGER PRIMARY KEY,
    row_id INTEGER NOT NULL
);
CREATE TRIGGER IF NOT EXISTS log_removal_{index} AFTER DELETE ON chunks_{index}
    BEGIN INSERT INTO removals_{index} (row_id) VALUES (old.row_id); END;
CREATE TRIGGER IF NOT EXISTS forget_removal_{index} AFTER INSERT ON removals_{index}
    BEGIN DELETE FROM removals_{index} WHERE id = new.id - 65536; END;
"""


@dataclass(frozen=True, slots=True)
class Tables:
    """The names of an index's tables."""

    chunks: str
    removals: str


def tables_of(index: str) -> Tables:
    """Raises ValueError for a name that an index cannot have (domain/index.py)."""
    if not _NAME.fullmatch(index):
        raise ValueError(f"An index has a name of lower-case letters, digits and underscores, not {index!r}.")
    return Tables(f"chunks_{index}", f"removals_{index}")


def create_tables(connection: sqlite3.Connection, index: str) -> None:
    """Where they are missing."""
    tables_of(index)
    for statement in _TABLES.format(index=index).split(";\n"):
        connection.execute(statement)


def drop_tables(connection: sqlite3.Connection, index: str) -> None:
    """Where they are there. Their triggers and indexes go with them."""
    tables = tables_of(index)
    connection.execute(f"DROP TABLE IF EXISTS {tables.chunks}")
    connection.execute(f"DROP TABLE IF EXISTS {tables.removals}")
