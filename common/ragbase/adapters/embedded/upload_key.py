"""The key of the addresses of uploads in a file of its own, so that a copy of the database does not have it."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragbase.adapters.embedded.file_lock import locked
from ragbase.adapters.embedded.private_files import make_folder
from ragbase.domain.errors import Unavailable

FILE_NAME = "upload-key"
_BYTES = 32
_KEY = re.compile(rf"[0-9a-f]{{{2 * _BYTES}}}")


class UploadKeyFile:
    """Implements the UploadKey port. The file is read each time, so that a renewal holds in every process at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def secret(self) -> str:
        with self._locked() as descriptor:
            key = os.pread(descriptor, 2 * _BYTES, 0).decode("ascii", "replace")
            # A file that a killed process has left empty gets a key, too.
            return key if _KEY.fullmatch(key) else _draw(descriptor)

    def renew(self) -> None:
        with self._locked() as descriptor:
            _draw(descriptor)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        try:
            make_folder(self._path.parent)
            with locked(self._path) as descriptor:
                yield descriptor
        except OSError as error:
            raise Unavailable(
                f"The key {self._path} for the addresses of uploads cannot be used: {error.strerror}. Make the file "
                "readable and writable for the user of ragbase, or remove it: then another key is drawn."
            ) from error


def _draw(descriptor: int) -> str:
    key = secrets.token_hex(_BYTES)
    os.pwrite(descriptor, key.encode(), 0)
    os.ftruncate(descriptor, len(key))
    os.fsync(descriptor)
    return key
