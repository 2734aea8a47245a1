"""The adapters of each port, by name: a new one passes its port's contract suite by an entry here."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.adapters.embedded.changes import SqliteChanges
from ragbase.adapters.embedded.checkpoints import SqliteCheckpoints
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.dead_letters import SqliteDeadLetters
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.given_texts import SqliteGivenTexts
from ragbase.adapters.embedded.local_queue import UPLOADS, LocalQueue
from ragbase.adapters.embedded.part_texts import SqlitePartTexts
from ragbase.adapters.embedded.word_boxes import SqliteWordBoxes
from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.adapters.google.changes import FirestoreChanges
from ragbase.adapters.google.checkpoints import FirestoreCheckpoints
from ragbase.adapters.google.dead_letters import FirestoreDeadLetters
from ragbase.adapters.google.document_store import FirestoreDocumentStore
from ragbase.adapters.google.given_texts import CloudStorageGivenTexts
from ragbase.adapters.google.part_texts import CloudStoragePartTexts
from ragbase.adapters.google.publisher import PubSubPublisher
from ragbase.adapters.google.word_boxes import CloudStorageWordBoxes
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.messages.job_message import decode_job
from ragbase.ports import (
    Bucket,
    Changes,
    Checkpoints,
    Clock,
    DeadLetters,
    DocumentStore,
    GivenTexts,
    PartTexts,
    Publisher,
    Topic,
    WordBoxes,
)
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.changes import MemoryChanges
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.testing.dead_letters import MemoryDeadLetters
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.given_texts import MemoryGivenTexts
from ragbase.testing.part_texts import MemoryPartTexts
from ragbase.testing.publisher import MemoryPublisher
from ragbase.testing.word_boxes import MemoryWordBoxes
from scripts.local_cloud.storage import storage_emulator
from tests.shared_servers import fresh_project, shared_firestore, shared_pubsub

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
def _cloud_storage(_: Clock) -> Iterator[BucketUnderTest]:
    from tests.contract.announced_bucket import AnnouncedBucket
    from tests.contract.subscription import Subscription

    project, topic = fresh_project(), "uploads"
    uploads = Subscription(shared_pubsub(), project, topic)
    with (
        storage_emulator(project, topic, shared_pubsub()) as host,
        patch.dict(os.environ, STORAGE_EMULATOR_HOST=host),
    ):
        bucket = AnnouncedBucket(CloudStorageBucket(BUCKET), uploads)
        yield BucketUnderTest(bucket, bucket.events)


@contextmanager
def _memory_given_texts(clock: Clock) -> Iterator[GivenTexts]:
    yield MemoryGivenTexts(clock)


@contextmanager
def _sqlite_given_texts(clock: Clock) -> Iterator[GivenTexts]:
    with _database() as (_, database):
        yield SqliteGivenTexts(database, clock)


@contextmanager
def _cloud_storage_given_texts(clock: Clock) -> Iterator[GivenTexts]:
    with _cloud_storage(clock):
        yield CloudStorageGivenTexts(CloudStorageBucket(BUCKET))


@contextmanager
def _memory_part_texts(clock: Clock) -> Iterator[PartTexts]:
    yield MemoryPartTexts(clock)


@contextmanager
def _sqlite_part_texts(clock: Clock) -> Iterator[PartTexts]:
    with _database() as (_, database):
        yield SqlitePartTexts(database, clock)


@contextmanager
def _cloud_storage_part_texts(clock: Clock) -> Iterator[PartTexts]:
    with _cloud_storage(clock):
        yield CloudStoragePartTexts(CloudStorageBucket(BUCKET))


@contextmanager
def _memory_word_boxes(clock: Clock) -> Iterator[WordBoxes]:
    yield MemoryWordBoxes(clock)


@contextmanager
def _sqlite_word_boxes(clock: Clock) -> Iterator[WordBoxes]:
    with _database() as (_, database):
        yield SqliteWordBoxes(database, clock)


@contextmanager
def _cloud_storage_word_boxes(clock: Clock) -> Iterator[WordBoxes]:
    with _cloud_storage(clock):
        yield CloudStorageWordBoxes(CloudStorageBucket(BUCKET))


@contextmanager
def _memory_document_store() -> Iterator[DocumentStore]:
    yield MemoryDocumentStore()


@contextmanager
def _sqlite_document_store() -> Iterator[DocumentStore]:
    with _database() as (_, database):
        yield SqliteDocumentStore(database)


@contextmanager
def _firestore_document_store() -> Iterator[DocumentStore]:
    with patch.dict(os.environ, FIRESTORE_EMULATOR_HOST=shared_firestore()):
        yield FirestoreDocumentStore(fresh_project())


@contextmanager
def _memory_changes() -> Iterator[tuple[DocumentStore, Changes]]:
    store = MemoryDocumentStore()
    yield store, MemoryChanges(store)


@contextmanager
def _sqlite_changes() -> Iterator[tuple[DocumentStore, Changes]]:
    with _database() as (_, database):
        yield SqliteDocumentStore(database), SqliteChanges(database)


@contextmanager
def _firestore_changes() -> Iterator[tuple[DocumentStore, Changes]]:
    with patch.dict(os.environ, FIRESTORE_EMULATOR_HOST=shared_firestore()):
        project = fresh_project()
        yield FirestoreDocumentStore(project), FirestoreChanges(project, look_again=0)


@contextmanager
def _memory_checkpoints() -> Iterator[Checkpoints]:
    yield MemoryCheckpoints()


@contextmanager
def _sqlite_checkpoints() -> Iterator[Checkpoints]:
    with _database() as (_, database):
        yield SqliteCheckpoints(database)


@contextmanager
def _firestore_checkpoints() -> Iterator[Checkpoints]:
    with patch.dict(os.environ, FIRESTORE_EMULATOR_HOST=shared_firestore()):
        yield FirestoreCheckpoints(fresh_project())


@contextmanager
def _memory_dead_letters() -> Iterator[DeadLetters]:
    yield MemoryDeadLetters()


@contextmanager
def _sqlite_dead_letters() -> Iterator[DeadLetters]:
    with _database() as (_, database):
        yield SqliteDeadLetters(database)


@contextmanager
def _firestore_dead_letters() -> Iterator[DeadLetters]:
    with patch.dict(os.environ, FIRESTORE_EMULATOR_HOST=shared_firestore()):
        yield FirestoreDeadLetters(fresh_project())


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
            lambda: [(delivery.job, delivery.reason) for delivery in queue.receive(Topic.DEAD_LETTER.value, 1000)],
        )


@contextmanager
def _pubsub_publisher() -> Iterator[PublisherUnderTest]:
    from tests.contract.subscription import Subscription

    project = fresh_project()
    lanes = {topic: Subscription(shared_pubsub(), project, topic.value) for topic in Topic}
    with patch.dict(os.environ, PUBSUB_EMULATOR_HOST=shared_pubsub()):
        yield PublisherUnderTest(
            PubSubPublisher(project, {topic: topic.value for topic in Topic}),
            lambda topic: [decode_job(message.data) for message in lanes[topic].take()],
            lambda: [
                (decode_job(message.data), message.attributes.get("reason", ""))
                for message in lanes[Topic.DEAD_LETTER].take()
            ],
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
    "cloud storage": _cloud_storage,
}
GIVEN_TEXTS: Mapping[str, Callable[[Clock], AbstractContextManager[GivenTexts]]] = {
    "memory": _memory_given_texts,
    "sqlite": _sqlite_given_texts,
    "cloud storage": _cloud_storage_given_texts,
}
PART_TEXTS: Mapping[str, Callable[[Clock], AbstractContextManager[PartTexts]]] = {
    "memory": _memory_part_texts,
    "sqlite": _sqlite_part_texts,
    "cloud storage": _cloud_storage_part_texts,
}
WORD_BOXES: Mapping[str, Callable[[Clock], AbstractContextManager[WordBoxes]]] = {
    "memory": _memory_word_boxes,
    "sqlite": _sqlite_word_boxes,
    "cloud storage": _cloud_storage_word_boxes,
}
DOCUMENT_STORES: Mapping[str, Callable[[], AbstractContextManager[DocumentStore]]] = {
    "memory": _memory_document_store,
    "sqlite": _sqlite_document_store,
    "firestore": _firestore_document_store,
}
CHANGES: Mapping[str, Callable[[], AbstractContextManager[tuple[DocumentStore, Changes]]]] = {
    "memory": _memory_changes,
    "sqlite": _sqlite_changes,
    "firestore": _firestore_changes,
}
CHECKPOINTS: Mapping[str, Callable[[], AbstractContextManager[Checkpoints]]] = {
    "memory": _memory_checkpoints,
    "sqlite": _sqlite_checkpoints,
    "firestore": _firestore_checkpoints,
}
DEAD_LETTERS: Mapping[str, Callable[[], AbstractContextManager[DeadLetters]]] = {
    "memory": _memory_dead_letters,
    "sqlite": _sqlite_dead_letters,
    "firestore": _firestore_dead_letters,
}
PUBLISHERS: Mapping[str, Callable[[], AbstractContextManager[PublisherUnderTest]]] = {
    "memory": _memory_publisher,
    "local queue": _local_queue,
    "pubsub": _pubsub_publisher,
}
