"""Processes that outlive the one that starts them: each in a session of its own, its output in a log file.

A process is known by its id and its command line together, as ids are used again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

STOP_SECONDS = 15


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
    options = ["-ww", "-o", "pid=,args=", "-p", ",".join(map(str, commands))]
    lines = subprocess.run(["ps", *options], capture_output=True, text=True, check=False).stdout.splitlines()
    seen = {int(id): arguments for id, _, arguments in (line.strip().partition(" ") for line in lines)}
    return {id for id, command in commands.items() if seen.get(id, "").strip() == " ".join(command)}


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
