"""Whether the protections hold here: not what the kernel says, but what a script in a reader's place can do.

This file is that script, too: it tries one thing for each protection, as a hostile reader would. Its option is a file
that this user may read and change. Its answer is {"possible": [PROTECTION, …], "variables": [NAME, …]}.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ragbase.formats.sandbox.answer import answer
from ragbase.formats.sandbox.protections import Protection
from ragbase.formats.sandbox.run import environment, run_sandboxed

_SCRIPT = Path(__file__)
_MEMORY, _OUTPUT, _SECONDS = 1 << 30, 1 << 16, 30.0
_PR_GET_NO_NEW_PRIVS = 39


def broken_protections() -> tuple[Protection, ...]:
    """Those that do not hold. Raises as `run_sandboxed`."""
    with tempfile.NamedTemporaryFile() as file:
        said = json.loads(
            run_sandboxed(
                _SCRIPT, b"", memory_bytes=_MEMORY, output_bytes=_OUTPUT, seconds=_SECONDS, options=(file.name,)
            )
        )
    broken = {Protection(name) for name in said["possible"]}
    if set(said["variables"]) - set(environment(MALLOC_ARENA_MAX="", LC_CTYPE="")):  # Python sets LC_CTYPE itself
        broken.add(Protection.ENVIRONMENT)
    return tuple(one for one in Protection if one in broken)


def _tried(_: bytes, file: str) -> bytes:
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
    answer(_tried)
