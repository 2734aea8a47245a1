"""The format of the database's file: which one it has, and how an older one is brought up to date.

The number is in the file itself (`PRAGMA user_version`). Before an older file is changed, it is copied: an older
ragbase cannot read what this one has made of it. The copy holds what users delete meanwhile, so it is kept for
_KEPT_DAYS only.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from ragbase import telemetry
from ragbase.adapters.embedded.data_folder import COPIES
from ragbase.adapters.embedded.disk_room import DiskRoom, is_full
from ragbase.adapters.embedded.private_files import make_file, make_folder
from ragbase.adapters.embedded.read_only import looking_uri
from ragbase.adapters.embedded.schema import ADDED_COLUMNS, CHUNKS_BY_DOCUMENT, SCHEMA, chunks_by_document
from ragbase.adapters.embedded.tidy import begin_small, log_size
from ragbase.domain.errors import ConfigurationError

FORMAT_VERSION = len(SCHEMA)
"""Of what this ragbase writes. A file of a newer version is refused, not misread."""

_KEPT_DAYS = 7
_SECONDS_A_DAY = 86_400
_UNFINISHED = ".unfinished"


@dataclass(frozen=True, slots=True)
class FormatChange:
    """A file that had an older format, and the copy of it as it was."""

    path: Path
    before: int
    copy: Path

    def __str__(self) -> str:
        return (
            f"{self.path} had format {self.before}, of an older ragbase, and has format {FORMAT_VERSION} now. The file "
            f"as it was is kept for {_KEPT_DAYS} days, with what you delete meanwhile: {self.copy}"
        )


def check_format(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the file's format. Raises ConfigurationError if it is newer than this ragbase."""
    found = format_version(connection)
    if found > FORMAT_VERSION:
        raise ConfigurationError(
            f"{path} was written by a newer ragbase (format {found}, this one knows {FORMAT_VERSION}). Upgrade "
            "ragbase, or choose another data folder."
        )
    return found


def said_format(path: Path) -> str:
    """The format of this file, for a person. Nothing is written. Raises as `check_format` does, and sqlite3.Error."""
    with closing(sqlite3.connect(looking_uri(path), uri=True)) as connection:
        found = check_format(connection, path)
    if found == FORMAT_VERSION:
        return f"format {found}"
    return f"format {found}, of an older ragbase: this one makes format {FORMAT_VERSION} of it when it works with it"


def format_version(connection: sqlite3.Connection) -> int:
    found: int
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return found


def bring_up_to_date(connection: sqlite3.Connection, path: Path) -> FormatChange | None:
    """Give a new or an older file this ragbase's format. Says so if there was an older one.

    Only one process at a time may do this (`file_lock.opening`); others may use the file. If the process is killed, the
    file is the older one still. Raises ConfigurationError if the format is newer, or if there is no room for the copy,
    and sqlite3.Error or OSError.
    """
    found = check_format(connection, path)
    if found == FORMAT_VERSION:
        return None
    begin_small(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")  # from here on, nobody else writes: the copy has all that was written
    copy: Path | None = None
    try:
        copy = _copy(path, found) if found else None
        _change(connection, found)
    except BaseException as error:  # the caller closes the connection, which undoes the change
        if copy is not None:
            copy.unlink(missing_ok=True)  # the file is as it was, and the next try needs the room
        if found and is_full(error):
            raise ConfigurationError(
                f"{path} has format {found}, and this ragbase needs {FORMAT_VERSION}. Its disk became full while the "
                "file was copied and changed. Free space on it, or go on with the older ragbase. Nothing was changed."
            ) from error
        raise
    if copy is None:
        return None
    telemetry.log("database.format_changed", before=found, after=FORMAT_VERSION, copy=str(copy))
    return FormatChange(path, found, copy)


def _change(connection: sqlite3.Connection, found: int) -> None:
    """Make all steps from the format `found` on, and commit them."""
    for addition in SCHEMA[found:]:
        for statement in addition.split(";\n"):
            connection.execute(statement)
    which = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'chunks_*'"
    new = [column for version, columns in ADDED_COLUMNS.items() if version > found for column in columns]
    for (table,) in connection.execute(which).fetchall():
        for column in new:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        if found < CHUNKS_BY_DOCUMENT:
            connection.execute(f"DROP INDEX IF EXISTS {table}_by_document")
            connection.execute(chunks_by_document(table))
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
    connection.execute("COMMIT")


def remove_old_copies(path: Path) -> None:
    """Remove the copies of this database that are older than _KEPT_DAYS, and what a killed process has left of one."""
    folder = path.parent / COPIES
    oldest = time.time() - _KEPT_DAYS * _SECONDS_A_DAY
    for file in folder.glob(f"{path.stem}-format-*"):
        with suppress(OSError):  # another process has removed it, or it is not ours to remove: `doctor` names its mode
            if file.stat().st_mtime < oldest:
                file.unlink()
                telemetry.log("database.copy_removed", file=str(file))


def _copy(path: Path, version: int) -> Path:
    """Copy the file, with its log, as it is now. The copy is there as a whole, or not at all. It takes the place of an
    earlier one of this format: the file has gone back to that since, or it was never changed."""
    copy = path.parent / COPIES / f"{path.stem}-format-{version}{path.suffix}"
    unfinished = copy.with_name(f"{copy.name}{_UNFINISHED}")
    former = (copy, unfinished, unfinished.with_name(f"{unfinished.name}-journal"))
    freed = sum(file.stat().st_size for file in former if file.is_file())
    if missing := DiskRoom(path.parent).missing(path.stat().st_size + log_size(path) - freed):
        raise ConfigurationError(
            f"{path} has format {version}, and this ragbase needs {FORMAT_VERSION}. The file is copied before it is "
            f"changed, and {missing / 1_000_000:.1f} MB lack on its disk for that. Free them, or go on with the older "
            "ragbase. Nothing was changed."
        )
    make_folder(copy.parent)
    for file in former:
        file.unlink(missing_ok=True)
    try:
        make_file(unfinished)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as target:
            source.backup(target)
        os.utime(unfinished)
        unfinished.replace(copy)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return copy
