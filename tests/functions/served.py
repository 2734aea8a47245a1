"""A function served by functions-framework in a process of its own, as in the cloud, and requests to it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.google_environment import google_environment
from scripts.local_cloud.user import Answer, Api
from tests.functions.recorded import Recorded

REPOSITORY = Path(__file__).parents[2]
FUNCTIONS = REPOSITORY / "functions"
START = 60.0
"""Seconds that a function may take to start, on a busy machine."""


@dataclass(frozen=True)
class Served(Api):
    """A running function. `log` is the file of its standard output and error."""

    log: Path

    def post(self, request: Recorded, path: str = "/") -> Answer:
        return self.send("POST", path, request.data, request.headers)


def command(
    function: str,
    *,
    python: str = sys.executable,
    folder: Path = FUNCTIONS,
    program: str = "functions_framework",
) -> list[str]:
    """In the cloud, the current folder has the source, every address is listened on, and there are no options."""
    return [python, "-m", program, "--source", str(folder / function / "main.py"), "--host", "127.0.0.1"]


def environment(function: str, settings: Mapping[str, str], port: int = 0) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAGBASE_")}
    given = google_environment(function, port)
    return {**inherited, **given, "PYTHONPATH": str(REPOSITORY / "common"), "THREADS": "4", **settings}


def serve_on_folder(function: str, settings: Mapping[str, str], log: Path) -> AbstractContextManager[Served]:
    """The function over the data folder of the settings (see on_a_folder.py)."""
    path = os.pathsep.join((str(REPOSITORY / "common"), str(REPOSITORY)))
    return serve(function, {"PYTHONPATH": path, **settings}, log, program="tests.functions.on_a_folder")


@contextmanager
def serve_when_asked(settings: Mapping[str, str], logs: Path) -> Iterator[Callable[[str], Served]]:
    """Gives the running function of a name over the data folder of the settings, started at its first use."""
    running: dict[str, Served] = {}
    with ExitStack() as stack:

        def get(name: str) -> Served:
            if name not in running:
                running[name] = stack.enter_context(serve_on_folder(name, settings, logs / f"{name}.log"))
            return running[name]

        yield get


@contextmanager
def serve(
    function: str,
    settings: Mapping[str, str],
    log: Path,
    *,
    python: str = sys.executable,
    folder: Path = FUNCTIONS,
    program: str = "functions_framework",
) -> Iterator[Served]:
    """The function of `folder`, by default this repository's, served by `python` with the module `program`."""
    port = free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command(function, python=python, folder=folder, program=program),
            env=environment(function, settings, port),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _await_port(process, port, log)
        yield Served(f"http://127.0.0.1:{port}", log)
    finally:
        process.terminate()
        process.wait(30)


def _await_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"The function ended at start:\n{log.read_text()}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"The function did not start within {START} s:\n{log.read_text()}")
