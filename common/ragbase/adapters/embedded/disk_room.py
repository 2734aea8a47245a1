"""The room that is left on the disk of the data folder. The last of it is for deletions: they write, too, before they
free anything."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ragbase.domain.errors import Unavailable

_KEPT = 16 * 1024 * 1024
_LEAST = 1024 * 1024
_SHARE = 8
"""Of a small disk, this part is kept: an eighth."""

REMEDY = "Delete documents, or free space on the disk."


@dataclass(frozen=True, slots=True)
class DiskRoom:
    """Of the disk with this folder, some is kept free: 16 MB, or an eighth if that is less. Uploads and the making of
    chunks end there. What makes room may go on: deletions, their tombstones, and the removal of chunks."""

    folder: Path

    @property
    def is_used_up(self) -> bool:
        """Whether so little is left that not even deletions can be written."""
        return self._free < _LEAST

    @property
    def _free(self) -> int:
        try:
            disk = os.statvfs(self.folder)
        except OSError:
            return _LEAST
        return disk.f_bavail * disk.f_frsize

    def missing(self, size: int = 0) -> int:
        """Bytes that lack for a file of this size. None lack if the disk cannot be asked: its own error says why."""
        try:
            disk = os.statvfs(self.folder)
        except OSError:
            return 0
        kept = min(_KEPT, disk.f_blocks * disk.f_frsize // _SHARE)
        return max(0, size + kept - disk.f_bavail * disk.f_frsize)

    def check(self, size: int = 0) -> None:
        """Raises Unavailable if there is no room for a file of this size."""
        if missing := self.missing(size):
            raise Unavailable(
                f"The disk of {self.folder} is nearly full: {missing / 1_000_000:.1f} MB lack. The last of its room is "
                f"kept for deletions. {REMEDY}"
            )


def is_full(error: BaseException) -> bool:
    """Whether SQLite says that there is no room."""
    return isinstance(error, sqlite3.OperationalError) and "is full" in str(error)


def refusal(path: Path, error: BaseException) -> str:
    """What a write that SQLite has refused is told."""
    said = str(error).rstrip(".")
    return f"{path}: {said}. {REMEDY}" if is_full(error) else f"{path}: {said}."
