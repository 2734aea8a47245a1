"""What a script that `run_sandboxed` starts does first: take its limits, and die with its parent.

It imports nothing else of ours, so that a script starts fast.
"""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

PARENT_CHECK_SECONDS = 0.5


def answer(read: Callable[..., bytes]) -> NoReturn:
    """Write what `read` makes of the bytes on stdin, and of the script's options, to stdout, and end.

    Want of memory ends the process as a crash does. Threads that a library has left cannot disturb the end.
    """
    parent, memory_bytes, output_bytes = map(int, sys.argv[1:4])
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, output_bytes)
    _limit(resource.RLIMIT_CORE, 0)
    try:
        sys.stdout.buffer.write(read(sys.stdin.buffer.read(), *sys.argv[4:]))
        sys.stdout.buffer.flush()
    except MemoryError:
        os.abort()
    os._exit(0)


def _end_with(parent: int) -> None:
    """A process whose parent has died is adopted by another."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_SECONDS)
    os._exit(1)


def _limit(kind: int, amount: int) -> None:
    with suppress(ValueError, OSError):  # some systems (macOS) know no limit of the address space
        resource.setrlimit(kind, (amount, amount))
