"""Run a script on untrusted bytes in a process of its own, with as much between it and the rest as the system has.

On Linux with Landlock and filters of system calls, the script reads its libraries, its input and the files it is given,
and writes its answer; it can do nothing else (sandbox/protections.py has the list, docs/security.md the limits).
`this_kernel().lacks` says what does not hold here.
"""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ragbase.ending import check_not_ending
from ragbase.formats.sandbox import launcher
from ragbase.formats.sandbox.protections import hide_variables, this_kernel
from ragbase.processors import processors

START = Path(launcher.__file__)
WANT_OF_MEMORY = (b"memory allocation of", b"MemoryError", b"std::bad_alloc")
"""What a script, or a library in it, says before want of memory ends it."""

LAST_WORDS = 2000
"""Bytes of what a script said before it failed."""

MOST_THREADS = 1000
"""A library has one for each processor or two. No limit of the kernel counts the threads of one process alone."""
WATCH_SECONDS = 0.1
"""Between two looks at them."""

SEEN_VARIABLES = (
    *("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONHASHSEED", "PYTHONHOME", "PYTHONUTF8", "TZ"),
    "PYTHONPYCACHEPREFIX",
)
"""All that a script of ours sees of this process's environment."""


class Crashed(Exception):
    """A signal ended the script: it broke, or ran out of memory."""

    def __init__(self, said: bytes = b"") -> None:
        super().__init__(said.decode(errors="replace"))
        self.wants_memory = any(word in said for word in WANT_OF_MEMORY)


class TimedOut(Exception):
    """The script took longer than it may, and was killed."""


def run_sandboxed(
    script: Path,
    data: bytes,
    *,
    memory_bytes: int,
    output_bytes: int,
    seconds: float,
    options: tuple[str, ...] = (),
    readable: Sequence[Path] = (),
) -> bytes:
    """What `script` answers on stdout for `data` on stdin. Its arguments are the `options`.

    It may read `readable`, files or folders with all that they hold, beside its libraries. Temporary files rather than
    pipes carry the bytes: nothing can block on them, and each has at most `output_bytes`. The script is dead on return,
    and when the thread that called ends. So is what it has started, where it can start anything, unless that has left
    its session. Raises Crashed, TimedOut, RuntimeError with the script's traceback for a fault of its own, and Busy if
    this process is about to end.
    """
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as errors:
        source.write(data)
        source.seek(0)
        cpu_seconds = math.ceil(seconds * processors()) + 1
        command = locked_up(script, options, (memory_bytes, output_bytes, cpu_seconds), readable)
        one_arena = environment(MALLOC_ARENA_MAX="1")  # each reserves 64 MB that count against the limit
        with subprocess.Popen(  # noqa: S603 - our own interpreter on our own script
            command, stdin=source, stdout=answer, stderr=errors, env=one_arena, start_new_session=True
        ) as process:
            try:
                _wait(process, seconds)
            finally:
                with suppress(ProcessLookupError, PermissionError):  # all dead already
                    os.killpg(process.pid, signal.SIGKILL)
        status = process.returncode
        if status:
            errors.seek(max(errors.seek(0, os.SEEK_END) - LAST_WORDS, 0))
            said = errors.read(LAST_WORDS)
            if status < 0:
                raise Crashed(said)
            raise RuntimeError(f"{script.name} failed:\n{said.decode(errors='replace')}")
        answer.seek(0)
        return answer.read()


def locked_up(
    script: Path, options: Sequence[str], limits: tuple[int, int, int], readable: Sequence[Path] = ()
) -> list[str]:
    """The command that runs a script of ours so, with at most so many bytes of memory and of each file, and seconds of
    a processor (or RLIM_INFINITY). Wait for its end in the thread that starts it: the process dies with that thread."""
    from ragbase.formats.sandbox.libraries import library_files  # a function that starts reads no file

    kernel = this_kernel()
    hide_variables(kernel)
    return [
        *(sys.executable, "-P", str(START), str(os.getpid()), *map(str, limits)),
        *(str(kernel.landlock), str(int(kernel.has_filters))),
        *(os.pathsep.join((*library_files(), *map(str, readable))), str(script), *options),
    ]


def environment(**variables: str) -> dict[str, str]:
    """What a script of ours sees: these variables, and the libraries that we see. No setting, no key."""
    seen = {name: os.environ[name] for name in SEEN_VARIABLES if name in os.environ}
    path = os.pathsep.join(filter(None, sys.path))
    return {**seen, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **variables}


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Until the process has ended. Raises TimedOut, Crashed for too many threads, and Busy if this one is about to."""
    end = time.monotonic() + seconds
    with _Ending(process) as ending:
        while not ending.within(min(WATCH_SECONDS, end - time.monotonic())):
            check_not_ending()
            if time.monotonic() >= end:
                raise TimedOut
            if _threads(process.pid) > MOST_THREADS:
                raise Crashed(b"It started too many threads.")


class _Ending:
    """The end of a process, to wait for. Where the system has no descriptor for it, Python looks again and again."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._descriptor: int | None = None
        with suppress(AttributeError, OSError):
            self._descriptor = os.pidfd_open(process.pid)

    def __enter__(self) -> _Ending:
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def within(self, seconds: float) -> bool:
        """Whether the process has ended within this time."""
        if self._descriptor is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(max(seconds, 0))
            return self._process.returncode is not None
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(max(seconds, 0) * 1000))


def _threads(pid: int) -> int:
    """0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[17])
    except OSError:
        return 0
