"""Dead letters in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pydantic import TypeAdapter

from ragbase.adapters.embedded.database import Database
from ragbase.domain.dead_letter import DeadLetter
from ragbase.ports import DeadLetterPlace

_DEAD_LETTER = TypeAdapter(DeadLetter)


class SqliteDeadLetters:
    """Implements the DeadLetters port."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, dead_letter: DeadLetter) -> None:
        def save(connection: sqlite3.Connection) -> None:
            known = _find(connection, dead_letter.id)
            kept = replace(dead_letter, first_seen=known.first_seen) if known else dead_letter
            connection.execute(
                "INSERT OR REPLACE INTO dead_letters (id, document_id, last_seen, letter) VALUES (?, ?, ?, ?)",
                (kept.id, kept.document_id, _sortable(kept.last_seen), _DEAD_LETTER.dump_json(kept).decode()),
            )

        self._database.write(save)

    def get(self, id: str) -> DeadLetter | None:
        try:
            return _find(self._database.reader, id)
        except UnicodeEncodeError:  # SQLite's text is UTF-8, so there cannot be such an id
            return None

    def about(self, document_id: str) -> Sequence[DeadLetter]:
        return self._read("WHERE document_id = ? ORDER BY last_seen DESC, id DESC", (document_id,))

    def page(self, *, before: DeadLetter | DeadLetterPlace | None = None, limit: int) -> Sequence[DeadLetter]:
        if before is None:
            return self._read("ORDER BY last_seen DESC, id DESC LIMIT ?", (limit,))
        return self._read(
            "WHERE (last_seen, id) < (?, ?) ORDER BY last_seen DESC, id DESC LIMIT ?",
            (_sortable(before.last_seen), before.id, limit),
        )

    def remove(self, dead_letter: DeadLetter) -> bool:
        def delete(connection: sqlite3.Connection) -> bool:
            where = (dead_letter.id, _sortable(dead_letter.last_seen))
            return connection.execute("DELETE FROM dead_letters WHERE id = ? AND last_seen = ?", where).rowcount == 1

        return self._database.write(delete)

    def _read(self, clauses: str, values: tuple[object, ...]) -> Sequence[DeadLetter]:
        rows = self._database.reader.execute(f"SELECT letter FROM dead_letters {clauses}", values)  # noqa: S608 - constants
        return [_DEAD_LETTER.validate_json(dead_letter) for (dead_letter,) in rows]


def _find(connection: sqlite3.Connection, id: str) -> DeadLetter | None:
    row = connection.execute("SELECT letter FROM dead_letters WHERE id = ?", (id,)).fetchone()
    return _DEAD_LETTER.validate_json(row[0]) if row else None


def _sortable(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
