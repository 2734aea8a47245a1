"""Checkpoints in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from ragbase.adapters.embedded.database import Database


class SqliteCheckpoints:
    """Implements the Checkpoints port."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, name: str) -> str | None:
        return _read(self._database.reader, name)

    def save(self, name: str, text: str | None) -> None:
        self._database.write(lambda connection: _write(connection, name, text))

    def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
        def work(connection: sqlite3.Connection) -> str | None:
            before = _read(connection, name)
            after = change(before)
            if after != before:
                _write(connection, name, after)
            return after

        return self._database.write(work)


def _read(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT text FROM checkpoints WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def _write(connection: sqlite3.Connection, name: str, text: str | None) -> None:
    if text is None:
        connection.execute("DELETE FROM checkpoints WHERE name = ?", (name,))
    else:
        connection.execute("INSERT OR REPLACE INTO checkpoints (name, text) VALUES (?, ?)", (name, text))
