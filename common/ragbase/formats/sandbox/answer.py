"""What a script that `run_sandboxed` runs does: answer.

It imports nothing else of ours, so that a script starts fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn


def answer(read: Callable[..., bytes]) -> NoReturn:
    """Write what `read` makes of the bytes on stdin, and of the script's options, to stdout, and end.

    Want of memory ends the process as a crash does. Threads that a library has left cannot disturb the end.
    """
    try:
        sys.stdout.buffer.write(read(sys.stdin.buffer.read(), *sys.argv[1:]))
        sys.stdout.buffer.flush()
    except MemoryError:
        os.abort()
    os._exit(0)
