"""Files that come in parts, in a folder of the data folder."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragbase.adapters.embedded.file_lock import locked
from ragbase.adapters.embedded.private_files import make_folder
from ragbase.domain.errors import Unavailable

_NAME = re.compile(r"[0-9a-f]+")
_KEPT = 3600.0
"""Seconds without a part after which a file is removed: its address is over then."""
_MOST, _MOST_OF_ONE = 20, 10
"""Files at once: 1 GB. One sender has half of the room at most."""
_SENDER = 16
"""Digits of a name that stand for who sends the file."""
_BLOCK = 1024 * 1024


class UnfinishedFileFolder:
    """Implements the UnfinishedFiles port. A file has a lock of its own while a part is added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def size(self, name: str) -> int:
        try:
            return self._path(name).stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, name: str, start: int, data: bytes) -> int:
        path = self._path(name)
        with self._usable():
            make_folder(self._folder)
            if not path.exists():
                self._make_room(name[:_SENDER])
            with locked(path) as descriptor:
                size = os.fstat(descriptor).st_size
                added = data[size - start :] if start <= size else b""
                written = 0
                while written < len(added):
                    written += os.pwrite(descriptor, added[written : written + _BLOCK], size + written)
                return size + written

    def read(self, name: str) -> bytes:
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return b""

    def remove(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} has other characters than hexadecimal digits.")
        return self._folder / name

    def _make_room(self, sender: str) -> None:
        """Remove what nobody goes on with. Raises Unavailable if there are too many others."""
        oldest = time.time() - _KEPT
        others, of_sender = 0, 0
        for path in self._folder.iterdir():
            try:
                is_over = path.stat().st_mtime < oldest
            except FileNotFoundError:
                continue
            if is_over:
                path.unlink(missing_ok=True)
            else:
                others += 1
                of_sender += path.name.startswith(sender)
        if others >= _MOST or of_sender >= _MOST_OF_ONE:
            raise Unavailable(
                f"{_MOST} files, or {_MOST_OF_ONE} of yours, are on their way in parts already. Try again when some of "
                "them are whole, or send the file in one request."
            )

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Unavailable(
                f"The folder {self._folder} for files on their way cannot be used: {error.strerror}. Make it writable "
                "for the user of ragbase, and see that the disk has room."
            ) from error
