"""The files from which searches start, so that a new process does not read every chunk from the database.

The database names the file of each partition, in a transaction after those of the chunks that the file has. So a
process that sees the name sees these chunks, too, and finds what came and went since as every search does
(vector_cache.py). If the database goes back to an earlier moment (a backup, a power failure), the name goes back with
it. A file without a name, and a name without a file that fits it, are nothing: the search reads the database, and the
right answer takes longer.
"""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.adapters.embedded.data_folder import SNAPSHOTS
from ragbase.adapters.embedded.private_files import make_folder, open_file
from ragbase.adapters.embedded.snapshot_file import read_snapshot, write_snapshot
from ragbase.adapters.embedded.tidy import LOCK
from ragbase.domain.errors import TransientError

if TYPE_CHECKING:
    from pathlib import Path

    from ragbase.adapters.embedded.database import Database
    from ragbase.adapters.embedded.snapshot import Snapshot

LEAST_UNSAVED = 2_000
"""Chunks that a search may have to read from the database: some 0.05 s."""
MOST_UNSAVED = 0.125
"""The share of all chunks that it may have to read in a larger index. So an index that grows is written a few times."""
_NEW = "new"
_BESIDES = 512
"""Bytes of a passage in the file beside its vector, about."""


class SnapshotFiles:
    """The file of one partition: that of `tenant` in the index of this name."""

    def __init__(self, database: Database, dimension: int, index: str, tenant: str) -> None:
        self._database = database
        self._dimension = dimension
        self._partition = (index, tenant)
        self._folder = _folder(database)
        self._cannot_write = database.is_read_only

    def name(self, connection: sqlite3.Connection) -> str:
        """The name of the partition's file; "" if it has none."""
        query = "SELECT name FROM snapshot_files WHERE index_name = ? AND tenant = ?"
        row = connection.execute(query, self._partition).fetchone()
        return row[0] if row else ""

    def load(self, name: str) -> Snapshot | None:
        """The snapshot in the file of this name; None without a good one."""
        return read_snapshot(self._folder / name, self._dimension) if name else None

    def is_due(self, snapshot: Snapshot) -> bool:
        """Whether so much has changed since its file was written that it should be written again."""
        return not self._cannot_write and snapshot.unsaved > max(LEAST_UNSAVED, MOST_UNSAVED * snapshot.passages)

    def save(self, snapshot: Snapshot, *, instead_of: str, schema: int) -> bool:
        """Write a file and let searches start from it, in place of the one of the name `instead_of`. The snapshot was
        made while the schema had this version. Returns whether the partition has another file than that now.

        If nothing can be written, that is logged, and this process does not try again.
        """
        try:
            make_folder(self._folder)
            with _alone(self._folder) as is_alone:
                if not is_alone:
                    return False
                if self.name(self._database.reader) != instead_of:
                    return True
                _remove_unnamed(self._database)
                self._database.check_room(snapshot.passages * (4 * self._dimension + _BESIDES))
                new = self._folder / _NEW
                name = _written(new, snapshot)
                new.replace(self._folder / name)
                is_named = self._database.write(lambda connection: self._give(name, schema, connection), durable=False)
                _remove_unnamed(self._database)
                return is_named
        except (OSError, sqlite3.Error, TransientError) as error:
            self._cannot_write = True
            telemetry.log("snapshot.unsaved", level=logging.WARNING, folder=str(self._folder), reason=str(error))
            return False

    def _give(self, name: str, schema: int, connection: sqlite3.Connection) -> bool:
        # Otherwise the index might have been dropped and made again, and the snapshot be of the one before.
        if schema_version(connection) != schema:
            return False
        connection.execute("INSERT OR REPLACE INTO snapshot_files VALUES (?, ?, ?)", (*self._partition, name))
        return True


def _written(file: Path, snapshot: Snapshot) -> str:
    """Raises OSError: then nothing is left of the file."""
    try:
        return write_snapshot(file, snapshot)
    except OSError:
        file.unlink(missing_ok=True)
        raise


def schema_version(connection: sqlite3.Connection) -> int:
    """A number that is another one after a table was made or dropped."""
    version: int
    (version,) = connection.execute("PRAGMA schema_version").fetchone()
    return version


def remove_unnamed_files(database: Database) -> None:
    """Remove the files that the database does not name, unless somebody is writing one, who will do so."""
    with suppress(FileNotFoundError), _alone(_folder(database)) as is_alone:
        if is_alone:
            _remove_unnamed(database)


def _remove_unnamed(database: Database) -> None:
    """Files that were replaced or dropped, or whose writer was killed. A process that reads one goes on reading it.
    Only for a caller that is alone."""
    named = {name for (name,) in database.reader.execute("SELECT name FROM snapshot_files")}
    for file in _folder(database).iterdir():
        if file.name not in {*named, LOCK}:
            file.unlink()


def _folder(database: Database) -> Path:
    return database.path.with_name(SNAPSHOTS)


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Whether nobody else is writing a file in this folder now. Nobody can until this ends."""
    descriptor = open_file(folder / LOCK, os.O_CREAT | os.O_RDWR)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)
