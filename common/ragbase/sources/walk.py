"""What is below a folder, by name: its files, and what is left out of them, so that nothing goes missing in silence."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from ragbase.domain.left_out_file import LeftOutFile

_REMEDIES = {
    errno.ELOOP: "It is a link that leads to itself. Correct or remove it.",
    errno.ENAMETOOLONG: "Shorten its path.",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a path from the user gives no file. `message` names the path, the rule and the remedy."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Walked:
    """A file below a folder; one that is not taken from a folder says why. A hidden folder is one of these, and its
    path ends with "/"."""

    path: str
    left_out: LeftOutFile | None = None


def walk(folder: str, problems: list[Problem], root: str | None = None) -> Iterator[Walked]:
    """What is below the folder, in the order that the paths have by code point. A folder that cannot be read is added
    to `problems`.

    A link to a file is a file if it leads to one below `root`, which is the folder itself unless another one is named.
    A link may be somebody's way to show what is elsewhere on this machine, so any other one is left out."""
    inside = _Inside(folder if root is None else root)
    levels = [_entries(folder, problems)]
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
        elif entry.name[0] == ".":
            yield from _hidden(entry)
        elif entry.is_dir(follow_symlinks=False):
            levels.append(_entries(entry.path, problems))
        elif entry.is_file(follow_symlinks=False):
            yield Walked(entry.path)
        else:
            yield Walked(entry.path, inside.left_out(entry.path))


def left_out_of(path: str, root: str, *, hidden_wanted: bool = False) -> LeftOutFile | None:
    """Why a walk of `root` would leave out this file below it; None if it would not."""
    parts = PurePath(os.path.relpath(path, root)).parts
    if not hidden_wanted and any(part.startswith(".") and part != ".." for part in parts):
        return _hidden_files(1)
    return _Inside(root).left_out(path)


def reason(error: OSError) -> str:
    """Why something cannot be read, and the remedy."""
    return f"{error.strerror}. {_REMEDIES.get(error.errno or 0, 'Check its permissions.')}"


class _Inside:
    """Which files belong to a folder: regular ones, and links to those below it."""

    def __init__(self, root: str) -> None:
        self._root = f"{os.path.realpath(root).rstrip(os.sep)}{os.sep}"

    def left_out(self, path: str) -> LeftOutFile | None:
        """If it cannot be found out what the file is, it is taken: the upload says why it cannot be read."""
        try:
            mode = os.lstat(path).st_mode
            if not stat.S_ISLNK(mode):
                return None if stat.S_ISREG(mode) else _SPECIAL
            if not f"{os.path.realpath(path)}{os.sep}".startswith(self._root):
                return _OUTSIDE
            mode = Path(path).stat().st_mode
        except FileNotFoundError:
            return _BROKEN
        except OSError:
            return None
        return None if stat.S_ISREG(mode) else _FOLDER if stat.S_ISDIR(mode) else _SPECIAL


_OUTSIDE = LeftOutFile(
    one="link out of the folder",
    many="links out of the folder",
    reason="A link is followed only to what is in the same folder: name the file that it leads to, or copy it.",
)
_BROKEN = LeftOutFile(
    one="broken link", many="broken links", reason="It leads to nothing that is there: correct or remove it."
)
_FOLDER = LeftOutFile(
    one="link to a folder",
    many="links to folders",
    reason="It is not followed: name the folder to have its files read.",
)
_SPECIAL = LeftOutFile(
    one="special file", many="special files", reason="It is a pipe, a socket or a device: copy its content into a file."
)


def _entries(folder: str, problems: list[Problem]) -> Iterator[os.DirEntry[str]]:
    """What is in the folder, in the order that the paths below it have by code point."""
    try:
        with os.scandir(folder) as scan:
            return iter(sorted(scan, key=_path_name))
    except OSError as error:
        problems.append(Problem(folder, f"{folder}: this folder cannot be read: {reason(error)}"))
        return iter(())


def _path_name(entry: os.DirEntry[str]) -> str:
    """Its name in the path of what is below it: "a.md" comes before "a/b.md"."""
    return f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name


def _hidden(entry: os.DirEntry[str]) -> Iterator[Walked]:
    """A hidden folder (.git) may have very many files: they are only counted."""
    if not entry.is_dir(follow_symlinks=False):
        yield Walked(entry.path, _hidden_files(1))
    elif count := sum(len(files) for _, _, files in os.walk(entry.path)):
        yield Walked(f"{entry.path}/", _hidden_files(count))


def _hidden_files(count: int) -> LeftOutFile:
    return LeftOutFile(
        one="hidden file",
        many="hidden files",
        reason="Names that begin with a dot are not read: name such a file or folder itself.",
        files=count,
    )
