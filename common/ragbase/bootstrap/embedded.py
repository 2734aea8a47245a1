"""The embedded profile: one folder, one process or several, no server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.bootstrap.embedders import embedder_of
from ragbase.bootstrap.once import once
from ragbase.bootstrap.profile import Profile
from ragbase.domain.routing import Lane

if TYPE_CHECKING:
    from ragbase.adapters.embedded.database import Database
    from ragbase.adapters.embedded.folder_bucket import FolderBucket
    from ragbase.adapters.embedded.folder_watcher import FolderWatcher
    from ragbase.adapters.embedded.presence import Presence
    from ragbase.adapters.embedded.queue import Delivery, LocalQueue
    from ragbase.ports import DocumentStore, Embedder, VectorStore

_SETTLING = 0.3
"""Seconds without a change after which a file that was dropped into the bucket's folder counts as whole."""


class EmbeddedProfile(Profile):
    """Everything in the data folder of the configuration."""

    @once
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

    @property
    def bucket_folder(self) -> Path:
        return self.bucket.folder

    @once
    def documents(self) -> DocumentStore:
        from ragbase.adapters.embedded.document_store import SqliteDocumentStore

        return SqliteDocumentStore(self._database)

    @once
    def publisher(self) -> LocalQueue:
        from ragbase.adapters.embedded.queue import LocalQueue

        return LocalQueue(self._database, self.clock, self.worker)

    @once
    def vectors(self) -> VectorStore:
        from ragbase.adapters.embedded.vector_store import SqliteVectorStore

        return SqliteVectorStore(self._database, self.embedder.dimension, self.embedder.model)

    @once
    def embedder(self) -> Embedder:
        return embedder_of(self.config)

    @property
    def worker(self) -> str:
        return self._presence.name

    def subscriptions(self, settled: Callable[[str], None]) -> AbstractContextManager[object]:
        """As in every profile. What processes that died in this data folder had in hand is taken over first."""
        from ragbase.adapters.embedded.queue import UPLOADS
        from ragbase.adapters.embedded.subscriptions import Subscription, Subscriptions
        from ragbase.pipeline.process import process
        from ragbase.ports import Topic

        # Built here, so that a wrong setting is an error of the caller's and not of every message.
        workers = {Lane.FAST: self.fast_worker, Lane.HEAVY: self.heavy_worker}

        def work(lane: Lane) -> Callable[[Delivery], None]:
            def handle(delivery: Delivery) -> None:
                job = delivery.job
                process(job, workers[lane])
                settled(job.document_id)

            return handle

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
        from ragbase.adapters.embedded.folder_watcher import FolderWatcher

        return FolderWatcher(self.bucket, settle=_SETTLING)

    def close(self) -> None:
        if self.closed:
            return
        super().close()
        if "_database" in self.__dict__:
            self._database.close()
        if "_presence" in self.__dict__:
            self._presence.close()

    def _take_over(self, worker: str) -> None:
        from ragbase.pipeline.recover import recover

        recover(worker, documents=self.documents, clock=self.clock)
        self.publisher.release(worker)

    @once
    def _database(self) -> Database:
        from ragbase.adapters.embedded.database import Database

        return Database(self.config.home / "ragbase.db")

    @once
    def _presence(self) -> Presence:
        from ragbase.adapters.embedded.presence import Presence

        return Presence(self.config.home / "workers")
