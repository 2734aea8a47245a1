"""Which processes are working in a data folder, and which of them have died.

Each holds a lock on a file of its own for as long as it lives; the system drops the lock with the process, however it
ends. So the work of a killed process is free again at once, without waiting for a lease to run out.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Callable
from pathlib import Path

_SUFFIX = ".lock"


class Presence:
    """This process's sign of life in `folder`, until `close`."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._folder = folder
        self._file = folder / f"{self.name}{_SUFFIX}"
        folder.mkdir(parents=True, exist_ok=True)
        unseen = folder / f".{self.name}"
        self._descriptor = os.open(unseen, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        unseen.rename(self._file)  # locked before it can be seen, so that nobody takes it for dead

    def bury(self, recover: Callable[[str], None]) -> None:
        """Call `recover` with the name of every process that has died here; only one process does so for each."""
        for file in self._folder.glob(f"*{_SUFFIX}"):
            if file != self._file:
                self._bury(file, recover)

    def _bury(self, file: Path, recover: Callable[[str], None]) -> None:
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # it lives
        else:
            if file.exists():
                recover(file.name.removesuffix(_SUFFIX))
                file.unlink(missing_ok=True)
        finally:
            os.close(descriptor)

    def close(self) -> None:
        self._file.unlink(missing_ok=True)
        os.close(self._descriptor)
