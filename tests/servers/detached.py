"""Processes that outlive the one that starts them: each in a session of its own, its output in a log file.

A process is known by its id and its command line together, as ids are used again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

STOP_SECONDS = 15
_PROC = Path("/proc")


def start(command: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
    """Its id. The environment is whole: nothing is inherited."""
    log.parent.mkdir(parents=True, exist_ok=True)
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.posix_spawn(
        command[0],
        list(command),
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), append, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )


def running(commands: Mapping[int, Sequence[str]]) -> set[int]:
    """Which of these processes still run what they were started with."""
    if not commands:
        return set()
    seen = _seen_in_proc(commands) if _PROC.is_dir() else _seen_by_ps(commands)
    return {id for id, command in commands.items() if seen.get(id, "").strip() == " ".join(command)}


def _seen_in_proc(ids: Iterable[int]) -> Mapping[int, str]:
    """The command lines of the processes that run. One that has ended and is not waited for has none."""
    lines = {}
    for id in ids:
        with suppress(FileNotFoundError, ProcessLookupError):
            lines[id] = (_PROC / str(id) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return lines


def _seen_by_ps(ids: Iterable[int]) -> Mapping[int, str]:
    """The same where there is no /proc, as on macOS."""
    options = ["-ww", "-o", "pid=,args=", "-p", ",".join(map(str, ids))]
    lines = subprocess.run(["ps", *options], capture_output=True, text=True, check=False).stdout.splitlines()
    return {int(id): arguments for id, _, arguments in (line.strip().partition(" ") for line in lines)}


def end(commands: Mapping[int, Sequence[str]]) -> None:
    """End these processes with all that they have started, first asking, then by force. Others are left alone."""
    deadline = time.monotonic() + STOP_SECONDS
    left = _signalled(commands, signal.SIGTERM)
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = running({id: commands[id] for id in left})
    _signalled({id: commands[id] for id in left}, signal.SIGKILL)
    for id in commands:
        with suppress(ChildProcessError):  # somebody else's child is not ours to wait for
            os.waitpid(id, 0 if id in left else os.WNOHANG)


def _signalled(commands: Mapping[int, Sequence[str]], number: signal.Signals) -> set[int]:
    sent = running(commands)
    for id in sent:
        with suppress(ProcessLookupError):
            os.killpg(id, number)
    return sent
