"""The script that tries, as a hostile reader would, one thing for each protection (see formats/limited_process.py). Its
option is a file that this user may read and change. Its answer is {"possible": [PROTECTION, …], "variables": [NAME,
…]}."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable

from ragbase.formats.isolation.protections import Protection
from ragbase.formats.limited_process import answer

_PR_GET_NO_NEW_PRIVS = 39


def tried(_: bytes, file: str) -> bytes:
    attempts: dict[Protection, Callable[[], object]] = {
        Protection.ENVIRONMENT: lambda: os.open(f"/proc/{os.getppid()}/environ", os.O_RDONLY),
        Protection.PRIVILEGES: _may_get_more,
        Protection.READING: lambda: os.open(file, os.O_RDONLY),
        Protection.WRITING: lambda: os.open(file, os.O_WRONLY),
        Protection.NETWORK: socket.socket,
        Protection.PROGRAMS: _fork,
        Protection.SIGNALS: lambda: os.kill(os.getppid(), 0),
    }
    possible = [name for name, attempt in attempts.items() if _succeeds(attempt)]
    return json.dumps({"possible": possible, "variables": list(os.environ)}).encode()


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _may_get_more() -> None:
    if sys.platform == "linux" and ctypes.CDLL(None).prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1:
        raise PermissionError


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


if __name__ == "__main__":
    answer(tried)
