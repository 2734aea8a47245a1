"""The Google Cloud profile: Cloud Storage, Pub/Sub, Firestore, Weaviate or Qdrant, and an embedding service."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragbase import telemetry
from ragbase.bootstrap.embedders import embedder_of, named_model_of
from ragbase.bootstrap.local_models import LOCAL_MODELS
from ragbase.bootstrap.once import once
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import ConfigurationError, GenerationGone, TransientError, Unavailable
from ragbase.domain.lane import Lane
from ragbase.plugins import GENERATORS, VECTOR_STORES
from ragbase.ports import Topic
from ragbase.settings import SOURCES_FILE, Config, variable_of

if TYPE_CHECKING:
    from ragbase.adapters.google.bucket import CloudStorageBucket
    from ragbase.adapters.shared_batches import SharedBatches
    from ragbase.domain.dead_letter import Message
    from ragbase.domain.index import Index
    from ragbase.ports import (
        AuditLog,
        Bucket,
        Changes,
        Checkpoints,
        DeadLetters,
        DocumentStore,
        Embedder,
        GivenTexts,
        Handlers,
        Indexes,
        PartTexts,
        Publisher,
        UploadKey,
        Watcher,
        WordBoxes,
    )


_LOOK_AGAIN = 0.5
"""Seconds between two looks at an index that does not answer while a function starts."""


class CloudProfile(Profile):
    """Its adapters are clients of services. Functions do the work: this process uploads, queries, or is one of them."""

    runs_lanes = False

    def __init__(self, config: Config) -> None:
        """Raises ConfigurationError for another profile's settings, for a model that functions do not have, or if the
        project is not named."""
        super().__init__(config)
        self.embeds = True
        """Whether this process embeds texts or asks models. Otherwise it needs no key for them. Set it before the index
        is first used."""
        if config.profile != "gcp":
            raise ConfigurationError(
                f"The setting `profile` is {config.profile}, but functions need gcp. Set {variable_of('profile')}=gcp."
            )
        if config.embedder in LOCAL_MODELS:
            raise ConfigurationError(
                f"The setting `embedder` is {config.embedder}, a model on this machine, but functions embed with a "
                f"service. Set {variable_of('embedder')} to cohere, openai or vertex. An OpenAI-compatible endpoint "
                "can serve multilingual-e5-small, too."
            )
        if config.reranker == "local":
            raise ConfigurationError(
                "The setting `reranker` is local, a model on this machine, but functions have neither models nor the "
                f"packages that run them. Set {variable_of('reranker')} to none, or to a service."
            )
        self._required("project")

    @once
    def bucket(self) -> Bucket:
        from ragbase.adapters.google.bucket import CloudStorageBucket
        from ragbase.ports.canonical_bucket import CanonicalBucket

        return self.recorded(CanonicalBucket(CloudStorageBucket(self.config.bucket, project=self.config.project)))

    @once
    def audit_log(self) -> AuditLog:
        from ragbase.adapters.google.audit_log import FirestoreAuditLog

        return FirestoreAuditLog(self.config.project, database=self.config.firestore_database)

    @once
    def audit_exports(self) -> Bucket | None:
        from ragbase.adapters.google.bucket import CloudStorageBucket

        name = self.config.audit_bucket
        return CloudStorageBucket(name, project=self.config.project) if name else None

    @once
    def texts(self) -> GivenTexts:
        from ragbase.adapters.google.given_texts import CloudStorageGivenTexts

        return CloudStorageGivenTexts(self._texts_bucket)

    @once
    def part_texts(self) -> PartTexts:
        from ragbase.adapters.google.part_texts import CloudStoragePartTexts

        return CloudStoragePartTexts(self._texts_bucket)

    @once
    def word_boxes(self) -> WordBoxes:
        from ragbase.adapters.google.word_boxes import CloudStorageWordBoxes

        return CloudStorageWordBoxes(self._texts_bucket)

    @once
    def _texts_bucket(self) -> CloudStorageBucket:
        from ragbase.adapters.google.bucket import CloudStorageBucket

        name = self.config.texts_bucket or f"{self.config.bucket}-texts"
        return CloudStorageBucket(name, project=self.config.project)

    @once
    def documents(self) -> DocumentStore:
        from ragbase.adapters.google.document_store import FirestoreDocumentStore

        return FirestoreDocumentStore(self.config.project, database=self.config.firestore_database)

    @once
    def changes(self) -> Changes:
        from ragbase.adapters.google.changes import FirestoreChanges

        return FirestoreChanges(self.config.project, database=self.config.firestore_database)

    @once
    def dead_letters(self) -> DeadLetters:
        from ragbase.adapters.google.dead_letters import FirestoreDeadLetters

        return FirestoreDeadLetters(self.config.project, database=self.config.firestore_database)

    @once
    def checkpoints(self) -> Checkpoints:
        from ragbase.adapters.google.checkpoints import FirestoreCheckpoints

        return FirestoreCheckpoints(self.config.project, database=self.config.firestore_database)

    @once
    def upload_key(self) -> UploadKey:
        """The bucket signs addresses itself. This key seals the ids of changes."""
        from ragbase.adapters.upload_key_checkpoint import UploadKeyCheckpoint

        return UploadKeyCheckpoint(self.checkpoints)

    @once
    def publisher(self) -> Publisher:
        from ragbase.adapters.google.publisher import PubSubPublisher

        topics = {
            Topic.FAST: self.config.fast_topic,
            Topic.HEAVY: self.config.heavy_topic,
            Topic.DEAD_LETTER: self.config.dead_letter_topic,
        }
        return PubSubPublisher(self.config.project, topics)

    @property
    def has_graph(self) -> bool:
        return self.config.vector_store == "weaviate" and self.config.weaviate_index == "hnsw"

    @once
    def indexes(self) -> Indexes:
        if self.config.vector_store not in VECTOR_STORES.ours:
            return self.added_indexes()
        if self.config.vector_store == "qdrant":
            from ragbase.adapters.qdrant.connection import qdrant_client
            from ragbase.adapters.qdrant.indexes import QdrantIndexes

            client = qdrant_client(self._required("qdrant_url"), self.config.qdrant_api_key.get_secret_value())
            self.opened.callback(client.close)
            return QdrantIndexes(client, alias=self.config.qdrant_collection)
        from ragbase.adapters.weaviate.indexes import WeaviateIndexes

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
    def embedder(self) -> Embedder:
        if self.embeds:
            return _shared(embedder_of(self.config, self.rate_limiter_of, self.opened))
        return named_model_of(self.config, self.rate_limiter_of, self.opened)

    def embedder_for(self, index: Index) -> Embedder:
        from ragbase.adapters.named_model import NamedModel

        if self.embeds:
            return _shared(super().embedder_for(index))
        return NamedModel(index.model, index.dimension)

    @once
    def worker_name(self) -> str:
        # Nothing that an instance of a function knows about itself distinguishes it from another instance.
        return f"{os.environ.get('K_REVISION', 'local')}-{secrets.token_hex(8)}"

    def check_index(self) -> None:
        """As in every profile. An index that does not answer is waited for (setting `start_wait`), and then only
        logged: documents wait, and queries report it."""
        for setting in ("weaviate_url", "weaviate_grpc_url", "qdrant_url", "cohere_url", "openai_url", "vertex_url"):
            if setting.partition("_")[0] in (self.config.vector_store, self.config.embedder):
                self._resolve(setting, getattr(self.config, setting))
        if self.config.reranker == "jina":
            self._resolve("reranker_url", self.config.reranker_url)
        asks_vertex = "vertex" in (self.config.embedder, self.config.generator)
        if asks_vertex and self.config.vertex_location and not self.config.vertex_url:
            from ragbase.adapters.vertex.address import host_of

            self._resolve("vertex_location", host_of(self.config.vertex_location))
        if self.embeds:
            self.embedder  # noqa: B018 - making it checks its settings and its package; no text is paid for
        answers = self.embeds and not self.fills_index
        if answers and self.config.generator in GENERATORS.ours and self.config.generator != "extractive":
            self.generator  # noqa: B018 - making it checks its settings; it connects when it is first asked
        if answers:
            self.reranker  # noqa: B018 - as above
        try:
            self._check_dimension(self._checked_index())
        except TransientError as error:
            telemetry.log("start.index_away", level=logging.WARNING, reason=str(error))

    def subscribe(self, handlers: Handlers) -> AbstractContextManager[object]:
        """Nothing runs here: the cloud's own subscriptions push to the functions."""
        return nullcontext()

    def collect_dead_letters(self, keep: Callable[[Message, str, int], object]) -> None:
        """Nothing waits here: the dead_letter function keeps undeliverable messages."""

    def sources_file(self) -> tuple[str, str | None]:
        from ragbase.adapters.google.bucket import CloudStorageBucket

        bucket = CloudStorageBucket(
            self.config.sources_bucket or f"{self.config.bucket}-sources", project=self.config.project
        )
        place = f"gs://{bucket.name}/{SOURCES_FILE}"
        stored = bucket.stat(SOURCES_FILE)
        if stored is None:
            return place, None
        try:
            return place, bucket.read(SOURCES_FILE, stored.generation).decode()
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{place} cannot be read: {error}. Correct that.") from error
        except GenerationGone as error:
            raise Unavailable(f"{place}: it was changed while it was read.") from error

    def watcher(self) -> Watcher:
        raise ConfigurationError(
            f"The bucket {self.config.bucket} is not a folder, so it cannot be watched. `ragbase serve` is for the "
            "profile embedded; in the profile gcp the bucket's own notifications reach the router."
        )

    def _share_batches(self) -> AbstractContextManager[object]:
        """Documents that are processed at the same time in this instance share calls of the embedding service."""
        from ragbase.adapters.shared_batches import SharedBatches

        embedder = self.open_index().embedder
        return embedder.joining() if isinstance(embedder, SharedBatches) else nullcontext()

    def _time_limit(self, lane: Lane) -> timedelta:
        """Less than the timeout of the lane's function (terraform/functions.tf), by the longest wait for one call."""
        return timedelta(seconds=self.config.extract_timeout + 200 if lane is Lane.HEAVY else 75)

    def _checked_index(self) -> Index | None:
        """The current index. An instance of a function may have no way to a private network in its first minute.

        Raises ConfigurationError, and TransientError if nothing answers in time."""
        deadline = time.monotonic() + self.config.start_wait
        while True:
            try:
                return self.indexes.check()
            except TransientError:
                if time.monotonic() >= deadline:
                    raise
            time.sleep(_LOOK_AGAIN)

    def _check_dimension(self, current: Index | None) -> None:
        """Another model is no mistake: the current index keeps its own until `ragbase reindex` has made one with the
        new model. The same model with another dimension is probably a mistake. Raises ConfigurationError."""
        mine = self.embedder
        if current is None or current.dimension == mine.dimension:
            return
        if current.model.removesuffix(f"-{current.dimension}") == mine.model.removesuffix(f"-{mine.dimension}"):
            alias = {"qdrant": "qdrant_collection", "weaviate": "weaviate_alias"}.get(self.config.vector_store)
            place = f" (setting `{alias}`)" if alias else ""
            raise ConfigurationError(
                f"The current index{place} was made with {current.model}, of {current.dimension} "
                f"dimensions, but the setting `embedding_dimension` is {mine.dimension}. Set "
                f"{variable_of('embedding_dimension')} to {current.dimension}, or first make another index: run "
                "`ragbase reindex` with the new setting."
            )

    def _required(self, setting: str) -> str:
        value = getattr(self.config, setting)
        if not value:
            raise ConfigurationError(
                f"The setting `{setting}` is missing. The profile gcp needs it: set the environment variable "
                f"{variable_of(setting)}."
            )
        return str(value)

    def _resolve(self, setting: str, url: str) -> None:
        """Raises ConfigurationError if the setting has a URL, or stands for one, whose host does not exist."""
        if not url:
            return
        try:
            socket.getaddrinfo(urlsplit(url).hostname or "", None)
        except (OSError, ValueError) as error:
            value = getattr(self.config, setting)
            remedy = "to a URL such as https://host:port" if value == url else "to a location of Vertex AI"
            named = "" if value == url else f", which is {url}"
            raise ConfigurationError(
                f"The setting `{setting}` is {value!r}{named}, but there is no such host ({error}). Set the "
                f"environment variable {variable_of(setting)} {remedy}."
            ) from error


def _shared(embedder: Embedder) -> SharedBatches:
    """Its calls are shared by the documents that this process works on at the same time."""
    from ragbase.adapters.hosted_embedder import HostedEmbedder
    from ragbase.adapters.shared_batches import SharedBatches

    hosted = embedder if isinstance(embedder, HostedEmbedder) else None
    return SharedBatches(embedder, crowded=lambda: hosted is not None and hosted.is_crowded)
