"""Start processes that keep running when this one ends. Each has its own session, and writes to a log file.

The system reuses process ids. So a process is identified by its id and its command line together.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

STOP_SECONDS = 15
"""How long a process may take to stop before it is killed."""
_PROC = Path("/proc")


def start(command: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
    """Start a process and return its id. `environment` is its whole environment: it inherits nothing, also no open
    file, which might be somebody's lock.

    `running` sees the process from now on, until it ends.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    id = os.posix_spawn(
        command[0],
        list(command),
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), append, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
            *((os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in _inheritable()),
        ],
        setsid=True,
    )
    # Linux lets the parent go on before it has set the command line of the child: until then, the line is empty.
    while not _seen([id]).get(id) and os.waitid(os.P_PID, id, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.001)
    return id


def _inheritable() -> Iterator[int]:
    """The open files that a process would get from this one, but for its standard streams. Python opens none of them:
    the one that started Python did."""
    for name in os.listdir("/dev/fd"):  # noqa: PTH208 - these are numbers, and the list itself is one of them
        with suppress(OSError):
            if int(name) > 2 and os.get_inheritable(int(name)):
                yield int(name)


def running(commands: Mapping[int, Sequence[str]]) -> set[int]:
    """The ids of these processes that still run their command."""
    if not commands:
        return set()
    seen = _seen(commands)
    return {id for id, command in commands.items() if seen.get(id, "").strip() == " ".join(command)}


def _seen(ids: Iterable[int]) -> Mapping[int, str]:
    """The command lines of these processes, as far as they have one."""
    return _seen_in_proc(ids) if _PROC.is_dir() else _seen_by_ps(ids)


def _seen_in_proc(ids: Iterable[int]) -> Mapping[int, str]:
    """The command lines of the running processes. It is empty for a process that has ended."""
    lines = {}
    for id in ids:
        with suppress(FileNotFoundError, ProcessLookupError):
            lines[id] = (_PROC / str(id) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return lines


def _seen_by_ps(ids: Iterable[int]) -> Mapping[int, str]:
    """The same for systems without /proc, such as macOS."""
    options = ["-ww", "-o", "pid=,args=", "-p", ",".join(map(str, ids))]
    lines = subprocess.run(["ps", *options], capture_output=True, text=True, check=False).stdout.splitlines()
    return {int(id): arguments for id, _, arguments in (line.strip().partition(" ") for line in lines)}


def end(commands: Mapping[int, Sequence[str]]) -> None:
    """Stop these processes and all that they have started: first with SIGTERM, then with SIGKILL. Touch no others."""
    deadline = time.monotonic() + STOP_SECONDS
    left = _signalled(commands, signal.SIGTERM)
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = running({id: commands[id] for id in left})
    _signalled({id: commands[id] for id in left}, signal.SIGKILL)
    for id in commands:
        with suppress(ChildProcessError):  # only a process's parent can wait for it
            os.waitpid(id, 0 if id in left else os.WNOHANG)


def _signalled(commands: Mapping[int, Sequence[str]], number: signal.Signals) -> set[int]:
    sent = running(commands)
    for id in sent:
        with suppress(ProcessLookupError):
            os.killpg(id, number)
    return sent
