"""A function served by functions-framework in a process of its own, as in the cloud, and requests to it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.functions.recorded import Recorded

REPOSITORY = Path(__file__).parents[2]
FUNCTIONS = REPOSITORY / "functions"
START = 60.0
"""Seconds that a function may take to start, on a busy machine."""


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """A running function. `log` is the file of its standard output and error."""

    url: str
    log: Path

    def post(self, request: Recorded, path: str = "/") -> Answer:
        return self.send("POST", path, request.data, request.headers)

    def send(self, method: str, path: str, data: bytes | None, headers: Mapping[str, str]) -> Answer:
        request = urllib.request.Request(self.url + path, data, dict(headers), method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return Answer(response.status, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read())


def command(function: str, port: int, *, python: str = sys.executable, folder: Path = FUNCTIONS) -> list[str]:
    main = folder / function / "main.py"
    options = ["--target", function, "--source", str(main), "--host", "127.0.0.1", "--port", str(port)]
    return [python, "-m", "functions_framework", *options]


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAGBASE_")}
    return {**inherited, "PYTHONPATH": str(REPOSITORY / "common"), "THREADS": "4", **settings}


@contextmanager
def serve(
    function: str, settings: Mapping[str, str], log: Path, *, python: str = sys.executable, folder: Path = FUNCTIONS
) -> Iterator[Served]:
    """The function of `folder`, by default this repository's, served by `python`."""
    port = _free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command(function, port, python=python, folder=folder),
            env=environment(settings),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _await_port(process, port, log)
        yield Served(f"http://127.0.0.1:{port}", log)
    finally:
        process.terminate()
        process.wait(30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


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
