"""Which files of this machine a user's paths mean."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragbase.domain.errors import UnreadableFile
from ragbase.domain.left_out import OTHER_FORM, LeftOutFile
from ragbase.domain.name_forms import nfc, precedence
from ragbase.domain.program_files import ProgramFiles
from ragbase.formats.file_selection import FileSelection, empty
from ragbase.formats.plain_text import HEAD
from ragbase.formats.table import FORMATS
from ragbase.sources.folder import LocalFile, object_name
from ragbase.sources.links import Inside
from ragbase.sources.walk import Problem, Walked, left_out_of, reason, walk

_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Expanded:
    """The files to ingest, the paths that give none, and the files that are there and not taken. Of these,
    `program_files` are to be ingested nevertheless if they are documents already."""

    files: Sequence[LocalFile]
    problems: Sequence[Problem]
    left_out: Sequence[tuple[str, LeftOutFile]]
    program_files: Sequence[LocalFile]


def expand(
    paths: Sequence[str | os.PathLike[str]],
    allowed: Collection[str] = FORMATS,
    *,
    program_files: ProgramFiles | None = None,
    follow_links: bool = False,
) -> Expanded:
    """The files that these paths mean, each once, in the order given and by name within a folder.

    A path is a file of any kind, a folder with everything below it, or, if nothing has this name, a pattern (`*`, `?`,
    `[…]`, and `**` for any folders). Folders and patterns give the files of the formats `allowed`, by their names, and
    those whose content is plain text where the name says nothing, without hidden ones and those of which a link leads
    out of the folder (see `walk`). The user may name such a link itself. `program_files` are always left out
    (domain/program_files.py): the shell writes out a pattern without quotes, and nobody means them by it.
    """
    return _Expansion(FileSelection(allowed, program_files), follow_links=follow_links).of(paths)


def left_out(path: str, selection: FileSelection) -> LeftOutFile | None:
    """Why the file would be left out if the folder that it is in were ingested, or the current one if it is below that;
    None if it would be taken, or is not there."""
    if not os.path.lexists(path) or os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises some errors
        return None
    absolute = Path(_key(path))
    folder = next(folder for folder in (Path.cwd(), absolute.parent) if absolute.is_relative_to(folder))
    file = LocalFile(absolute, path)
    return (
        selection.program_file(_name(path))
        or left_out_of(str(absolute), str(folder))
        or _refusal_of_content(file, selection)
    )


class _Expansion:
    def __init__(self, selection: FileSelection, *, follow_links: bool) -> None:
        self._selection = selection
        self._follows = follow_links
        self._problems: list[Problem] = []
        self._left_out: dict[str, tuple[str, LeftOutFile]] = {}
        self._program_files: dict[str, LocalFile] = {}

    def of(self, paths: Sequence[str | os.PathLike[str]]) -> Expanded:
        files: dict[str, LocalFile] = {}
        for path in dict.fromkeys(os.fspath(path) for path in paths):
            for source in self._sources(path):
                files.setdefault(_key(source.source), source)
        left_out = [one for key, one in self._left_out.items() if key not in files]
        counted = {nfc(key): key for key in sorted(files, key=precedence, reverse=True)}
        left_out += [(file.source, OTHER_FORM) for key, file in files.items() if counted[nfc(key)] != key]
        taken = [file for key, file in files.items() if counted[nfc(key)] == key]
        return Expanded(taken, self._problems, left_out, list(self._program_files.values()))

    def _sources(self, path: str) -> Iterator[LocalFile]:
        """The files that one path means. If it gives none, that is noted."""
        if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises some errors
            found = walk(path, self._problems, self._selection.is_program_folder, follow_links=self._follows)
            yield from self._taken(path, path, found, "of this folder", "Name another one.")
            return
        try:
            if _exists(path):
                file = LocalFile(Path(path), path)
                if not self._is_program_file(file):
                    yield file
            elif _MAGIC.isdisjoint(path):
                self._problem(path, "there is no such file or folder. Check the path.")
            else:
                base, pattern = _base(path)
                found = self._matches(base, pattern)
                yield from self._taken(path, base or ".", found, "that match this pattern", "Check the pattern.")
        except (ValueError, OSError, RecursionError) as error:
            self._problem(path, _refusal(error))

    def _taken(self, path: str, root: str, found: Iterator[Walked], which: str, remedy: str) -> Iterator[LocalFile]:
        """Those of the files below `root` that are to be read. It is a problem if there is none."""
        within = None if self._follows else os.path.realpath(root)
        problems, is_any, is_left_out = len(self._problems), False, False
        for one in found:
            file = LocalFile(Path(one.path), one.path, within)
            if self._is_program_file(file, one.left_out):
                is_left_out = True
                continue
            why = one.left_out or _refusal_of_content(file, self._selection)
            if why is not None:
                is_left_out = True
                self._left_out.setdefault(_key(one.path), (one.path, why))
            else:
                is_any = True
                yield file
        if not is_any and len(self._problems) == problems:
            what = f"all files {which} are left out" if is_left_out else f"there are no files {which}"
            self._problem(path, f"{what}. {remedy}")

    def _is_program_file(self, file: LocalFile, before: LeftOutFile | None = None) -> bool:
        """Whether a program keeps the file for itself: then it is left out."""
        why = self._selection.program_file(_name(file.source), before)
        if why is None:
            return False
        self._left_out.setdefault(_key(file.source), (file.source, why))
        if before is None:
            self._program_files.setdefault(_key(file.source), file)
        return True

    def _matches(self, base: str, pattern: str) -> Iterator[Walked]:
        """pathlib's patterns, not glob's: pathlib does not run forever where links make a loop."""
        hidden_wanted = any(part.startswith(".") for part in pattern.split("/"))
        for match in sorted(Path(base).glob(pattern)):
            relative = match.relative_to(Path(base)).parts
            if not hidden_wanted and any(part.startswith(".") for part in relative):
                continue
            source = base + "/".join(relative) or "."
            if os.path.isdir(match):  # noqa: PTH112 - as above
                left_out = Inside(base or ".", follow_links=self._follows).enters(source)
                if left_out is not None:
                    yield Walked(source, left_out)
                else:
                    yield from walk(
                        source,
                        self._problems,
                        self._selection.is_program_folder,
                        root=base or ".",
                        follow_links=self._follows,
                    )
            else:
                left_out = left_out_of(source, base or ".", hidden_wanted=hidden_wanted, follow_links=self._follows)
                yield Walked(source, left_out)

    def _problem(self, path: str, message: str) -> None:
        self._problems.append(Problem(path, f"{path}: {message}"))


def _base(pattern: str) -> tuple[str, str]:
    """The folder that a pattern names, empty or with "/" at its end, and what has to match below it."""
    parts = pattern.split("/")
    first = next(index for index, part in enumerate(parts) if not _MAGIC.isdisjoint(part))
    return "/".join(parts[:first]) + "/" if first else "", "/".join(parts[first:])


def _refusal_of_content(file: LocalFile, selection: FileSelection) -> LeftOutFile | None:
    """If the file cannot be read, it is taken: the upload says why."""
    path = str(file.path)
    try:
        if not file.path.stat().st_size:
            return empty(path)
        if not selection.needs_look(path):
            return selection.left_out(path)
        with file.open() as stream:
            return selection.left_out(path, stream.read(HEAD))
    except (OSError, ValueError, UnreadableFile):
        return None


def _key(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - keeps links


def _name(path: str) -> str:
    """That of the file's document."""
    name = object_name(Path(path))
    return f"{name}/" if path.endswith("/") else name


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: it holds a NUL
        return False
    return True


def _refusal(error: ValueError | OSError | RecursionError) -> str:
    if isinstance(error, OSError):
        return f"this cannot be read: {reason(error)}"
    if isinstance(error, RecursionError):  # pathlib calls itself for each folder in a folder
        return "some folders are too deep for a pattern. Leave out the pattern: name the folder itself."
    return f"this pattern is not understood: {error}."
