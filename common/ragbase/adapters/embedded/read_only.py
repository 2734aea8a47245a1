"""A database that this process may only read: how to notice it, and how to open it."""

from __future__ import annotations

import os
from pathlib import Path

from ragbase.domain.errors import ConfigurationError


def is_read_only(path: Path) -> bool:
    """Whether the database or its folder forbids writing, by its permissions or because of its disk.

    The folder counts, because SQLite makes the files `-wal` and `-shm` in it, and the
    folder of the file itself, if `path` is a link. Those two files do not: they come and go with the processes that use
    the database.
    """
    effective = os.access in os.supports_effective_ids
    file = path.resolve()
    files = (path.parent, file.parent, file) if file.exists() else (path.parent, file.parent)
    return not all(os.access(file, os.W_OK, effective_ids=effective) for file in files)


def read_only_uri(path: Path) -> str:
    """How SQLite opens a database in WAL mode without writing (https://www.sqlite.org/wal.html#read_only_databases).

    If `-wal` and `-shm` are there (a process uses the database, or was killed), SQLite reads both, and sees what others
    commit. If they are not, it cannot make them: it reads the file alone, without locks. Then we assume that nobody
    writes to the file while this process has it open; otherwise, a read may fail or miss what is new. Raises
    ConfigurationError if only the `-wal` is there: the file alone would lack what it holds. If `path` is a link, both
    are beside the file itself.
    """
    path = path.resolve()
    wal, shm = path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
    if wal.exists() and shm.exists():
        return f"{path.as_uri()}?mode=ro"
    if wal.exists() and wal.stat().st_size > 0:
        raise ConfigurationError(
            f"{wal} holds changes that cannot be read where nothing can be written. Run any ragbase command once where "
            "the folder can be written."
        )
    return f"{path.as_uri()}?mode=ro&immutable=1"


def looking_uri(path: Path) -> str:
    """How SQLite opens a database to look at it while others may write to it. Raises as `read_only_uri` does."""
    return read_only_uri(path) if is_read_only(path) else f"{path.resolve().as_uri()}?mode=ro"
