"""The Google Cloud profile: Cloud Storage, Pub/Sub, Firestore, Weaviate or Qdrant, and an embedding service."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from ragbase.bootstrap.embedders import embedder_of
from ragbase.bootstrap.once import once
from ragbase.bootstrap.profile import Profile
from ragbase.config import Config, variable_of
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.job import Job
from ragbase.domain.routing import Lane
from ragbase.ports import Topic

if TYPE_CHECKING:
    from ragbase.adapters.embedded.folder_watcher import FolderWatcher
    from ragbase.adapters.shared_batches import SharedBatches
    from ragbase.ports import Bucket, DocumentStore, Publisher, VectorStore


class CloudProfile(Profile):
    """Clients of services. The functions do the work: this process uploads, asks, or is one of them."""

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
    def publisher(self) -> Publisher:
        from ragbase.adapters.google.pubsub import PubSubPublisher

        topics = {
            Topic.FAST: self.config.fast_topic,
            Topic.HEAVY: self.config.heavy_topic,
            Topic.DEAD_LETTER: self.config.dead_letter_topic,
        }
        return PubSubPublisher(self.config.project, topics)

    @once
    def vectors(self) -> VectorStore:
        model, dimension = self.embedder.model, self.embedder.dimension
        if self.config.vector_store == "qdrant":
            from ragbase.adapters.qdrant import QdrantVectorStore, qdrant_client

            return QdrantVectorStore(
                qdrant_client(self._required("qdrant_url"), self.config.qdrant_api_key.get_secret_value()),
                collection=self.config.qdrant_collection,
                model=model,
                dimension=dimension,
            )
        from ragbase.adapters.weaviate import WeaviateVectorStore

        return WeaviateVectorStore(
            self._required("weaviate_url"),
            api_key=self.config.weaviate_api_key.get_secret_value(),
            grpc_url=self.config.weaviate_grpc_url,
            alias=self.config.weaviate_alias,
            model=model,
            dimension=dimension,
        )

    @once
    def embedder(self) -> SharedBatches:
        from ragbase.adapters.shared_batches import SharedBatches

        return SharedBatches(embedder_of(self.config))

    @once
    def worker(self) -> str:
        # An instance of a function has no name of its own that another could not have at the same time.
        return f"{os.environ.get('K_REVISION', 'local')}-{secrets.token_hex(8)}"

    def process(self, job: Job, lane: Lane) -> None:
        """Documents that are processed at the same time in this instance share calls of the embedding service."""
        with self.embedder.joining():
            super().process(job, lane)

    def subscriptions(self, settled: Callable[[str], None]) -> AbstractContextManager[object]:
        """Nothing runs here: the cloud's own subscriptions push to the functions."""
        return nullcontext()

    def watcher(self) -> FolderWatcher:
        raise ConfigurationError(
            f"The bucket {self.config.bucket} is no folder that could be watched. `ragbase serve` is for the profile "
            "embedded; in the profile gcp the bucket's own notifications reach the router."
        )

    def _required(self, setting: str) -> str:
        value = getattr(self.config, setting)
        if not value:
            raise ConfigurationError(
                f"The setting `{setting}` is missing, which the profile gcp needs. Set the environment variable "
                f"{variable_of(setting)}."
            )
        return str(value)
