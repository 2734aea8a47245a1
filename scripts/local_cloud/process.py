"""Run a server in its own process: start it on a free port, wait until it answers, and stop it in the end."""

from __future__ import annotations

import fcntl
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60
STOP_SECONDS = 10


@contextmanager
def running(command: Sequence[str], *, health: str, environment: Mapping[str, str]) -> Iterator[int]:
    """Run a server and give the id of its process, as soon as the URL `health` answers."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=os.environ | environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + START_SECONDS
            while not _answers(health):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    raise RuntimeError(f"{command[0]} did not start: {log.read()[-2000:].decode(errors='replace')}")
                time.sleep(0.01)
            yield process.pid
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def cache_folder(server: str) -> Path:
    """Where a server is kept after it was downloaded or built. `server` is its name with its version."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ragbase" / "servers" / server


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Let one process at a time fill the folder, which is made if it is missing. The others wait."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10):
            return True
    except (urllib.error.URLError, OSError):
        return False
