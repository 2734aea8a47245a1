"""A data folder with a folder bucket, for several processes at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.system.clock import SystemClock
from ragbase.domain.object_event import ObjectEvent


class Place:
    """A data folder, and processes that use it at once."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "bucket"
        self.events: list[tuple[str, str]] = []
        self._databases: list[Database] = []

    def process(self, announce: Callable[[sqlite3.Connection, ObjectEvent], None] | None = None) -> FolderBucket:
        database = Database(self.home / "ragbase.db")
        self._databases.append(database)
        return FolderBucket(
            self.folder,
            self.home / "staging",
            database,
            name="bucket",
            announce=announce or (lambda _, event: self.events.append((event.kind.value, event.name))),
            clock=SystemClock(),
        )

    def write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def close(self) -> None:
        for database in self._databases:
            database.close()


def content(bucket: FolderBucket) -> dict[str, bytes]:
    return {stored.name: bucket.read(stored.name, stored.generation) for stored in bucket.list()}
