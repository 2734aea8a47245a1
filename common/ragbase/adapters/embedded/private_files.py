"""Files and folders that only their user may read, whatever the umask.

A mode that is given to the system loses the bits of the umask and gets none from it
(https://man7.org/linux/man-pages/man2/umask.2.html), so 0600 and 0700 hold under every umask. SQLite gives the files
`-wal` and `-shm` the mode of its database (https://www.sqlite.org/src/file/src/os_unix.c, findCreateFileMode).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

FILE = 0o600
FOLDER = 0o700
OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""What others than the owner may do."""


def make_folder(folder: Path) -> None:
    """Make the folder, if it is not there, for this user alone. Those on the way to it are made as usual. Raises
    OSError."""
    folder.mkdir(FOLDER, parents=True, exist_ok=True)


def open_file(path: str | os.PathLike[str], flags: int) -> int:
    """As os.open, for a file that may have to be made (O_CREAT). One that is there already is made private, too."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, FILE)
    try:
        tighten(descriptor, os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def tighten(descriptor: int, status: os.stat_result) -> bool:
    """Take from others what they may do with an open file or folder, unless it has a second name (a hard link) that may
    be theirs. Returns whether it is private now: only its owner can change that."""
    if not status.st_mode & OTHERS:
        return True
    if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
        return False
    try:
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode) & ~OTHERS)
    except PermissionError:
        return False
    return True


def tighten_path(path: str) -> bool:
    """As `tighten`, for a path whose last part is no link. Raises FileNotFoundError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError:  # a link, a socket, or nothing that this user may read
        return not os.lstat(path).st_mode & OTHERS
    try:
        return tighten(descriptor, os.fstat(descriptor))
    finally:
        os.close(descriptor)
