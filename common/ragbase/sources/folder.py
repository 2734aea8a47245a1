"""Local files as a source: which files a user's paths mean, what they are called in the bucket, and their upload."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ragbase.domain.errors import ErrorCode, PermanentError, UnreadableFile
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.formats.table import EXTENSIONS, check_size
from ragbase.ports import Bucket, StoredObject

_MAGIC = frozenset("*?[")

_REMEDIES = {
    errno.ELOOP: "It is a link that leads to itself. Correct or remove it.",
    errno.ENAMETOOLONG: "Shorten its path.",
}


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to upload. `source` is how the user names it: as given, or joined to the folder that was given."""

    path: Path
    source: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a path from the user gives no file. `message` names the path, the rule and the remedy."""

    path: str
    message: str


def expand(
    paths: Sequence[str | os.PathLike[str]], extensions: Collection[str] = EXTENSIONS
) -> tuple[list[LocalFile], list[Problem]]:
    """The files that these paths mean, each once, in the order given and by name within a folder.

    A path is a file of any kind, a folder with everything below it, or, if nothing has this name, a pattern (`*`, `?`,
    `[…]`, and `**` for any folders). Folders and patterns give the files with one of the extensions, without hidden
    ones. Links to files count as files; links to folders are followed only if they are named themselves.
    """
    files: dict[str, LocalFile] = {}
    problems: list[Problem] = []
    for path in dict.fromkeys(os.fspath(path) for path in paths):
        found, faults = _expand(path, extensions)
        for source in found:
            files.setdefault(os.path.abspath(source), LocalFile(Path(source), source))  # noqa: PTH100 - keeps links
        problems += faults
    return list(files.values()), problems


def object_name(path: Path, bucket_folder: Path | None = None) -> str:
    """The name in the bucket of a local file: its absolute path without the leading slash.

    Links are not resolved, so that a file keeps the name that its user knows. A file below the bucket's own folder has
    the name of its object there.
    """
    absolute = os.path.abspath(path)  # noqa: PTH100 - Path.absolute keeps '..', Path.resolve follows links
    if bucket_folder is not None:
        for prefix in _prefixes(bucket_folder):
            if absolute.startswith(prefix):
                return absolute.removeprefix(prefix)
    return absolute.lstrip("/")


def upload(
    file: LocalFile, name: str, bucket: Bucket, *, metadata: Mapping[str, str], again: bool = False
) -> StoredObject:
    """Put the file into the bucket under `name` and return the object. If the live object already has the same bytes
    and metadata, that one is returned, unless `again` is set.

    Raises UnreadableFile, PermanentError (FILE_TOO_LARGE, or TEXT_TOO_SHORT for an empty file) and InvalidObject, each
    with a message for the user.
    """
    data = _read(file)
    live = None if again else bucket.stat(name)
    if live is not None and live.md5 == _md5(data) and live.metadata == metadata:
        return live
    return bucket.put(name, data, metadata=metadata)


def is_same(file: LocalFile, stored: StoredObject) -> bool:
    """Whether the object holds exactly the file's bytes. False if the file cannot be read: `upload` then says why."""
    try:
        with file.path.open("rb", buffering=0) as stream:
            if os.fstat(stream.fileno()).st_size != stored.size:
                return False
            return _md5(stream.read()) == stored.md5
    except OSError:
        return False


def _expand(path: str, extensions: Collection[str]) -> tuple[list[str], list[Problem]]:
    supported = ", ".join(extensions)
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises some errors
        problems: list[Problem] = []
        found = list(walk(path, problems, extensions))
        if not found and not problems:
            problems.append(
                Problem(path, f"{path}: this folder holds no supported document ({supported}). Name another one.")
            )
        return found, problems
    try:
        if _exists(path):
            return [path], []
        if _MAGIC.isdisjoint(path):
            return [], [Problem(path, f"{path}: there is no such file or folder. Check the path.")]
        problems = []
        found = list(_match(path, problems, extensions))
    except (ValueError, OSError, RecursionError) as error:
        return [], [Problem(path, f"{path}: {_refusal(error)}")]
    if not found and not problems:
        problems.append(
            Problem(path, f"{path}: no supported document ({supported}) matches this pattern. Check the pattern.")
        )
    return found, problems


def walk(folder: str, problems: list[Problem], extensions: Collection[str] = EXTENSIONS) -> Iterator[str]:
    """The files with one of the extensions below the folder, by name, without hidden ones. A folder that cannot be read
    is added to `problems`."""
    levels = [_entries(folder, problems)]
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
        elif entry.is_dir(follow_symlinks=False):
            levels.append(_entries(entry.path, problems))
        elif _has_one(entry.name, extensions) and _may_be_file(entry.path):
            yield entry.path


def _entries(folder: str, problems: list[Problem]) -> Iterator[os.DirEntry[str]]:
    """What is in the folder, without what is hidden, in the order that the paths below it have by code point."""
    try:
        with os.scandir(folder) as scan:
            return iter(sorted((entry for entry in scan if entry.name[0] != "."), key=_path_name))
    except OSError as error:
        problems.append(Problem(folder, f"{folder}: this folder cannot be read: {reason(error)}"))
        return iter(())


def _path_name(entry: os.DirEntry[str]) -> str:
    """Its name in the path of what is below it: "a.md" comes before "a/b.md"."""
    return f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name


def _match(pattern: str, problems: list[Problem], extensions: Collection[str]) -> Iterator[str]:
    """pathlib's patterns, not glob's: pathlib does not run forever where links make a loop."""
    parts = pattern.split("/")
    first = next(index for index, part in enumerate(parts) if not _MAGIC.isdisjoint(part))
    base = "/".join(parts[:first]) + "/" if first else ""
    hidden_wanted = any(part.startswith(".") for part in parts[first:])
    for match in sorted(Path(base).glob("/".join(parts[first:]))):
        relative = match.relative_to(Path(base)).parts
        if not hidden_wanted and any(part.startswith(".") for part in relative):
            continue
        source = base + "/".join(relative) or "."
        if os.path.isdir(match):  # noqa: PTH112 - as above
            yield from walk(source, problems, extensions)
        elif _has_one(match.name, extensions) and _may_be_file(source):
            yield source


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: it holds a NUL
        return False
    return True


def _may_be_file(path: str) -> bool:
    """False if it is certainly none. If that cannot be found out, the upload of the file will say why."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _refusal(error: ValueError | OSError | RecursionError) -> str:
    if isinstance(error, OSError):
        return f"this cannot be read: {reason(error)}"
    if isinstance(error, RecursionError):  # pathlib calls itself for each folder in a folder
        return "some folders are too deep for a pattern. Leave out the pattern: name the folder itself."
    return f"this pattern is not understood: {error}."


def reason(error: OSError) -> str:
    """Why something cannot be read, and the remedy."""
    return f"{error.strerror}. {_REMEDIES.get(error.errno or 0, 'Check its permissions.')}"


def _has_one(name: str, extensions: Collection[str]) -> bool:
    return os.path.splitext(name)[1].lower() in extensions  # noqa: PTH122 - quicker than a Path for each file


@lru_cache(maxsize=8)
def _prefixes(folder: Path) -> tuple[str, ...]:
    """The path of the folder, as it is set and with links resolved: a user may name a file by either."""
    return tuple(f"{path.rstrip('/')}/" for path in {os.path.abspath(folder), os.path.realpath(folder)})  # noqa: PTH100


def _read(file: LocalFile) -> bytes:
    try:
        status = file.path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableFile(f"{file.source}: this is a folder. Name the files in it.")
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile(f"{file.source}: this is not a regular file. Copy its content into one.")
        _check_size(file, status.st_size)
        with file.path.open("rb", buffering=0) as stream:
            data = stream.read(status.st_size + 1)  # to read more, Python asks for memory for all of it
            if len(data) > status.st_size:  # somebody is writing it
                data += stream.read(MAX_FILE_SIZE + 1 - len(data))
    except FileNotFoundError as error:
        raise UnreadableFile(f"{file.source}: there is no such file. Check the path.") from error
    except OSError as error:
        raise UnreadableFile(f"{file.source}: the file cannot be read: {reason(error)}") from error
    except ValueError as error:  # the path holds a NUL
        raise UnreadableFile(f"{file.source!r}: the file cannot be read: {error}. Correct its path.") from error
    _check_size(file, len(data))
    return data


def _check_size(file: LocalFile, size: int) -> None:
    if size == 0:
        raise PermanentError(
            ErrorCode.TEXT_TOO_SHORT, f"{file.source}: the file is empty. Write some text to it, or leave it out."
        )
    # Whether ragbase reads this kind of file is decided later, by the pipeline.
    try:
        check_size(size)
    except PermanentError as error:
        raise PermanentError(error.code, f"{file.source}: {error.reason}") from error


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()
