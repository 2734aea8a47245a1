"""What is below a folder, by name: its files, and what is left out of them, so that nothing goes missing in silence."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

from ragbase.domain.left_out import LeftOutFile
from ragbase.sources.links import HIDDEN, Inside

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


def walk(
    folder: str,
    problems: list[Problem],
    is_program_folder: Callable[[str], bool],
    *,
    root: str | None = None,
    follow_links: bool = False,
) -> Iterator[Walked]:
    """What is below the folder, in the order that the paths have by code point. A folder that cannot be read is added
    to `problems`, unless a program keeps it for itself: only the system may read its "lost+found".

    A link to a file is a file if it leads to one below `root`, which is the folder itself unless another one is named.
    Any other link is left out (links.py). With `follow_links`, all links are followed, also to folders."""
    inside = Inside(folder if root is None else root, follow_links=follow_links)
    if follow_links:
        inside.enters(folder)
    levels = [_entries(folder, problems, follow_links=follow_links)]
    programs_own = 0  # the level at which a program's own folder begins; none at 0
    while levels:
        if len(levels) <= programs_own:
            programs_own = 0
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
        elif entry.name[0] == ".":
            yield from _hidden(entry)
        elif _is_folder(entry, follow_links=follow_links):
            left_out = inside.enters(entry.path) if follow_links else None
            if left_out is not None:
                yield Walked(entry.path, left_out)
            else:
                if not programs_own and is_program_folder(entry.name):
                    programs_own = len(levels)
                unread: list[Problem] = []
                levels.append(_entries(entry.path, unread if programs_own else problems, follow_links=follow_links))
                if unread:
                    yield Walked(f"{entry.path}/", _UNREAD)
        elif entry.is_file(follow_symlinks=False):
            yield Walked(entry.path)
        else:
            yield Walked(entry.path, inside.left_out(entry.path))


_UNREAD = LeftOutFile(
    one="folder that cannot be read", many="folders that cannot be read", reason="A program keeps it for itself."
)


def left_out_of(path: str, root: str, *, hidden_wanted: bool = False, follow_links: bool = False) -> LeftOutFile | None:
    """Why a walk of `root` would leave out this file below it; None if it would not."""
    parts = PurePath(os.path.relpath(path, root)).parts
    if not hidden_wanted and any(part.startswith(".") and part != ".." for part in parts):
        return _hidden_files(1)
    return Inside(root, follow_links=follow_links).left_out(path)


def reason(error: OSError) -> str:
    """Why something cannot be read, and the remedy."""
    return f"{error.strerror}. {_REMEDIES.get(error.errno or 0, 'Check its permissions.')}"


def _entries(folder: str, problems: list[Problem], *, follow_links: bool) -> Iterator[os.DirEntry[str]]:
    """What is in the folder, in the order that the paths below it have by code point."""
    try:
        with os.scandir(folder) as scan:
            return iter(sorted(scan, key=partial(_path_name, follow_links=follow_links)))
    except OSError as error:
        problems.append(Problem(folder, f"{folder}: this folder cannot be read: {reason(error)}"))
        return iter(())


def _path_name(entry: os.DirEntry[str], *, follow_links: bool) -> str:
    """Its name in the path of what is below it: "a.md" comes before "a/b.md"."""
    return f"{entry.name}/" if _is_folder(entry, follow_links=follow_links) else entry.name


def _is_folder(entry: os.DirEntry[str], *, follow_links: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow_links)
    except OSError:  # a link that leads to itself
        return False


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
        reason=HIDDEN,
        files=count,
    )
