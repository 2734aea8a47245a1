"""Give back to the disk what the database's file and its log do not need any more.

The log grows while many write, up to 41 MB, and SQLite keeps its size; deleted rows leave free pages in the file. Both
are given back when nobody has written for a while: that takes time, and those who write would need the room again.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from ragbase import telemetry
from ragbase.adapters.embedded.data_folder import SNAPSHOTS
from ragbase.adapters.embedded.disk_room import DiskRoom

LOCK = "lock"
"""The one of the folder of snapshots."""

_LOG_KEPT = 4 * 1024 * 1024
"""Bytes of the log that are left."""

_FREE_KEPT = 256
"""Free pages (of 4 KB) that are left in the file: the next documents need them."""

_STEP = 250
"""Pages that are freed in one transaction: some milliseconds."""

_SECONDS = 1.0
"""After which the rest is left to the next time."""

_INCREMENTAL = 2
"""What `PRAGMA auto_vacuum` says of a file that can give back single pages."""

_LARGEST = 256 * 1024 * 1024
"""Bytes of the largest file of an older version that is written again, so that it can give back pages. Others can write
again after some seconds."""

_NEEDED_SHARE = 4
"""And only if a quarter of it is free."""


def begin_small(connection: sqlite3.Connection) -> None:
    """Let a new file give back single pages. Before anything else is written."""
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")


def free_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Give back the file's free pages, for _SECONDS at most. Nobody else writes meanwhile, but between two steps."""
    free, pages, size, mode = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("freelist_count", "page_count", "page_size", "auto_vacuum")
    )
    if mode != _INCREMENTAL:
        is_worth_it = free > max(_FREE_KEPT, pages // _NEEDED_SHARE) and pages * size <= _LARGEST
        # The file goes through the log as a whole, and is in both until that is emptied.
        if is_worth_it and not DiskRoom(path.parent).missing(3 * (pages - free) * size):
            began = time.monotonic()
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("VACUUM")
            telemetry.log(
                "database.rewritten", freed_mb=round(free * size / 1e6, 1), seconds=round(time.monotonic() - began, 1)
            )
        return
    end = time.monotonic() + _SECONDS
    while free > _FREE_KEPT and time.monotonic() < end:
        connection.execute(f"PRAGMA incremental_vacuum({min(_STEP, free - _FREE_KEPT)})").fetchall()
        before, (free,) = free, connection.execute("PRAGMA freelist_count").fetchone()
        if free >= before:
            return


def remove_snapshots(home: Path) -> None:
    """Remove the files from which searches start (snapshot_files.py): a search without one reads the database, and
    writes another one when there is room. Those who read one go on."""
    folder = home / SNAPSHOTS
    for file in folder.iterdir() if folder.is_dir() else ():
        if file.name != LOCK:
            with suppress(OSError):
                file.unlink()
                telemetry.log("snapshot.removed", level=logging.WARNING, file=file.name, reason="The disk is full.")


def log_size(path: Path) -> int:
    """Bytes of the log of this database."""
    try:
        return os.stat(f"{os.path.realpath(path)}-wal").st_size  # noqa: PTH116 - the path with something behind it
    except OSError:
        return 0


def empty_log(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the log into the file, and let it end, if it is large and nobody reads from it."""
    if log_size(path) > _LOG_KEPT:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
