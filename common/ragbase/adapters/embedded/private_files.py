"""Files and folders that only their user may read, whatever the umask.

The umask takes bits from a mode that is given to the system, and adds none (umask(2)). So 0600 and 0700 hold under
every umask. SQLite gives the files `-wal` and `-shm` the mode of its database, and undoes the umask
(findCreateFileMode and robust_open in its os_unix.c).
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

FILE = 0o600
FOLDER = 0o700
OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""What others than the owner may do."""

_UNOPENED = getattr(os, "O_PATH", None)
"""Linux: names a file without opening it. To open and close a database would end the locks that SQLite holds on it in
this process (fcntl(2), under "Record locking")."""


def make_folder(folder: Path) -> None:
    """Make the folder, if it is not there, for this user alone. Those on the way to it are made as usual. Raises
    OSError."""
    folder.mkdir(FOLDER, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file, if it is not there, for this user alone. Raises OSError."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE))


def open_file(path: str | os.PathLike[str], flags: int) -> int:
    """As os.open, for a file that may have to be made (O_CREAT). One that is there already is made private, too."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, FILE)
    status = os.fstat(descriptor)
    if status.st_mode & OTHERS:
        with suppress(PermissionError):  # it is another user's
            os.fchmod(descriptor, private(status))
    return descriptor


def private(status: os.stat_result) -> int:
    """The mode without what others may do."""
    return stat.S_IMODE(status.st_mode) & ~OTHERS


def is_exposed(status: os.stat_result) -> bool:
    """Whether others may do anything with this file or folder. A link has no mode of its own."""
    return bool(status.st_mode & OTHERS) and not stat.S_ISLNK(status.st_mode)


def has_other_name(status: os.stat_result) -> bool:
    """Whether the file has a hard link, which may be outside of the data folder: they have one mode."""
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def tighten(path: str) -> bool:
    """Take from others what they may do with this file or folder, but for a link, which is left alone. Returns whether
    they can do nothing now: only the owner can change that."""
    try:
        status = os.lstat(path)
        if not is_exposed(status):
            return True
        if _UNOPENED is None:
            Path(path).chmod(private(status), follow_symlinks=False)
            return True
        descriptor = os.open(path, _UNOPENED | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            found = os.fstat(descriptor)
            if (found.st_dev, found.st_ino) == (status.st_dev, status.st_ino):
                Path(f"/proc/self/fd/{descriptor}").chmod(private(found))  # fchmod takes no such descriptor
            return not is_exposed(os.fstat(descriptor))
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return True  # removed meanwhile
    except OSError:
        return False
