"""A file that is to be sent, read to its end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from ragbase.domain.errors import ErrorCode, InvalidObject, PermanentError
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.domain.object_name import is_unicode


def read_file(file: str | os.PathLike[str] | bytes | BinaryIO, path: str | None) -> tuple[str, bytes]:
    """The document's name and the bytes of a file: its path on this machine, its bytes, or a stream, which is read to
    its end. Raises what `Client.upload` says."""
    if isinstance(file, str | os.PathLike):
        with Path(file).open("rb") as stream:
            data = stream.read(MAX_FILE_SIZE + 1)
        name = path or Path(file).name
    else:
        data = file if isinstance(file, bytes) else _read_to_its_end(file)
        name = path or ""
    if not name:
        raise ValueError("path is missing: bytes and streams have no name of their own. Give one.")
    if not is_unicode(name):  # such as a name in Latin-1, which Linux allows
        raise InvalidObject(f"{name!r} is not valid UTF-8. Names have to be. Rename the file, or give a path.")
    if len(data) > MAX_FILE_SIZE:
        raise PermanentError(
            ErrorCode.FILE_TOO_LARGE,
            f"{name} is over the limit of {MAX_FILE_SIZE // 1048576} MB a file. Split it into smaller ones.",
        )
    return name, data


def _read_to_its_end(stream: BinaryIO) -> bytes:
    """All bytes, or one more than a server takes. A stream without a buffer, such as a pipe, gives fewer bytes than it
    is asked for (io.RawIOBase.read). Raises TypeError for one that gives text."""
    data = bytearray()
    while len(data) <= MAX_FILE_SIZE:
        piece = stream.read(MAX_FILE_SIZE + 1 - len(data))
        if not isinstance(piece, bytes):
            raise TypeError(f"The stream gives {type(piece).__name__} and not bytes. Open it with 'rb'.")
        if not piece:
            break
        data += piece
    return bytes(data)
