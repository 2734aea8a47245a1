"""Lock this process up, and run a script in it. `run_sandboxed` (run.py) starts it, and says in the arguments what the
system has.

What the system has and then refuses ends the process: no document is read with less than was said.
"""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from importlib.machinery import PathFinder

PARENT_CHECK_SECONDS = 0.5
MOST_OPEN_FILES = 256


def main() -> None:
    parent, memory_bytes, output_bytes, cpu_seconds, landlock, has_filters = map(int, sys.argv[1:7])
    readable, script, *options = sys.argv[7:]
    with open(script, "rb") as file:  # noqa: PTH123 - pathlib takes longer to load than the rest
        program = compile(file.read(), script, "exec")
    PathFinder.find_spec("_no_module_of_this_name")  # it lists the folders of the search path while it may
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, output_bytes)
    _limit(resource.RLIMIT_CPU, cpu_seconds)
    _limit(resource.RLIMIT_NOFILE, MOST_OPEN_FILES)
    _limit(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":
        _lock(parent, readable.split(os.pathsep), landlock, has_filters)
    else:
        _die_with(parent)
    sys.argv = [script, *options]
    try:
        exec(program, {"__name__": "__main__", "__file__": script})  # noqa: S102 - a script of ours
    except MemoryError:
        os.abort()


def _lock(parent: int, readable: list[str], landlock: int, has_filters: int) -> None:
    from ragbase.formats.sandbox import kernel

    kernel.give_up_privileges()
    kernel.die_with_parent(parent)
    if landlock:
        kernel.read_only(readable, landlock)
    if has_filters:
        kernel.refuse_calls(landlock)


def _die_with(parent: int) -> None:
    """A process whose parent has died is adopted by another."""
    import threading
    import time

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _limit(kind: int, amount: int) -> None:
    _, most = resource.getrlimit(kind)
    if most != resource.RLIM_INFINITY:
        amount = min(amount, most)
    with suppress(ValueError, OSError):  # some systems (macOS) know no limit of the address space
        resource.setrlimit(kind, (amount, amount))


if __name__ == "__main__":
    main()
