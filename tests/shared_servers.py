"""The servers that take seconds to start: one of each for all tests of a run, in however many processes they are.

The first test that needs a server starts its keeper (tests/server_keeper.py), and the others read from a file in the
folder of the run where the server is. The process that began the run holds a lock on that folder. The kernel takes the
lock away when the process ends, however it ends, and then each keeper ends its server. Tests on one server do not see
each other, as each has a project, or a name of collections, of its own.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.process import exclusive
from scripts.local_cloud.weaviate import WeaviateServer, weaviate_binary

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "TEST_SERVERS"
"""The folder of the run, for the processes that share the tests, and for those that the tests start."""

_process = secrets.token_hex(4)
_fresh = count(1)


def begin_run() -> Callable[[], None]:
    """Returns what ends the run: it waits until all servers have ended. A run inside of another uses its servers."""
    if VARIABLE in os.environ:
        return lambda: None
    folder = Path(tempfile.mkdtemp(prefix="test-servers-"))
    os.environ[VARIABLE] = str(folder)
    lock = os.open(run_file(folder), os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)

    def end() -> None:
        del os.environ[VARIABLE]
        keepers = [os.open(file, os.O_RDWR) for file in folder.glob(keeper_file(Path("*")).as_posix())]
        os.close(lock)
        for keeper in keepers:
            fcntl.flock(keeper, fcntl.LOCK_EX)
            os.close(keeper)
        shutil.rmtree(folder, ignore_errors=True)

    return end


def run_file(folder: Path) -> Path:
    """Locked as long as the run goes on."""
    return folder / "run"


def keeper_file(folder: Path) -> Path:
    """In the folder of a server: locked as long as its keeper is there."""
    return folder / "keeper"


@cache
def shared_firestore() -> str:
    """The value for FIRESTORE_EMULATOR_HOST. Raises Missing."""
    return str(_place_of("firestore"))


@cache
def shared_pubsub() -> str:
    """The value for PUBSUB_EMULATOR_HOST. Raises Missing."""
    return str(_place_of("pubsub"))


@cache
def shared_weaviate() -> WeaviateServer:
    """Raises Missing."""
    weaviate_binary()  # builds it here, where a Ctrl-C ends the build: no keeper sees one
    return WeaviateServer(Path(), **_place_of("weaviate"))


def fresh_project() -> str:
    """A project of its own: the emulators keep each project's things apart."""
    return f"test-{_process}-{next(_fresh)}"


@contextmanager
def fresh_alias(server: WeaviateServer) -> Iterator[str]:
    """An alias of its own. Its collections are deleted in the end."""
    alias = f"Test{_process}N{next(_fresh)}"
    try:
        yield alias
    finally:
        server.drop(alias)


def _place_of(name: str) -> Any:
    """What the keeper says of its server. It is started if this is the first who asks."""
    folder = Path(os.environ[VARIABLE]) / name
    said = folder / "said"
    with exclusive(folder):
        if not said.exists():
            said.write_text(_start_keeper(name, folder), encoding="utf-8")
    answer = json.loads(said.read_text(encoding="utf-8"))
    if "missing" in answer:
        raise Missing(answer["missing"])
    return answer["place"]


def _start_keeper(name: str, folder: Path) -> str:
    log = folder / "log"
    with log.open("ab") as errors:
        # It closes its output when it has said all.
        said = subprocess.run(
            [sys.executable, "-P", "-m", "tests.server_keeper", name, str(folder)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "common")])},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            check=False,
        ).stdout
    if not said:
        raise RuntimeError(f"The keeper of {name} ended: {log.read_text(errors='replace')[-2000:]}")
    return said
