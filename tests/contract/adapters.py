"""The adapters of each port, by name: a new one passes its port's contract suite by an entry here."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.folder_bucket import FolderBucket
from ragbase.adapters.embedded.queue import UPLOADS, LocalQueue
from ragbase.adapters.memory.bucket import MemoryBucket
from ragbase.adapters.memory.document_store import MemoryDocumentStore
from ragbase.adapters.memory.publisher import MemoryPublisher
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.ports import Bucket, Clock, DocumentStore, Publisher, Topic
from ragbase.testing.clock import VirtualClock

BUCKET = "contract"


@dataclass(frozen=True)
class BucketUnderTest:
    bucket: Bucket
    events: Callable[[], Sequence[ObjectEvent]]
    """Takes what was announced since the last call, in the order of the announcements."""


@dataclass(frozen=True)
class PublisherUnderTest:
    publisher: Publisher
    delivered: Callable[[Topic], Sequence[Job]]
    """What a subscriber of the topic is given."""
    dead_letters: Callable[[], Sequence[tuple[Job, str]]]


@contextmanager
def _memory_bucket(clock: Clock) -> Iterator[BucketUnderTest]:
    announced: list[ObjectEvent] = []

    def events() -> Sequence[ObjectEvent]:
        taken = announced.copy()
        announced.clear()
        return taken

    yield BucketUnderTest(MemoryBucket(BUCKET, announced.append, clock), events)


@contextmanager
def _folder_bucket(clock: Clock) -> Iterator[BucketUnderTest]:
    with _database() as (folder, database):
        queue = LocalQueue(database, clock, "test")
        bucket = FolderBucket(
            folder / "bucket",
            folder / "staging",
            database,
            name=BUCKET,
            announce=queue.announce,
            announced=queue.announced,
            clock=clock,
        )

        def events() -> Sequence[ObjectEvent]:
            deliveries = queue.receive(UPLOADS, 1000)
            queue.receive(UPLOADS, 0, [delivery.id for delivery in deliveries])
            return [delivery.event for delivery in deliveries]

        yield BucketUnderTest(bucket, events)


@contextmanager
def _memory_document_store() -> Iterator[DocumentStore]:
    yield MemoryDocumentStore()


@contextmanager
def _sqlite_document_store() -> Iterator[DocumentStore]:
    with _database() as (_, database):
        yield SqliteDocumentStore(database)


@contextmanager
def _memory_publisher() -> Iterator[PublisherUnderTest]:
    publisher = MemoryPublisher()
    yield PublisherUnderTest(
        publisher,
        lambda topic: [message.job for message in publisher if message.topic is topic],
        lambda: [(message.job, message.reason) for message in publisher if message.topic is Topic.DEAD_LETTER],
    )


@contextmanager
def _local_queue() -> Iterator[PublisherUnderTest]:
    with _database() as (_, database):
        queue = LocalQueue(database, VirtualClock(), "test")
        yield PublisherUnderTest(
            queue,
            lambda topic: [delivery.job for delivery in queue.receive(topic.value, 1000)],
            queue.dead_letters,
        )


@contextmanager
def _database() -> Iterator[tuple[Path, Database]]:
    """A folder and the database in it. Not pytest's `tmp_path`, as hypothesis wants a fresh one for each example."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = Database(folder / "ragbase.db")
        try:
            yield folder, database
        finally:
            database.close()


BUCKETS: Mapping[str, Callable[[Clock], AbstractContextManager[BucketUnderTest]]] = {
    "memory": _memory_bucket,
    "folder": _folder_bucket,
}
DOCUMENT_STORES: Mapping[str, Callable[[], AbstractContextManager[DocumentStore]]] = {
    "memory": _memory_document_store,
    "sqlite": _sqlite_document_store,
}
PUBLISHERS: Mapping[str, Callable[[], AbstractContextManager[PublisherUnderTest]]] = {
    "memory": _memory_publisher,
    "local queue": _local_queue,
}
