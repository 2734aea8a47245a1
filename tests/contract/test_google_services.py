"""What holds for Google's services beyond their ports: limits, lost answers, and services that are away."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Thread

import pytest
from google.api_core.exceptions import InvalidArgument, ServiceUnavailable
from google.cloud.firestore import DELETE_FIELD, Client, DocumentReference
from google.cloud.storage import Client as StorageClient  # type: ignore[import-untyped]  # it has no types
from google.pubsub_v1 import PublisherClient

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.adapters.google.document_store import FirestoreDocumentStore
from ragbase.adapters.google.publisher import PubSubPublisher
from ragbase.domain.document import Document
from ragbase.domain.errors import ErrorCode, PermanentError, TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.ports import Bucket, Topic
from ragbase.testing.clock import VirtualClock
from scripts.local_cloud.free_ports import free_port
from tests.contract.adapters import BUCKETS, DOCUMENT_STORES
from tests.contract.subscription import Subscription
from tests.contract.test_document_store import document, put
from tests.shared_servers import fresh_project, shared_firestore, shared_pubsub

pytestmark = pytest.mark.slow

JOB = Job(document_id=document_id("bucket", "a.md"), bucket="bucket", name="a.md", generation=1_763_766_000_000_001)


@pytest.mark.parametrize("step", [1, 2, 7, 29])
def test_many_names_are_looked_up_however_far_apart_they_are(step: int) -> None:
    with BUCKETS["cloud storage"](VirtualClock()) as tested:
        stored = [tested.bucket.put(f"folder/{number:02}.md", b"%d" % number) for number in range(30)]
        asked = [*stored[::-step], stored[-1]]
        names = [*(one.name for one in asked), "absent", "folder", "folder/07", "zzz", "", "..", "\udcff"]
        assert tested.bucket.stat_many(names) == {one.name: one for one in asked}


def upload_encoded(bucket: Bucket, name: str, data: bytes) -> int:
    """As `gcloud storage cp --gzip-local` does; the object's generation."""
    blob = StorageClient(project=None).bucket(bucket.name).blob(name)
    blob.content_encoding = "gzip"
    blob.upload_from_string(data, content_type="text/markdown")
    return int(blob.generation)


def test_a_gzip_encoded_object_is_read_as_what_it_holds() -> None:
    text = b"# Harbours\n\nThe harbour is seven metres deep.\n"
    with BUCKETS["cloud storage"](VirtualClock()) as tested:
        generation = upload_encoded(tested.bucket, "a.md", gzip.compress(text[:20]) + gzip.compress(text[20:]))
        assert tested.bucket.read("a.md", generation) == text


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"not gzip", ErrorCode.CORRUPT_FILE),
        (gzip.compress(b"The end of this is missing." * 99)[:-12], ErrorCode.CORRUPT_FILE),
        (gzip.compress(b"\0" * (MAX_FILE_SIZE + 1)), ErrorCode.FILE_TOO_LARGE),
    ],
    ids=["not gzip", "cut", "bomb"],
)
def test_a_bad_gzip_encoded_object_is_refused(data: bytes, code: ErrorCode) -> None:
    with BUCKETS["cloud storage"](VirtualClock()) as tested:
        generation = upload_encoded(tested.bucket, "a.md", data)
        with pytest.raises(PermanentError) as refused:
            tested.bucket.read("a.md", generation)
        assert refused.value.code is code


def test_a_message_names_its_document_without_being_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", shared_pubsub())
    project = fresh_project()
    lane = Subscription(shared_pubsub(), project, "fast")
    PubSubPublisher(project, {Topic.FAST: "fast"}).publish(Topic.FAST, JOB)
    (message,) = lane.take()
    assert message.attributes == {"documentId": JOB.document_id, "generation": "1763766000000001"}


def test_a_reason_beyond_what_an_attribute_holds_is_cut_between_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", shared_pubsub())
    project = fresh_project()
    dead = Subscription(shared_pubsub(), project, "dead")
    PubSubPublisher(project, {Topic.DEAD_LETTER: "dead"}).publish(Topic.DEAD_LETTER, JOB, reason="x" + "ü" * 1000)
    (message,) = dead.take()
    assert message.attributes["reason"] == "x" + "ü" * 511


def test_a_message_that_the_service_finds_invalid_is_refused_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pub/Sub answers like this to more than 10 MB. Its emulator does not answer at all."""
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", f"127.0.0.1:{free_port()}")

    def publish(self: object, **request: object) -> None:
        raise InvalidArgument("Request payload size exceeds the limit: 10485760 bytes.")  # type: ignore[no-untyped-call]  # it has no types

    monkeypatch.setattr(PublisherClient, "publish", publish)
    with pytest.raises(PermanentError, match="exceeds the limit"):
        PubSubPublisher("project", {Topic.FAST: "fast"}).publish(Topic.FAST, JOB)


@pytest.mark.parametrize("call", ["create", "update"])
def test_a_write_whose_answer_is_lost_is_made_once(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def count(record: Document | None) -> Document:
        return replace(record or document("a"), attempts=record.attempts + 1 if record else 1)

    with DOCUMENT_STORES["firestore"]() as store:
        if call == "update":
            store.update("a", count)
        before = store.get("a")
        write = getattr(DocumentReference, call)
        answers = iter([ServiceUnavailable("broken off")])  # type: ignore[no-untyped-call]  # it says nothing of types

        def write_without_answer(*arguments: object, **options: object) -> object:
            done = write(*arguments, **options)
            for lost in answers:
                raise lost
            return done

        monkeypatch.setattr(DocumentReference, call, write_without_answer)
        change = store.update("a", count)
        assert (change.before, change.after) == (before, count(before))
        assert store.get("a") == change.after
        assert next(answers, None) is None


def test_only_a_tombstone_expires_and_not_before_every_late_event_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", shared_firestore())
    project = fresh_project()
    store = FirestoreDocumentStore(project)
    live = document("a")
    deleted = replace(live, tombstone=True, updated_at=live.updated_at + timedelta(days=1))
    revived = replace(live, generation=2, updated_at=live.updated_at + timedelta(days=2))
    expiries = []
    for record in (live, deleted, revived):
        put(store, record)
        expiries.append(Client(project).collection("documents").document("a").get().get("expires_at"))
    assert expiries == [None, deleted.updated_at + timedelta(days=180), None]


def test_a_record_of_an_older_version_is_listed_once_a_comparison_has_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", shared_firestore())
    project = fresh_project()
    store = FirestoreDocumentStore(project)
    records = [document(id) for id in ("a", "b", "c")]
    put(store, *records)
    for record in records[:2]:
        stored = Client(project).collection("documents").document(record.id)
        stored.update({"shard": DELETE_FIELD})
    assert (list(store.page()), store.count()) == (records[2:], 3)
    assert list(store.scan(records[0].bucket, limit=2)) == records[:2]
    assert list(store.page()) == list(store.waiting(before=records[0].updated_at + timedelta(1), limit=9)) == records


def test_records_are_read_in_the_thread_that_asks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with DOCUMENT_STORES["firestore"]() as store:
        records = [document(id) for id in ("a", "b", "c")]
        put(store, *records)
        store.get_many(["a"])  # connects

        started: list[str] = []
        start = Thread.start

        def note(thread: Thread) -> None:
            started.append(thread.name)
            start(thread)

        monkeypatch.setattr(Thread, "start", note)
        assert store.get_many(["a", "absent", "c"]) == {"a": records[0], "c": records[2]}
    assert not started


def test_a_service_that_is_away_is_a_passing_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://{nobody}")
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", nobody)
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", nobody)
    bucket = CloudStorageBucket("bucket")
    store = FirestoreDocumentStore("project")
    calls: list[tuple[str, Callable[[], object]]] = [
        ("Cloud Storage", lambda: bucket.put("a.md", b"text")),
        ("Cloud Storage", lambda: bucket.delete("a.md")),
        ("Cloud Storage", lambda: bucket.stat("a.md")),
        ("Cloud Storage", lambda: bucket.stat_many(["a.md"])),
        ("Cloud Storage", lambda: bucket.read("a.md", 1)),
        ("Cloud Storage", lambda: list(bucket.list())),
        ("Pub/Sub", lambda: PubSubPublisher("project", {Topic.FAST: "fast"}).publish(Topic.FAST, JOB)),
        ("Firestore", lambda: store.get("a")),
        ("Firestore", lambda: store.get_many(["a"])),
        ("Firestore", lambda: store.update("a", lambda record: record)),
        ("Firestore", lambda: store.find_active("md5", "made-by")),
        ("Firestore", lambda: store.leased_to("worker")),
        ("Firestore", store.page),
    ]
    with ThreadPoolExecutor(len(calls)) as pool:
        for service, answer in [(service, pool.submit(call)) for service, call in calls]:
            with pytest.raises(TransientError, match=service):
                answer.result()
