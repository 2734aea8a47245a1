"""Checkpoints in SQLite."""

from __future__ import annotations

from ragbase.adapters.embedded.database import Database


class SqliteCheckpoints:
    """Implements the Checkpoints port."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, name: str) -> str | None:
        row = self._database.reader.execute("SELECT text FROM checkpoints WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def save(self, name: str, text: str | None) -> None:
        if text is None:
            self._database.write(
                lambda connection: connection.execute("DELETE FROM checkpoints WHERE name = ?", (name,))
            )
        else:
            self._database.write(
                lambda connection: connection.execute(
                    "INSERT OR REPLACE INTO checkpoints (name, text) VALUES (?, ?)", (name, text)
                )
            )
