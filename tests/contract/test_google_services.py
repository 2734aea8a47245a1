"""What holds for Google's services beyond their ports: limits, lost answers, and being away."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from google.api_core.exceptions import ServiceUnavailable
from google.cloud.firestore import Client, DocumentReference

from ragbase.adapters.google.cloud_storage import CloudStorageBucket
from ragbase.adapters.google.firestore import FirestoreDocumentStore
from ragbase.adapters.google.pubsub import PubSubPublisher
from ragbase.domain.document import Document
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.ports import Topic
from ragbase.testing.clock import VirtualClock
from tests.contract.adapters import BUCKETS, DOCUMENT_STORES, fresh_project, shared_firestore, shared_pubsub
from tests.contract.test_document_store import document, put
from tests.servers.process import free_port
from tests.servers.subscription import Subscription

JOB = Job(document_id=document_id("bucket", "a.md"), bucket="bucket", name="a.md", generation=1_763_766_000_000_001)


@pytest.mark.parametrize("step", [1, 2, 7, 29])
def test_many_names_are_looked_up_however_far_apart_they_lie(step: int) -> None:
    with BUCKETS["cloud storage"](VirtualClock()) as tested:
        stored = [tested.bucket.put(f"folder/{number:02}.md", b"%d" % number) for number in range(30)]
        asked = [*stored[::-step], stored[-1]]
        names = [*(one.name for one in asked), "absent", "folder", "folder/07", "zzz", "", "..", "\udcff"]
        assert tested.bucket.stat_many(names) == {one.name: one for one in asked}


def test_a_message_tells_its_document_without_being_opened(monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.slow
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
