"""The order of changes in SQLite. The statement that writes a record gives it its number (document_store.py), and
SQLite writes one transaction after the other: so the numbers have the order of the commits, over all processes."""

from __future__ import annotations

import threading

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import seen_condition
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.ports.changes import ChangedIds


class SqliteChanges:
    """Implements the Changes port."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known = _Known()

    def latest(self) -> int:
        version = self._database.version
        if version is None or version != self._known.version:
            self._known.version, self._known.latest = version, self._read_latest()
        return self._known.latest

    def after(self, number: int, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> ChangedIds:
        latest = self._read_latest()  # first: what is changed after this has a higher number
        seen, values = seen_condition(tenant, reach)
        rows = self._database.reader.execute(
            f"""
            SELECT id, change FROM documents INDEXED BY documents_by_change
            WHERE change > ?{seen} ORDER BY change DESC LIMIT ?
            """,  # noqa: S608 - our own conditions
            (number, *values, limit + 1),
        ).fetchall()
        newest = max((latest, *(change for _, change in rows[:1])))
        return ChangedIds([id for id, _ in reversed(rows[:limit])], newest, len(rows) > limit)

    def _read_latest(self) -> int:
        (latest,) = self._database.reader.execute("SELECT max(change) FROM documents").fetchone()
        return latest or 0


class _Known(threading.local):
    """What this thread has read of a version of the file. As long as nobody commits, it asks SQLite for the version
    alone."""

    def __init__(self) -> None:
        self.version: int | None = None
        self.latest = 0
