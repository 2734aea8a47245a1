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
    from ragbase.ports import Checkpoints, DeadLetters, DocumentStore, Embedder, Indexes

_SETTLING = 0.3
"""Seconds without a change after which a file that was dropped into the bucket's folder counts as whole."""


class EmbeddedProfile(Profile):
    """Everything in the data folder of the configuration."""

    flip_grace = 1.0  # queries read which index is live from the file, and take milliseconds

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
    def dead_letters(self) -> DeadLetters:
        from ragbase.adapters.embedded.dead_letters import SqliteDeadLetters

        return SqliteDeadLetters(self._database)

    @once
    def checkpoints(self) -> Checkpoints:
        from ragbase.adapters.embedded.checkpoints import SqliteCheckpoints

        return SqliteCheckpoints(self._database)

    @once
    def publisher(self) -> LocalQueue:
        from ragbase.adapters.embedded.queue import LocalQueue

        return LocalQueue(self._database, self.clock, self.worker)

    @once
    def indexes(self) -> Indexes:
        from ragbase.adapters.embedded.indexes import SqliteIndexes

        return SqliteIndexes(self._database)

    @once
    def embedder(self) -> Embedder:
        return embedder_of(self.config, self.opened)

    @property
    def worker(self) -> str:
        return self._presence.name

    def subscriptions(self, settled: Callable[[str], None]) -> AbstractContextManager[object]:
        """As in every profile. What processes that died in this data folder had in hand is taken over first."""
        from ragbase.adapters.embedded.queue import UPLOADS
        from ragbase.adapters.embedded.subscriptions import Subscription, Subscriptions
        from ragbase.pipeline.process import process
        from ragbase.ports import Topic

        # Begun here, so that a wrong setting is an error of the caller's and not of every message.
        self.worker_in(Lane.FAST)

        def work(lane: Lane) -> Callable[[Delivery], None]:
            def handle(delivery: Delivery) -> None:
                job = delivery.job
                process(job, self.worker_in(lane))
                settled(job.document_id)

            return handle

        self._presence.bury(self._take_over)
        return Subscriptions(
            self.publisher,
            {
                UPLOADS: Subscription(lambda delivery: self.route(delivery.event), self.config.fast_workers),
                Topic.FAST.value: Subscription(work(Lane.FAST), self.config.fast_workers),
                Topic.HEAVY.value: Subscription(work(Lane.HEAVY), self.config.heavy_workers),
                Topic.DEAD_LETTER.value: Subscription(self._dead_letter, 1),
            },
        )

    def collect_dead_letters(self) -> None:
        """As in every profile. No other process need be running for it."""
        from ragbase.domain.errors import TransientError
        from ragbase.ports import Topic

        done: list[int] = []
        while deliveries := self.publisher.receive(Topic.DEAD_LETTER.value, 100, done):
            done = []
            for delivery in deliveries:
                try:
                    self._dead_letter(delivery)
                except TransientError as error:
                    self.publisher.postpone(delivery, str(error))
                else:
                    done.append(delivery.id)

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

    def _dead_letter(self, delivery: Delivery) -> None:
        from ragbase.adapters.embedded.queue import MAX_DELIVERIES

        self.dead_letter(delivery.message, delivery.reason, deliveries=MAX_DELIVERIES)

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
