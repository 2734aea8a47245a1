"""Open a file that belongs to a folder, though somebody else may put links in its way meanwhile."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ragbase.domain.errors import UnreadableFile

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Linux: to pass through a folder, one need not be allowed to list it."""
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Does not wait if a pipe has taken the file's place."""


def open_file(path: str | os.PathLike[str], within: str | None) -> int:
    """The descriptor of the file at this path. If `within` names a folder (with its links resolved), the file that is
    opened is below it, also if a link on the way has been changed since the folder was listed.

    A hard link is another name of the same file: nothing tells it from one. Raises UnreadableFile if the path leads out
    of the folder, and OSError.
    """
    if within is None:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    parts = parts_inside(within, os.path.realpath(path))
    if parts is None:
        raise UnreadableFile(
            f"{os.fspath(path)}: it is or was a link that leads out of the folder. Name the file that it leads to, or "
            "add --follow-links (setting follow_links)."
        )
    return open_below(within, parts)


def parts_inside(folder: str, path: str) -> list[str] | None:
    """The names on the way from the folder to the path, both without links; None if it is not below the folder."""
    prefix = f"{folder.rstrip('/')}/"
    return path.removeprefix(prefix).split("/") if path.startswith(prefix) else None


def open_below(folder: str, parts: Sequence[str]) -> int:
    """The descriptor of the file at this place below the folder. No link is followed, neither on the way nor at the
    end. Raises OSError: ELOOP or ENOTDIR for a link."""
    *folders, name = parts
    descriptor = open_folder(folder, folders)
    try:
        return os.open(name, _FILE, dir_fd=descriptor)
    finally:
        os.close(descriptor)


def open_folder(folder: str, parts: Sequence[str]) -> int:
    """As `open_below`, for a folder, whose descriptor then is the `dir_fd` of what is done in it."""
    descriptor = os.open(folder, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for part in parts:
            below = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
