"""What each part of the local cloud knows of the others: the settings, the topics, and which function gets which
messages.

The parts are processes of this machine (local_parts.py), or containers (contained.py).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ragbase.config import load_config
from ragbase.settings import DEFAULT_BUCKET, Config, variable_of
from scripts.local_cloud.google_environment import google_environment
from scripts.local_cloud.pusher import Push
from tests.doubles import vertex_server

PROJECT = "ragbase-local"
BUCKET = DEFAULT_BUCKET
UPLOADS = "ragbase-uploads"
"""The topic for the bucket's notifications."""
KEPT = "ragbase-dead-letter-kept"
"""The topic for messages that even the function dead_letter cannot handle. They wait there for a person."""
Service = Literal["cohere", "vertex"]
"""Who embeds, and what its server is called."""
SERVICES: tuple[Service, ...] = get_args(Service)
DEFAULT_DATABASE = "(default)"
"""The id of the database that every project of Firestore's emulator has."""
BACKOFF = (10, 30)
"""How many seconds a message waits after its first failure, and the longest wait. An outage costs no attempts, so the
waits can be short: when a service is back, the documents that wait for it are done soon."""
_CONCURRENCY = 16
"""How many requests one function's process handles at a time, like one instance in the cloud."""

Process = tuple[Sequence[str], Mapping[str, str]]
"""A command line and its environment."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """Pushes a topic's messages to a function, which must answer within `seconds`. It has the topic's name."""

    function: str
    topic: str
    seconds: int
    dead_letter: str


@dataclass(frozen=True, slots=True)
class Wiring:
    """Where each part is (HOST:PORT), a data folder without a settings file, how many inputs a minute the embedding
    server takes (0: any number), the id of the database with the records, and who embeds."""

    hosts: Mapping[str, str]
    home: Path
    rate: int = 0
    database: str = DEFAULT_DATABASE
    service: Service = "cohere"

    def url(self, name: str) -> str:
        return f"http://{self.hosts[name]}"

    def settings(self) -> dict[str, str]:
        """The environment of a process that uses this local cloud."""
        return {
            "STORAGE_EMULATOR_HOST": self.url("storage"),
            "PUBSUB_EMULATOR_HOST": self.hosts["pubsub"],
            "FIRESTORE_EMULATOR_HOST": self.hosts["firestore"],
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
            "GCE_METADATA_HOST": self.hosts["vertex"],
            "GCE_METADATA_IP": self.hosts["vertex"],
        }

    def config(self) -> Config:
        """The settings that the functions use."""
        return load_config(home=self.home, environment=self.settings())

    def subscriptions(self) -> Sequence[Subscription]:
        topics = self.config()
        return (
            Subscription("router", UPLOADS, 60, topics.dead_letter_topic),
            Subscription("fast_lane", topics.fast_topic, 120, topics.dead_letter_topic),
            Subscription("heavy_lane", topics.heavy_topic, 600, topics.dead_letter_topic),
            Subscription("dead_letter", topics.dead_letter_topic, 60, KEPT),
        )

    def pushes(self) -> Sequence[Push]:
        return [
            Push(f"projects/{PROJECT}/subscriptions/{one.topic}", self.url(one.function), one.seconds, *BACKOFF)
            for one in self.subscriptions()
        ]

    def function(self, name: str, folder: Path, port: int, *, listen: str = "127.0.0.1") -> Process:
        """The function whose main.py is in the folder, on a port of the address that it listens on. The environment
        is what it has beside that of the machine."""
        options = ["--source", str(folder / "main.py"), "--host", listen]
        environment = {
            **google_environment(name, port),
            **self.settings(),
            "THREADS": str(_CONCURRENCY),
            variable_of("home"): str(self.home),
            variable_of("log_level"): "INFO",
        }
        return [sys.executable, "-P", "-m", "functions_framework", *options], environment
