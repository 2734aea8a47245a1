"""How much the bodies of all requests may hold while they arrive or wait, and how much of it one sender."""

from __future__ import annotations

import threading
from collections import Counter

SPACE = 1024 * 1024 * 1024
"""Bytes of all bodies together. While nobody else sends, a sender may hold half of it: 10 files of the largest size."""

IN_MEMORY = 128 * 1024
"""Bytes of one body. A longer one is on the disk, in the folder for temporary files. All that a stranger may send is
below that (operations.py)."""

FILES = 64
"""The most bodies on the disk that one sender may have. Each is an open file, and a process may have 1,024 of those on
most systems. More than 36 uploads are never answered or waiting at once (threads.py)."""


class BodySpace:
    """What bodies hold, in bytes. May be used by several threads at once.

    What has arrived counts, and not what a request says that it will send: a client that says much and sends little
    must not keep others out. A sender may hold half of what the others leave. So there is always room for a new one.
    """

    def __init__(self, most: int = SPACE) -> None:
        self._most = most
        self._held = Counter[str]()
        self._files = Counter[str]()
        self._total = 0
        self._changing = threading.Lock()

    def has(self, sender: str, more: int = 0) -> bool:
        """Whether this much more of this sender has room now."""
        with self._changing:
            own = self._held[sender]
            others = self._total - own
            files = self._files[sender] + (more > IN_MEMORY)
            return own + more <= (self._most - others) // 2 and files <= FILES

    def change(self, sender: str, *, before: int, after: int) -> None:
        """A body of this sender held so much before, and holds so much now."""
        with self._changing:
            self._total += after - before
            self._held[sender] += after - before
            self._files[sender] += (after > IN_MEMORY) - (before > IN_MEMORY)
            if not self._held[sender]:
                del self._held[sender], self._files[sender]
