"""How much the bodies of all requests may hold while they arrive or wait."""

from __future__ import annotations

import threading

SPACE = 1024 * 1024 * 1024
"""Bytes of all bodies together: 20 files of the largest size, or the 36 uploads that may be answered or wait at once
with 28 MB each."""

IN_MEMORY = 64 * 1024
"""Bytes of one body. A longer one is on the disk, in the folder for temporary files."""


class BodySpace:
    """What bodies hold, in bytes. May be used by several threads at once.

    What has arrived counts, and not what a request says that it will send: a client that says much and sends little
    must not keep others out.
    """

    def __init__(self, most: int = SPACE) -> None:
        self._most = most
        self._held = 0
        self._changing = threading.Lock()

    def has(self, more: int = 0) -> bool:
        """Whether this much more has room now."""
        return self._held + more <= self._most

    def hold(self, more: int) -> None:
        """Count bytes that have arrived; less than 0 for those that are thrown away."""
        with self._changing:
            self._held += more
