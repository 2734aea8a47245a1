"""A file that is to be sent, read to its end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.limits import MAX_FILE_SIZE


def read_file(file: str | os.PathLike[str] | bytes | BinaryIO, path: str | None) -> tuple[str, bytes]:
    """The document's name and the bytes of a file: its path on this machine, its bytes, or a stream, which is read to
    its end. Raises what `Client.upload` says."""
    if isinstance(file, str | os.PathLike):
        with Path(file).open("rb") as stream:
            data = stream.read(MAX_FILE_SIZE + 1)
        name = path or Path(file).name
    else:
        data = file if isinstance(file, bytes) else file.read(MAX_FILE_SIZE + 1)
        name = path or ""
    if not name:
        raise ValueError("path is missing: bytes and streams have no name of their own. Give one.")
    if len(data) > MAX_FILE_SIZE:
        raise PermanentError(
            ErrorCode.FILE_TOO_LARGE,
            f"{name} is over the limit of {MAX_FILE_SIZE // 1048576} MB a file. Split it into smaller ones.",
        )
    return name, data
