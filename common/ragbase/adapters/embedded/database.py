"""The one SQLite file that holds records, chunks, vectors and the queue, and how it is written.

Many threads, and many processes, may use it at once. Writes of threads that come together share one transaction and so
one wait for the disk (group commit); each still succeeds or fails alone, and returns only when it is durable.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from ragbase.adapters.embedded.schema import SCHEMA
from ragbase.domain.errors import ConfigurationError, TransientError

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]

FORMAT_VERSION = 1
"""Kept in the file as `user_version`. A file of a newer version is refused rather than misread."""

_BUSY_TIMEOUT_MS = 10_000
_GROUP = 64
"""The most writes that share a transaction: it bounds how long others wait for the file."""


class Database:
    """A SQLite file with one connection for writing and one for reading a thread."""

    def __init__(self, path: Path, schema: str = SCHEMA) -> None:
        """Open the file, or create it with `schema`.

        Raises ConfigurationError where the file cannot be opened, is no database, or is of a newer version.
        """
        self._path = path
        self._pending: list[_Write[Any]] = []
        self._pending_lock = threading.Lock()
        self._writing = threading.Lock()
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._closed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._connect()
            self._prepare(schema)
        except (sqlite3.Error, OSError) as error:
            raise ConfigurationError(
                f"{path} cannot be opened as ragbase's database: {error}. Choose another data folder with --home or "
                "RAGBASE_HOME, or restore the file."
            ) from error

    def write(self, work: Work[Result]) -> Result:
        """Run `work` in a transaction and return its result once it is durable. Raising undoes its changes alone.

        `work` may run in the thread of another writer, and must not touch this database but through its connection.
        Raises TransientError where the file stays locked or the disk fails.
        """
        request = _Write(work)
        with self._pending_lock:
            self._pending.append(request)
        with self._writing:
            # Whoever comes first writes for all that are waiting; the others find their work done.
            if not request.done:
                self._write_pending()
        return request.outcome()

    @property
    def reader(self) -> sqlite3.Connection:
        """This thread's connection for reading. Every statement sees one consistent state of the file."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
            with self._pending_lock:
                self._readers.append(connection)
        return connection

    def close(self) -> None:
        """Close all connections. No thread may be using the database any more."""
        with self._writing, self._pending_lock:
            if self._closed:
                return
            self._closed = True
            for connection in (*self._readers, self._writer):
                connection.close()

    def _connect(self) -> sqlite3.Connection:
        # Connections move between threads only under a lock, which is what SQLite asks for.
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, cached_statements=256)
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA mmap_size = 268435456")
        return connection

    def _prepare(self, schema: str) -> None:
        (found,) = self._writer.execute("PRAGMA user_version").fetchone()
        if found > FORMAT_VERSION:
            raise ConfigurationError(
                f"{self._path} was written by a newer ragbase (format {found}, this one knows {FORMAT_VERSION}). "
                "Upgrade ragbase, or choose another data folder."
            )
        if found == FORMAT_VERSION:
            return
        self._writer.execute("PRAGMA journal_mode = WAL")
        self._writer.execute("BEGIN IMMEDIATE")
        (found,) = self._writer.execute("PRAGMA user_version").fetchone()
        if found == 0:  # no other process was faster
            for statement in schema.split(";\n"):
                self._writer.execute(statement)
            self._writer.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
        self._writer.execute("COMMIT")

    def _write_pending(self) -> None:
        while True:
            with self._pending_lock:
                group, self._pending = self._pending[:_GROUP], self._pending[_GROUP:]
            if not group:
                return
            try:
                self._commit(group)
            except sqlite3.Error as error:
                failure = TransientError(f"{self._path}: {error}")
                for request in group:
                    request.fail(failure)

    def _commit(self, group: list[_Write[Any]]) -> None:
        connection = self._writer
        connection.execute("BEGIN IMMEDIATE")
        try:
            for request in group:
                request.run(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        for request in group:
            request.done = True


class _Write(Generic[Result]):
    """One caller's work, and what came of it."""

    __slots__ = ("_error", "_result", "_work", "done")

    def __init__(self, work: Work[Result]) -> None:
        self._work = work
        self._result: Result | None = None
        self._error: BaseException | None = None
        self.done = False

    def run(self, connection: sqlite3.Connection) -> None:
        connection.execute("SAVEPOINT work")
        try:
            self._result = self._work(connection)
        except Exception as error:  # noqa: BLE001 - raised in the caller's thread by outcome()
            self._error = error
            connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")

    def fail(self, error: Exception) -> None:
        self._error = error
        self.done = True

    def outcome(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]  # run() has set it: None only where Result allows None
