"""The Google Cloud profile: Cloud Storage, Pub/Sub, Firestore, Weaviate or Qdrant, and an embedding service."""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragbase import telemetry
from ragbase.bootstrap.embedders import embedder_of
from ragbase.bootstrap.once import once
from ragbase.bootstrap.profile import Profile
from ragbase.config import Config, variable_of
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.domain.job import Job
from ragbase.domain.routing import Lane
from ragbase.ports import Topic

if TYPE_CHECKING:
    from ragbase.adapters.embedded.folder_watcher import FolderWatcher
    from ragbase.adapters.qdrant_indexes import QdrantIndexes
    from ragbase.adapters.shared_batches import SharedBatches
    from ragbase.adapters.weaviate_indexes import WeaviateIndexes
    from ragbase.domain.index import Index
    from ragbase.ports import Bucket, Checkpoints, DeadLetters, DocumentStore, Publisher


class CloudProfile(Profile):
    """Clients of services. The functions do the work: this process uploads, asks, or is one of them."""

    runs_lanes = False

    def __init__(self, config: Config) -> None:
        """Raises ConfigurationError where the project is not named."""
        super().__init__(config)
        self._required("project")

    @once
    def bucket(self) -> Bucket:
        from ragbase.adapters.google.cloud_storage import CloudStorageBucket

        return CloudStorageBucket(self.config.bucket, project=self.config.project)

    @once
    def documents(self) -> DocumentStore:
        from ragbase.adapters.google.firestore import FirestoreDocumentStore

        return FirestoreDocumentStore(self.config.project, database=self.config.firestore_database)

    @once
    def dead_letters(self) -> DeadLetters:
        from ragbase.adapters.google.dead_letters import FirestoreDeadLetters

        return FirestoreDeadLetters(self.config.project, database=self.config.firestore_database)

    @once
    def checkpoints(self) -> Checkpoints:
        from ragbase.adapters.google.checkpoints import FirestoreCheckpoints

        return FirestoreCheckpoints(self.config.project, database=self.config.firestore_database)

    @once
    def publisher(self) -> Publisher:
        from ragbase.adapters.google.pubsub import PubSubPublisher

        topics = {
            Topic.FAST: self.config.fast_topic,
            Topic.HEAVY: self.config.heavy_topic,
            Topic.DEAD_LETTER: self.config.dead_letter_topic,
        }
        return PubSubPublisher(self.config.project, topics)

    @once
    def indexes(self) -> WeaviateIndexes | QdrantIndexes:
        if self.config.vector_store == "qdrant":
            from ragbase.adapters.qdrant_connection import qdrant_client
            from ragbase.adapters.qdrant_indexes import QdrantIndexes

            client = qdrant_client(self._required("qdrant_url"), self.config.qdrant_api_key.get_secret_value())
            self.opened.callback(client.close)
            return QdrantIndexes(client, alias=self.config.qdrant_collection)
        from ragbase.adapters.weaviate_indexes import WeaviateIndexes

        indexes = WeaviateIndexes(
            self._required("weaviate_url"),
            api_key=self.config.weaviate_api_key.get_secret_value(),
            grpc_url=self.config.weaviate_grpc_url,
            alias=self.config.weaviate_alias,
            model=self.embedder.model,
            fills=self.fills_index,
        )
        self.opened.callback(indexes.close)
        return indexes

    @once
    def embedder(self) -> SharedBatches:
        from ragbase.adapters.shared_batches import SharedBatches

        return SharedBatches(embedder_of(self.config, self.opened))

    def embedder_for(self, index: Index) -> SharedBatches:
        from ragbase.adapters.shared_batches import SharedBatches

        return SharedBatches(super().embedder_for(index))

    @once
    def worker(self) -> str:
        # An instance of a function has no name of its own that another could not have at the same time.
        return f"{os.environ.get('K_REVISION', 'local')}-{secrets.token_hex(8)}"

    def check_index(self) -> None:
        """As in every profile. A service that is away is logged and passes: documents wait, and queries say so."""
        for setting in ("weaviate_url", "weaviate_grpc_url", "qdrant_url", "cohere_url", "openai_url"):
            if setting.startswith((self.config.vector_store, self.config.embedder)):
                self._resolve(setting)
        try:
            self._check_dimension(self.indexes.check())
        except TransientError as error:
            telemetry.log("start.index_away", level=logging.WARNING, reason=str(error))

    def process(self, job: Job, lane: Lane) -> None:
        """Documents that are processed at the same time in this instance share calls of the embedding service."""
        from ragbase.adapters.shared_batches import SharedBatches

        embedder = self.begun().embedder
        with embedder.joining() if isinstance(embedder, SharedBatches) else nullcontext():
            super().process(job, lane)

    def subscriptions(self, settled: Callable[[str], None]) -> AbstractContextManager[object]:
        """Nothing runs here: the cloud's own subscriptions push to the functions."""
        return nullcontext()

    def collect_dead_letters(self) -> None:
        """The dead_letter function has them already."""

    def watcher(self) -> FolderWatcher:
        raise ConfigurationError(
            f"The bucket {self.config.bucket} is no folder that could be watched. `ragbase serve` is for the profile "
            "embedded; in the profile gcp the bucket's own notifications reach the router."
        )

    def _check_dimension(self, live: Index | None) -> None:
        """Another model is no mistake: the live index goes on with its own until `ragbase reindex` has made one with
        the new model. The same model with another dimension hardly is what somebody wants."""
        mine = self.embedder
        if live is None or live.dimension == mine.dimension:
            return
        if live.model.removesuffix(f"-{live.dimension}") == mine.model.removesuffix(f"-{mine.dimension}"):
            alias = "qdrant_collection" if self.config.vector_store == "qdrant" else "weaviate_alias"
            raise ConfigurationError(
                f"The live index (setting `{alias}`) was made with {live.model}, of {live.dimension} dimensions, and "
                f"the setting `embedding_dimension` is {mine.dimension}. Set {variable_of('embedding_dimension')} to "
                f"{live.dimension}, or make another index first: `ragbase reindex`, with the new setting."
            )

    def _required(self, setting: str) -> str:
        value = getattr(self.config, setting)
        if not value:
            raise ConfigurationError(
                f"The setting `{setting}` is missing, which the profile gcp needs. Set the environment variable "
                f"{variable_of(setting)}."
            )
        return str(value)

    def _resolve(self, setting: str) -> None:
        """Raises ConfigurationError where the setting has a URL whose host nobody knows."""
        url = getattr(self.config, setting)
        if not url:
            return
        try:
            socket.getaddrinfo(urlsplit(url).hostname or "", None)
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"The setting `{setting}` is {url!r}, and there is no such host ({error}). Set the environment "
                f"variable {variable_of(setting)} to a URL such as https://host:port."
            ) from error
