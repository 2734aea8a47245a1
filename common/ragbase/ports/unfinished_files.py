"""Files that come in parts, until they are whole."""

from __future__ import annotations

from typing import Protocol


class UnfinishedFiles(Protocol):
    """Each has a name of hexadecimal digits, which nobody guesses, and whose first 16 stand for who sends it. All
    processes of a deployment see the same. One that gets no more parts for an hour may be removed."""

    def size(self, name: str) -> int:
        """How many bytes have come; 0 for an unknown one."""
        ...

    def append(self, name: str, start: int, data: bytes) -> int:
        """Add bytes that begin at this place, and return how many there are then. Bytes that leave a gap are not added,
        and what is there already stays as it is. Raises Unavailable if there is no room for one more file, of anybody
        or of its sender."""
        ...

    def read(self, name: str) -> bytes:
        """What has come; nothing for an unknown one."""
        ...

    def remove(self, name: str) -> None:
        """It may not be there."""
        ...
