"""Run a script on untrusted bytes in a process of its own, where it can do no harm but to itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

WANT_OF_MEMORY = (b"memory allocation of", b"MemoryError", b"std::bad_alloc")
"""What a script, or a library in it, says before want of memory ends it."""


class Crashed(Exception):
    """A signal ended the script: it broke, or ran out of memory."""

    def __init__(self, said: bytes = b"") -> None:
        super().__init__(said.decode(errors="replace"))
        self.wants_memory = any(word in said for word in WANT_OF_MEMORY)


class TimedOut(Exception):
    """The script took longer than it may, and was killed."""


def run_sandboxed(
    script: Path, data: bytes, *, memory_bytes: int, output_bytes: int, seconds: float, options: tuple[str, ...] = ()
) -> bytes:
    """What `script` answers on stdout for `data` on stdin.

    Its arguments are this process's id, `memory_bytes`, `output_bytes` and `options`; it calls for the limits itself
    (formats/limited_process.py), as forking a process that has threads is not safe. Temporary files rather than pipes
    carry the bytes: nothing can block on them. Whatever happens, the script and its children are dead on return.
    Raises Crashed, TimedOut, and RuntimeError with the script's traceback for a fault of its own.
    """
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as errors:
        source.write(data)
        source.seek(0)
        command = [sys.executable, "-P", str(script), str(os.getpid()), str(memory_bytes), str(output_bytes), *options]
        one_arena = environment(MALLOC_ARENA_MAX="1")  # each reserves 64 MB that count against the limit
        with subprocess.Popen(  # noqa: S603 - our own interpreter on our own script
            command, stdin=source, stdout=answer, stderr=errors, env=one_arena, start_new_session=True
        ) as process:
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired as error:
                raise TimedOut from error
            finally:
                with suppress(ProcessLookupError, PermissionError):  # all dead already
                    os.killpg(process.pid, signal.SIGKILL)
        if status < 0:
            errors.seek(0)
            raise Crashed(errors.read()[-2000:])
        if status > 0:
            errors.seek(0)
            raise RuntimeError(f"{script.name} failed:\n{errors.read().decode(errors='replace')[-2000:]}")
        answer.seek(0)
        return answer.read()


def environment(**variables: str) -> dict[str, str]:
    """Ours for a script of ours, with the libraries that we see, and these variables."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables}
