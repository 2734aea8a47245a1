"""`ragbase` as a program that starts at once, for tests that need a real process and not a new interpreter.

A new interpreter imports for half a second before a command begins. Here, one process imports once, and forks a child
for each command: a process of its own, with the streams, signals, folder, environment, limits and exit code of the
program that a test or a shell has started.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FRESH = (sys.executable, "-P", "-m", "ragbase.interfaces.cli.main")
"""`ragbase` in an interpreter of its own. It needs PYTHONPATH."""

OURS = ("RAGBASE_", "PYTHON", "LANG", "LC_")
"""How the variables begin that the server does not take over from the tests."""


@cache
def warm() -> tuple[str, ...]:
    """How the command begins that starts `ragbase`. The server ends with this process."""
    folder = tempfile.mkdtemp(prefix="warm-")
    server = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.warm.server", f"{folder}/socket"],
        env={name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        | {"PYTHONPATH": f"{ROOT}:{ROOT / 'common'}", "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert server.stdin is not None and server.stdout is not None
    assert server.stdout.readline() == b"ready\n", "the server of warm commands did not start"
    atexit.register(server.communicate)  # it ends when its standard input does, and takes its folder along
    return (sys.executable, "-I", "-S", str(Path(__file__).with_name("client.py")), f"{folder}/socket")


def program(file: Path, command: tuple[str, ...]) -> None:
    """An executable file that runs this command."""
    words = " ".join(f"'{word}'" for word in command)
    file.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    file.chmod(0o755)
