"""The tables of one index: its chunks, and which of them were removed lately. Their SQL is in schema.py.

Each index has its own tables, so that it can be dropped as a whole. All are in the one file, whose log keeps their
writes in order with those of the records.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

from ragbase.adapters.embedded.schema import index_schema

_NAME = re.compile(r"[a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Tables:
    """The names of an index's tables."""

    chunks: str
    removals: str


def tables_of(index: str) -> Tables:
    """Raises ValueError for a name that an index cannot have (domain/index.py)."""
    if not _NAME.fullmatch(index):
        raise ValueError(f"An index cannot be named {index!r}: only lower-case letters, digits and _ are allowed.")
    return Tables(f"chunks_{index}", f"removals_{index}")


def create_tables(connection: sqlite3.Connection, index: str, *, is_split: bool = False) -> None:
    """Make those that are missing."""
    tables_of(index)
    for statement in index_schema(index, is_split=is_split).split(";\n"):
        connection.execute(statement)


def drop_tables(connection: sqlite3.Connection, index: str) -> None:
    """Drop those that exist. Their triggers and indexes go with them, and the names of the snapshots' files."""
    tables = tables_of(index)
    connection.execute(f"DROP TABLE IF EXISTS {tables.chunks}")
    connection.execute(f"DROP TABLE IF EXISTS {tables.removals}")
    connection.execute("DELETE FROM snapshot_files WHERE index_name = ?", (index,))
