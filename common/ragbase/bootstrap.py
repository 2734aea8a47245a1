"""The only place that chooses adapters. Each is built when it is first used, so that a cold start pays for no other."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragbase.config import Config
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.routing import Lane

if TYPE_CHECKING:
    from ragbase.adapters.embedded.database import Database
    from ragbase.adapters.embedded.folder_bucket import FolderBucket
    from ragbase.adapters.embedded.folder_watcher import FolderWatcher
    from ragbase.adapters.embedded.presence import Presence
    from ragbase.adapters.embedded.queue import Delivery, LocalQueue
    from ragbase.adapters.embedded.subscriptions import Subscriptions
    from ragbase.domain.document import Document
    from ragbase.extraction.extractor import Extractor
    from ragbase.pipeline.index_text import Indexer
    from ragbase.pipeline.process import Worker
    from ragbase.ports import Clock, DocumentStore, Embedder, VectorStore
    from ragbase.retrieval.live_index import LiveIndex
    from ragbase.retrieval.search import SearchResult

_SETTLING = 0.3
"""Seconds without a change after which a file that was dropped into the bucket's folder counts as whole."""


class _Once(cached_property):  # type: ignore[type-arg]  # a generic base would lose the property's own type
    """A cached property that is built once even when threads meet at its first use."""

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        with instance.building:
            return super().__get__(instance, owner)


if TYPE_CHECKING:
    _once = cached_property
else:
    _once = _Once


class Profile:
    """The use cases of one process, with their ports taken from the configuration's profile."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.building = threading.RLock()
        self.closed = False
        self._claims = itertools.count()

    @_once
    def clock(self) -> Clock:
        from ragbase.adapters.system_clock import SystemClock

        return SystemClock()

    @_once
    def bucket(self) -> FolderBucket:
        from ragbase.adapters.embedded.folder_bucket import FolderBucket

        home = self.config.home
        return FolderBucket(
            home / "bucket",
            staging=home / "staging",
            database=self._database,
            name=self.config.bucket,
            announce=self.publisher.announce,
            clock=self.clock,
            announced=self.publisher.announced,
        )

    @_once
    def documents(self) -> DocumentStore:
        from ragbase.adapters.embedded.document_store import SqliteDocumentStore

        return SqliteDocumentStore(self._database)

    @_once
    def publisher(self) -> LocalQueue:
        from ragbase.adapters.embedded.queue import LocalQueue

        return LocalQueue(self._database, self.clock, self._presence.name)

    @_once
    def vectors(self) -> VectorStore:
        from ragbase.adapters.embedded.vector_store import SqliteVectorStore

        return SqliteVectorStore(self._database, self.embedder.dimension, self.embedder.model)

    @_once
    def embedder(self) -> Embedder:
        if self.config.embedder == "hashing":
            from ragbase.adapters.hashing import HashingEmbedder

            return HashingEmbedder()
        from ragbase.adapters.minilm import MiniLM

        return MiniLM(self.config.model_folder)

    @_once
    def index(self) -> LiveIndex:
        from ragbase.retrieval.live_index import LiveIndex

        return LiveIndex(self.vectors, self.documents)

    def route(self, event: ObjectEvent) -> None:
        from ragbase.pipeline.route import route

        route(event, bucket=self.bucket, documents=self.documents, publisher=self.publisher, clock=self.clock)

    def process(self, job: Job, lane: Lane) -> None:
        from ragbase.pipeline.process import process

        process(job, self._fast_worker if lane is Lane.FAST else self._heavy_worker)

    def fingerprint(self, document: Document) -> str | None:
        """What the document's chunks would be made by today; None for a format that nothing reads."""
        return self._fast_worker.fingerprint(document.format) if document.format else None

    def search(self, query: str, *, top_k: int, threshold: float) -> list[SearchResult]:
        from ragbase.retrieval.search import search

        return search(
            query,
            index=self.index,
            embedder=self.embedder,
            top_k=top_k,
            threshold=threshold,
            language=self.config.language,
        )

    def retry(self, document_id: str) -> Document:
        """Raises DocumentNotFound."""
        from ragbase.pipeline.retry import retry

        return retry(document_id, documents=self.documents, publisher=self.publisher, clock=self.clock)

    def subscriptions(self, settled: Callable[[str], None]) -> Subscriptions:
        """The router and the lanes at work in this process. `settled` is called with a document's id after each job.

        What processes that died in this data folder had in hand is taken over first.
        """
        from ragbase.adapters.embedded.queue import UPLOADS
        from ragbase.adapters.embedded.subscriptions import Subscription, Subscriptions
        from ragbase.pipeline.process import process
        from ragbase.ports import Topic

        def work(lane: Lane) -> Callable[[Delivery], None]:
            def handle(delivery: Delivery) -> None:
                job = delivery.job
                process(job, workers[lane])
                settled(job.document_id)

            return handle

        # Built here, so that a wrong setting is an error of the caller's and not of every message.
        workers = {Lane.FAST: self._fast_worker, Lane.HEAVY: self._heavy_worker}
        self._presence.bury(self._take_over)
        return Subscriptions(
            self.publisher,
            {
                UPLOADS: Subscription(lambda delivery: self.route(delivery.event), self.config.fast_workers),
                Topic.FAST.value: Subscription(work(Lane.FAST), self.config.fast_workers),
                Topic.HEAVY.value: Subscription(work(Lane.HEAVY), self.config.heavy_workers),
            },
        )

    def watcher(self) -> FolderWatcher:
        """What turns changes of the bucket's folder into upload events while it runs."""
        from ragbase.adapters.embedded.folder_watcher import FolderWatcher

        return FolderWatcher(self.bucket, settle=_SETTLING)

    def close(self) -> None:
        """Let go of the data folder. The profile is not used any more. May be called twice."""
        if self.closed:
            return
        self.closed = True
        if "_database" in self.__dict__:
            self._database.close()
        if "_presence" in self.__dict__:
            self._presence.close()

    def _take_over(self, worker: str) -> None:
        from ragbase.pipeline.recover import recover

        recover(worker, documents=self.documents, clock=self.clock)
        self.publisher.release(worker)

    @_once
    def _database(self) -> Database:
        from ragbase.adapters.embedded.database import Database

        return Database(self.config.home / "ragbase.db")

    @_once
    def _presence(self) -> Presence:
        from ragbase.adapters.embedded.presence import Presence

        return Presence(self.config.home / "workers")

    @_once
    def _indexer(self) -> Indexer:
        from ragbase.chunking.chunker import Chunker
        from ragbase.pipeline.index_text import Indexer

        return Indexer(
            chunker=Chunker(self.config.chunk_size, self.config.chunk_overlap),
            embedder=self.embedder,
            vectors=self.vectors,
            language=self.config.language,
        )

    @_once
    def _extractor(self) -> Extractor:
        from ragbase.extraction.extractor import ExtractionLimits, Extractor

        return Extractor(
            ExtractionLimits(
                pdf_memory_bytes=self.config.pdf_memory * 1024 * 1024, pdf_timeout_seconds=self.config.pdf_timeout
            )
        )

    @_once
    def _fast_worker(self) -> Worker:
        return self._worker(Lane.FAST, timedelta(minutes=2))

    @_once
    def _heavy_worker(self) -> Worker:
        return self._worker(Lane.HEAVY, timedelta(minutes=2, seconds=self.config.pdf_timeout))

    def _worker(self, lane: Lane, lease: timedelta) -> Worker:
        from ragbase.pipeline.process import Worker

        return Worker(
            name=self._presence.name,
            lane=lane,
            lease=lease,
            bucket=self.bucket,
            documents=self.documents,
            vectors=self.vectors,
            publisher=self.publisher,
            extractor=self._extractor,
            indexer=self._indexer,
            clock=self.clock,
            claims=self._claims,
        )


def open_profile(config: Config) -> Profile:
    """The profile that the configuration names."""
    return Profile(config)
