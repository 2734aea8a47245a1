"""A process that starts a server for all tests of a run, says where it is, and ends it when the run has ended.

Neither the end of the process that started it nor a Ctrl-C in the terminal ends it before the run.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from scripts.local_cloud.emulators import firestore_emulator, pubsub_emulator
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.weaviate import weaviate_server
from tests.shared_servers import keeper_file, run_file


@contextmanager
def _weaviate() -> Iterator[Mapping[str, int]]:
    with weaviate_server() as server:
        yield {name: getattr(server, name) for name in ("http_port", "grpc_port", "cluster_port")}


SERVERS: Mapping[str, Callable[[], AbstractContextManager[object]]] = {
    "firestore": firestore_emulator,
    "pubsub": pubsub_emulator,
    "weaviate": _weaviate,
}


def keep(name: str, folder: Path) -> None:
    """`folder` is that of the server, in the folder of the run."""
    run = os.open(run_file(folder.parent), os.O_RDWR)
    fcntl.flock(os.open(keeper_file(folder), os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX)
    try:
        with SERVERS[name]() as place:
            _say({"place": place})
            fcntl.flock(run, fcntl.LOCK_SH)  # waits until the run has ended
    except Missing as missing:
        _say({"missing": str(missing)})
    finally:
        if _has_ended(run):
            shutil.rmtree(folder.parent, ignore_errors=True)


def _say(answer: object) -> None:
    print(json.dumps(answer), flush=True)
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), sys.stdout.fileno())


def _has_ended(run: int) -> bool:
    try:
        fcntl.flock(run, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    if os.fork():
        os._exit(0)
    os.setsid()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    keep(sys.argv[1], Path(sys.argv[2]))
