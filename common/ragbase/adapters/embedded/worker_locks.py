"""Which processes work in a data folder, and which of them have died.

Each process holds a lock on its own file. The system releases the lock when the process ends, for whatever reason. So
the work of a killed process is free again at once, without waiting for a lease to run out.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
from collections.abc import Callable
from pathlib import Path

from ragbase.adapters.embedded.private_files import make_folder, open_file
from ragbase.domain.errors import ConfigurationError

_SUFFIX = ".lock"


class WorkerLocks:
    """Shows in `folder` that this process is running, from `enter` until `close`."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._folder = folder
        self._file = folder / f"{self.name}{_SUFFIX}"
        self._entering = threading.Lock()
        self._descriptor: int | None = None

    def enter(self) -> None:
        """Call it before this process takes any work. May be called again. Raises ConfigurationError if the folder
        cannot be written."""
        with self._entering:
            if self._descriptor is None:
                self._descriptor = self._lock()

    def _lock(self) -> int:
        hidden = self._folder / f".{self.name}"
        try:
            make_folder(self._folder)
            descriptor = open_file(hidden, os.O_CREAT | os.O_RDWR)
        except OSError as error:
            raise ConfigurationError(
                f"{self._folder} cannot be written: {error.strerror}. Make the folder writable, or choose another data "
                "folder with --home or RAGBASE_HOME."
            ) from error
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        hidden.rename(self._file)  # locked before others can see it: without a lock they would think it died
        return descriptor

    def is_alone(self) -> bool:
        """Whether no other process is running here."""
        return not any(_is_locked(file) for file in self._folder.glob(f"*{_SUFFIX}") if file != self._file)

    def take_over(self, dead: Callable[[str], None]) -> None:
        """Call `dead` with the name of every process that died here. Only one process does so for each dead one."""
        for file in self._folder.glob(f"*{_SUFFIX}"):
            if file != self._file:
                self._take_over(file, dead)

    def _take_over(self, file: Path, dead: Callable[[str], None]) -> None:
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # it is running
        else:
            if file.exists():
                dead(file.name.removesuffix(_SUFFIX))
                file.unlink(missing_ok=True)
        finally:
            os.close(descriptor)

    def close(self) -> None:
        with self._entering:
            if self._descriptor is not None:
                self._file.unlink(missing_ok=True)
                os.close(self._descriptor)
                self._descriptor = None


def _is_locked(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)
