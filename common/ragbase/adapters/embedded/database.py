"""The one SQLite file for records, chunks, vectors and the queue, and how it is written.

Many threads and many processes may use it at once. Writes that several threads make at the same time share one
transaction (group commit). One thread may make several in one transaction, too (`together`). Each write still succeeds
or fails alone.

A write that users learn of is *durable*: it returns when it has reached the disk, together with everything written
before. The steps in between only have to be in order, and the write-ahead log keeps that order by itself. If a power
failure loses the end of the log, the whole state goes back to an earlier moment, and the work goes on from there. A
killed process loses nothing in either case. So a document waits for the disk twice: for its upload and for its flip.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragbase import telemetry
from ragbase.adapters.embedded.disk_room import DiskRoom, is_full, refusal
from ragbase.adapters.embedded.file_format import (
    FORMAT_VERSION,
    FormatChange,
    bring_up_to_date,
    check_format,
    format_version,
    remove_old_copies,
)
from ragbase.adapters.embedded.file_lock import opening
from ragbase.adapters.embedded.integrity import damaged, is_damage
from ragbase.adapters.embedded.private_files import make_file, make_folder, tighten
from ragbase.adapters.embedded.read_only import is_read_only, read_only_uri
from ragbase.adapters.embedded.tidy import empty_log, free_pages, log_size, remove_snapshots
from ragbase.adapters.embedded.writes import Result, Together, Work, Write
from ragbase.domain.errors import ConfigurationError, NewerFormat, Unavailable

_BUSY_TIMEOUT_MS = 10_000
_PATIENCE_MS = 2_000
"""How long a full disk waits for those who read, to empty the log."""
_CHECKPOINT_PAGES = 10_000
"""Pages of 4 KB after which the write-ahead log is copied into the file. SQLite's 1,000 slow ingestion by a tenth."""
_LOOKED_AT_FORMAT = 1.0
"""Seconds for which a thread that only reads relies on the format that it has seen. Each look costs as much as a small
read."""
_GROUP = 64
"""The most writes in one transaction. It limits how long others wait for the file."""


class Database:
    """A SQLite file with one connection for writing, and one for reading in each thread.

    As soon as SQLite says that the file is damaged, every use raises ConfigurationError: nobody waits for work that
    cannot be done, and no document is blamed. So does every use after a newer ragbase has changed the format
    (NewerFormat): no write comes through, and a read sees it within _LOOKED_AT_FORMAT.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or create it. What may not be written is opened for reading: `write` then raises.
        `format_change` says that it had an older format.

        Raises ConfigurationError if the file cannot be opened, is not a database, or is of a newer version.
        """
        self.path = path
        self.format_change: FormatChange | None = None
        self.room = DiskRoom(path.parent)
        self._pending: list[Write[Any]] = []
        self._pending_lock = threading.Lock()
        self._writing = threading.Lock()
        self._durable = True
        self._written = 0
        self._refusal: ConfigurationError | None = None
        """Why nobody can work with the file any more."""
        self._looked_at_format = time.monotonic()
        self._local = threading.local()
        self._readers: weakref.WeakSet[_Reader] = weakref.WeakSet()
        self._writer: sqlite3.Connection | None = None
        if self.room.is_used_up:
            remove_snapshots(path.parent)
        try:
            make_folder(path.parent)
            self.is_read_only = is_read_only(path)
            if self.is_read_only:
                self._check_readable()
            else:
                with opening(path):
                    make_file(path)  # SQLite would make it as the umask says
                    tighten(str(path))
                    self._writer = self._open()
                    remove_old_copies(path)
        except (sqlite3.Error, OSError) as error:
            remedy = "Choose another data folder with --home or RAGBASE_HOME, or restore the file."
            if is_full(error) or (isinstance(error, OSError) and error.errno == errno.ENOSPC):
                remedy = "Free a few megabytes on its disk to begin with. Then delete documents, if it needs more."
            raise ConfigurationError(f"{path} cannot be opened as ragbase's database: {error}. {remedy}") from error

    def write(self, work: Work[Result], *, durable: bool = True, is_one_change: bool = False) -> Result:
        """Run `work` in a transaction and return its result after the commit. If it fails, only its changes are undone.
        If a single statement makes all of them, and nothing can fail after it (`is_one_change`), SQLite does so itself,
        and that costs less.

        `work` may run in the thread of another writer. It must use this database only through the given connection.
        Raises Unavailable if the file stays locked or the disk fails, and ConfigurationError if it is read-only.
        """
        self._check_usable()
        self.check_writable()
        request = Write(work, durable=durable, is_one_change=is_one_change)
        if self._mine is not None:
            self._mine.run(request)
            return request.outcome()
        with self._pending_lock:
            self._pending.append(request)
        with self._writing:
            # The first thread writes for all that are waiting. The others find their work done.
            while not request.done:
                self._write_group()
        return request.outcome()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Until the context is left, what this thread writes is one transaction, and it reads what it has written. Each
        write still succeeds or fails alone. An error that leaves the context undoes all. Leaving it is durable.

        Nobody else can write meanwhile, so this has to be short, and may not wait for what another thread does.
        Raises as `write` does.
        """
        self._check_usable()
        self.check_writable()
        with self._writing:
            connection = self._begin(durable=True)
            mine = self._local.mine = Together(self.path, connection)
            try:
                yield
                mine.check()
                connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise Unavailable(refusal(self.path, error)) from error
            finally:
                self._local.mine = None
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        for callback in mine.callbacks:
            callback()

    def after_commit(self, callback: Callable[[], object]) -> None:
        """Call it as soon as others see what this thread has written: now, or after `together`, if that ends well."""
        if self._mine is None:
            callback()
        else:
            self._mine.callbacks.append(callback)

    def check_room(self, size: int = 0) -> None:
        """Raises Unavailable if there is no room for a file of this size, and ConfigurationError if nobody can work
        with the database any more. The log counts twice: SQLite copies it into the file before it ends. So it is
        emptied first if it is in the way."""
        self._check_usable()
        if self.room.missing(size + log_size(self.path)):
            with self._writing:
                if self.room.missing(size + log_size(self.path)):  # nobody has emptied it meanwhile
                    self._tidy(empty_log, patience_ms=_PATIENCE_MS)
            self.room.check(size + log_size(self.path))

    def tidy(self, *, at_end: bool = False) -> None:
        """Give room back to the disk if nobody has written since the last call, or if the work is `at_end`. Call it now
        and then. It takes a second at most, but for a file that an older version has made (tidy.py)."""
        if not self._writing.acquire(blocking=False):
            return
        try:
            written, self._written = self._written, 0
            if at_end or not written:
                remove_old_copies(self.path)
                self._tidy(free_pages, patience_ms=0)
                self._tidy(empty_log, patience_ms=0)
        finally:
            self._writing.release()

    def _tidy(self, step: Callable[[sqlite3.Connection, Path], object], *, patience_ms: int) -> None:
        """Nobody waits longer for those who read. What fails is tried again later."""
        connection = self._writer
        if connection is None or self._refusal is not None:
            return
        connection.execute(f"PRAGMA busy_timeout = {patience_ms}")
        try:
            step(connection, self.path)
        except sqlite3.Error as error:
            telemetry.log("database.not_tidied", path=str(self.path), reason=str(error))
        finally:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")

    def check_writable(self) -> None:
        """Raise ConfigurationError if the database is read-only."""
        if self.is_read_only:
            raise ConfigurationError(
                f"{self.path.parent} cannot be written, so that only query, list and status work. Make the folder and "
                "its files writable, or choose another data folder with --home or RAGBASE_HOME."
            )

    @property
    def reader(self) -> sqlite3.Connection:
        """This thread's connection for reading. Every statement sees one consistent state of the file."""
        self._check_usable()
        if self._mine is not None:
            return self._mine.connection
        reader: _Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = _Reader(self._connect())
            reader.connection.execute("PRAGMA query_only = ON")
            self._local.reader = reader
            with self._pending_lock:
                self._readers.add(reader)
        if (now := time.monotonic()) >= self._looked_at_format + _LOOKED_AT_FORMAT:
            self._looked_at_format = now
            self._refuse_newer(reader.connection)
        return reader.connection

    @property
    def version(self) -> int | None:
        """A number that stays the same until anybody commits a change. Only this thread may compare it. None within
        `together`, where this thread reads what it has not committed."""
        reader = self.reader
        if self._mine is not None:
            return None
        version: int
        (version,) = reader.execute("PRAGMA data_version").fetchone()
        return version

    def close(self) -> None:
        """Close all connections. No thread may still be using the database. May be called twice."""
        with self._writing, self._pending_lock:
            for reader in self._readers:
                reader.connection.close()
            if self._writer is not None:
                self._writer.close()

    @property
    def _mine(self) -> Together | None:
        """The transaction that this thread has open."""
        mine: Together | None = getattr(self._local, "mine", None)
        return mine

    def _explain(self, error: sqlite3.DatabaseError, connection: sqlite3.Connection) -> None:
        """Raises ConfigurationError if nobody can work with the file any more."""
        if is_damage(error):
            self._refusal = damaged(self.path, str(error))
            raise self._refusal from error
        if "no such" in str(error) or "has no column" in str(error):
            self._refuse_newer(connection)

    def _refuse_newer(self, connection: sqlite3.Connection) -> None:
        """Raises NewerFormat if a newer ragbase has changed the format since this one has opened the file: what
        this one reads and writes may mean something else now."""
        if (found := format_version(connection)) > FORMAT_VERSION:
            self._refusal = NewerFormat(
                f"A newer ragbase has changed the format of {self.path} to {found}, and this process knows format "
                f"{FORMAT_VERSION}. Stop it, and start the newer ragbase. Nothing is lost."
            )
            raise self._refusal

    def _check_usable(self) -> None:
        if self._refusal is not None:
            raise type(self._refusal)(str(self._refusal))

    def _connect(self) -> sqlite3.Connection:
        # Connections move between threads only under a lock, which is what SQLite asks for.
        connection = sqlite3.connect(
            read_only_uri(self.path) if self.is_read_only else self.path,
            uri=self.is_read_only,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            factory=_Connection,
        )
        connection.explain = self._explain
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA mmap_size = 268435456")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        return connection

    def _open(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            connection.execute("PRAGMA synchronous = FULL")
            self.format_change = bring_up_to_date(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_readable(self) -> None:
        """Raise ConfigurationError if there is nothing to read, or if it would have to be brought up to date first."""
        if not self.path.exists():
            raise ConfigurationError(
                f"{self.path.parent} has no {self.path.name} and cannot be written. Make the folder writable, or "
                "choose another data folder with --home or RAGBASE_HOME."
            )
        found = check_format(self.reader, self.path)
        if found < FORMAT_VERSION:
            raise ConfigurationError(
                f"{self.path} was written by an older ragbase (format {found}, this one needs {FORMAT_VERSION}). Run "
                "any ragbase command once where the folder can be written."
            )

    def _write_group(self) -> None:
        with self._pending_lock:
            group, self._pending = self._pending[:_GROUP], self._pending[_GROUP:]
        try:
            self._commit(group)
        except BaseException as error:
            if is_full(error):  # so that the next try may find room
                remove_snapshots(self.path.parent)
                self._tidy(empty_log, patience_ms=0)
            lone = len(group) == 1 and isinstance(error, Exception) and not isinstance(error, sqlite3.Error)
            for request in group:
                request.fail(error if lone else Unavailable(refusal(self.path, error)))
            if not isinstance(error, Exception):
                raise

    def _commit(self, group: list[Write[Any]]) -> None:
        connection = self._begin(durable=any(request.durable for request in group))
        try:
            if len(group) == 1:
                group[0].run(connection)
            else:
                for request in group:
                    request.run_apart(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        for request in group:
            request.done = True

    def _begin(self, *, durable: bool) -> sqlite3.Connection:
        connection = self._writer
        assert connection is not None  # noqa: S101 - check_writable() lets nobody come here without it
        if durable is not self._durable:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable
        connection.execute("BEGIN IMMEDIATE")
        try:
            self._refuse_newer(connection)
        except NewerFormat:
            connection.execute("ROLLBACK")
            raise
        self._written += 1
        return connection


class _Connection(sqlite3.Connection):
    """Says with an error of ours that the file is damaged, or of a newer format."""

    explain: Callable[[sqlite3.DatabaseError, sqlite3.Connection], None]

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        try:
            return super().execute(*arguments)
        except sqlite3.DatabaseError as error:
            self.explain(error, self)
            raise

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        try:
            return super().executemany(*arguments)
        except sqlite3.DatabaseError as error:
            self.explain(error, self)
            raise


class _Reader:
    """A thread's connection. It is closed when the thread ends."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()
