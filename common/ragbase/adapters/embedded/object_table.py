"""The table `objects`: the live generation of each name, and the last generation of each deleted name."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ragbase.adapters.embedded.folder_files import Mark
from ragbase.ports import StoredObject

_COLUMNS = "name, generation, size, md5, content_type, metadata, live, modified_ns, inode, written_us"
_PAGE = 500
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(moment: datetime) -> int:
    """The microseconds from 1970 to the moment."""
    return (moment - EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known about a name. `mark` is the mark of its file when it was last read."""

    stored: StoredObject
    live: bool
    mark: Mark


class ObjectTable:
    """Reads and writes entries through the connection that each call is given."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket

    def get(self, connection: sqlite3.Connection, name: str) -> Entry | None:
        return next(iter(self.get_many(connection, [name])), None)

    def get_many(self, connection: sqlite3.Connection, names: Sequence[str]) -> list[Entry]:
        """The entries that exist among these, live or not."""
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM objects WHERE name IN (SELECT value FROM json_each(?))",  # noqa: S608 - a constant
            (json.dumps(list(names)),),
        )
        return [self._entry(row) for row in rows]

    def page(self, connection: sqlite3.Connection, start: str) -> list[Entry]:
        """The next live entries from `start` on, by name (by code point, as Python sorts). Empty after the last."""
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM objects WHERE live AND name >= ? ORDER BY name LIMIT ?",  # noqa: S608 - a constant
            (start, _PAGE),
        )
        return [self._entry(row) for row in rows]

    def marks(self, connection: sqlite3.Connection) -> dict[str, Mark]:
        """The marks of all live entries, by name."""
        rows = connection.execute("SELECT name, size, modified_ns, inode FROM objects WHERE live")
        return {name: Mark(size, modified_ns, inode) for name, size, modified_ns, inode in rows}

    def save(self, connection: sqlite3.Connection, entry: Entry) -> None:
        stored = entry.stored
        connection.execute(
            f"INSERT OR REPLACE INTO objects ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - a constant
            (
                stored.name,
                stored.generation,
                stored.size,
                stored.md5,
                stored.content_type,
                json.dumps(dict(stored.metadata), ensure_ascii=False),
                entry.live,
                entry.mark.modified_ns,
                entry.mark.inode,
                microseconds(stored.written_at),
            ),
        )

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        name, generation, size, md5, content_type, metadata, live, modified_ns, inode, written_us = row
        stored = StoredObject(
            bucket=self._bucket,
            name=name,
            generation=generation,
            size=size,
            md5=md5,
            content_type=content_type,
            metadata=json.loads(metadata),
            written_at=EPOCH + timedelta(microseconds=written_us),
        )
        return Entry(stored, bool(live), Mark(size, modified_ns, inode))
