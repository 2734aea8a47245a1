"""Local files: what they are called in the bucket, and their upload."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import FileIO
from pathlib import Path

from ragbase.domain.errors import ErrorCode, PermanentError, UnreadableFile
from ragbase.domain.job import MIN_TEXT_LENGTH_KEY, SOURCE_KEY
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.domain.name_forms import nfc
from ragbase.formats.table import check_size
from ragbase.ports import Bucket, StoredObject
from ragbase.sources.open_inside import open_file
from ragbase.sources.walk import reason


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to upload. `source` is how the user names it: as given, or joined to the folder that was given. If no link
    may lead out of that folder, `within` is the folder, with its own links resolved."""

    path: Path
    source: str
    within: str | None = None

    def open(self) -> FileIO:
        """The file to read, unbuffered. A pipe is not waited for. Raises OSError, ValueError if the path holds a NUL,
        and UnreadableFile if a link leads out of the folder."""
        return FileIO(open_file(self.path, self.within))


def object_name(path: Path, bucket_folder: Path | None = None) -> str:
    """The name in the bucket of a local file: its absolute path without the leading slash, in NFC.

    Links are not resolved, so that a file keeps the name that its user knows. A file below the bucket's own folder has
    the name of its object there.
    """
    absolute = os.path.abspath(path)  # noqa: PTH100 - Path.absolute keeps '..', Path.resolve follows links
    if bucket_folder is not None:
        for prefix in _prefixes(bucket_folder):
            if absolute.startswith(prefix):
                return nfc(absolute.removeprefix(prefix))
    return nfc(absolute.lstrip("/"))


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
        with file.open() as stream:
            if os.fstat(stream.fileno()).st_size != stored.size:
                return False
            return _md5(stream.read()) == stored.md5
    except (OSError, UnreadableFile):
        return False


@lru_cache(maxsize=8)
def _prefixes(folder: Path) -> tuple[str, ...]:
    """The path of the folder, as it is set and with links resolved: a user may name a file by either."""
    return tuple(f"{path.rstrip('/')}/" for path in {os.path.abspath(folder), os.path.realpath(folder)})  # noqa: PTH100


def _read(file: LocalFile) -> bytes:
    try:
        mode = file.path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UnreadableFile(f"{file.source}: this is a folder. Name the files in it.")
        if not stat.S_ISREG(mode):
            raise UnreadableFile(f"{file.source}: this is not a regular file. Copy its content into one.")
        with file.open() as stream:
            status = os.fstat(stream.fileno())
            _check_size(file, status.st_size)
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


def is_ingested(stored: StoredObject, path: str | None) -> bool:
    """Whether `ragbase ingest` has brought the object from the file with this absolute path."""
    source = stored.metadata.get(SOURCE_KEY)
    if path is None or source is None or stored.metadata.get(MIN_TEXT_LENGTH_KEY) != "1":
        return False
    parts = [part for part in os.path.normpath(source).split("/") if part != ".."]  # they are at its beginning
    return path == source or path.endswith("/" + "/".join(parts).lstrip("/"))


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
