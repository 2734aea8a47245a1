"""A file that one process and one thread has at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ragbase.adapters.embedded.private_files import open_file


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """The descriptor of the file, which is made if it is not there. Others wait, other threads too: a lock of flock
    belongs to the opened file, not to the process. Raises OSError, for a link, too."""
    descriptor = open_file(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def opening(database: Path) -> AbstractContextManager[int]:
    """One process at a time opens this database of SQLite: changing the journal mode fails at once, and does not wait,
    if another connection is in use."""
    return locked(database.with_name(f"{database.name}-opening"))
