"""The audit log in a SQLite file of its own, audit.db: one chain, which all processes of the data folder continue.

It is apart from ragbase.db, so that an entry does not wait while documents are written, and a copy of one is none of
the other. Triggers refuse every change of an entry. Who owns the file can remove them: the chain shows that.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from ragbase.adapters.embedded.file_lock import opening
from ragbase.adapters.embedded.integrity import is_damage
from ragbase.adapters.embedded.private_files import make_file, make_folder
from ragbase.adapters.embedded.read_only import is_read_only, read_only_uri
from ragbase.adapters.grouped_appends import GroupedAppends
from ragbase.domain.audit import BEGINNING, AuditEntry, Deed
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.ports import EntryPlace

FILE = "audit.db"
CHAIN = "main"
_VERSION = 1
_BUSY_TIMEOUT_MS = 10_000
_SCHEMA = (
    """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    text TEXT NOT NULL,
    hash TEXT NOT NULL
)""",
    "CREATE INDEX entries_by_time ON entries (at, number)",
    """
CREATE TRIGGER no_change BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    """
CREATE TRIGGER no_removal BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
)


class SqliteAuditLog:
    """Implements the AuditLog port. The file is opened, or created for its owner alone, at the first use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._locked = threading.RLock()
        self._groups = GroupedAppends(self._write)
        self._durable = True

    @property
    def can_append(self) -> bool:
        return not self._path.parent.exists() or not is_read_only(self._path)

    def append(self, deeds: Sequence[Deed], *, durable: bool = True) -> Sequence[AuditEntry]:
        return self._groups.append(deeds, durable=durable)

    def chains(self) -> Sequence[str]:
        return (CHAIN,)

    def chain(self, id: str, *, after: int = 0, limit: int) -> Sequence[AuditEntry]:
        if id != CHAIN:
            return []
        return self._read(
            "SELECT number, at, text, hash FROM entries WHERE number > ? ORDER BY number LIMIT ?", after, limit
        )

    def newest(self, *, before: AuditEntry | EntryPlace | None = None, limit: int) -> Sequence[AuditEntry]:
        columns, order = "SELECT number, at, text, hash FROM entries", "ORDER BY at DESC, number DESC LIMIT ?"
        if before is None:
            return self._read(f"{columns} {order}", limit)
        return self._read(f"{columns} WHERE (at, number) < (?, ?) {order}", before.at, before.number, limit)

    def close(self) -> None:
        """May be called twice, and without an open file."""
        with self._locked:
            if "_connection" in self.__dict__:
                self._connection.close()

    def _write(self, deeds: Sequence[Deed], durable: bool) -> Sequence[AuditEntry]:
        entries: list[AuditEntry] = []
        with self._locked:
            try:
                connection = self._connection
                if durable is not self._durable:
                    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                    self._durable = durable
                connection.execute("BEGIN IMMEDIATE")
                try:
                    number, previous = self._head(connection)
                    for deed in deeds:
                        number += 1
                        entry = AuditEntry.after(previous, deed, chain=CHAIN, number=number)
                        row = (number, entry.at, entry.text, entry.hash)
                        connection.execute("INSERT INTO entries (number, at, text, hash) VALUES (?, ?, ?, ?)", row)
                        entries.append(entry)
                        previous = entry.hash
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise _failure(error, "written", self._path) from error
        return entries

    def _head(self, connection: sqlite3.Connection) -> tuple[int, str]:
        row = connection.execute("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1").fetchone()
        return row or (0, BEGINNING)

    def _read(self, query: str, *values: object) -> Sequence[AuditEntry]:
        with self._locked:
            if not self._path.exists():
                return []
            try:
                rows = self._connection.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise _failure(error, "read", self._path) from error
        return [AuditEntry(chain=CHAIN, number=number, at=at, text=text, hash=hash) for number, at, text, hash in rows]

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        try:
            if not self.can_append:
                return sqlite3.connect(read_only_uri(self._path.absolute()), uri=True, check_same_thread=False)
            make_folder(self._path.parent)
            make_file(self._path)
        except OSError as error:
            raise ConfigurationError(f"The audit log {self._path} cannot be opened: {error.strerror}.") from error
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if self._version(connection) == _VERSION:
            return
        with opening(self._path):
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            if self._version(connection) == 0:  # no other process was faster
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.execute("COMMIT")

    def _version(self, connection: sqlite3.Connection) -> int:
        found: int
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        if found > _VERSION:
            raise ConfigurationError(
                f"{self._path} was written by a newer ragbase (format {found}, this one knows {_VERSION}). Upgrade "
                "ragbase, or choose another data folder."
            )
        return found


def _failure(error: sqlite3.Error, done: str, path: Path) -> Exception:
    if is_damage(error):
        return ConfigurationError(
            f"The audit log {path} is damaged: {error}. Keep it, with its files -wal and -shm, elsewhere. Then a new "
            "one begins."
        )
    return Unavailable(f"The audit log {FILE} cannot be {done}: {error}.")
