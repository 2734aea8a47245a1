"""A deletion ends, whatever others do to the document meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.adapters.embedded.local_queue import LocalQueue
from ragbase.domain.document import Status
from ragbase.domain.errors import TransientError
from ragbase.domain.object_event import ObjectEvent
from ragbase.engine.remove import remove
from ragbase.engine.remove_tenant import remove_tenant
from ragbase.pipeline.route import route
from ragbase.ports import Ports

LIMIT = 60.0


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[RAGEngine]:
    with RAGEngine(load_config(home=tmp_path / "home", embedder="hashing")) as engine:
        (tmp_path / "a.md").write_text("The lighthouse stands on the rock since 1850.")
        engine.ingest([str(tmp_path / "a.md")])
        yield engine


def within_limit(action: Callable[[], object]) -> None:
    """Call it in a thread, and fail if it does not end."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join(LIMIT)
    assert not thread.is_alive(), "it still waits"


def test_it_ends_where_the_document_is_brought_back(engine: RAGEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    (document,) = engine.profile.documents.page()
    delete_many, is_back = FolderBucket.delete_many, threading.Event()

    def delete_and_bring_back(bucket: FolderBucket, generations: dict[str, int | None]) -> object:
        removed = delete_many(bucket, generations)
        bucket.put(document.name, b"The lighthouse was rebuilt in 1900, and has stood there since.")
        is_back.set()
        return removed

    def route_later(event: ObjectEvent, ports: Ports) -> object:
        if not is_back.is_set():
            raise TransientError("Not yet.")
        return route(event, ports)

    monkeypatch.setattr(FolderBucket, "delete_many", delete_and_bring_back)
    monkeypatch.setattr("ragbase.pipeline.route.route", route_later)
    back: list[Status] = []
    within_limit(lambda: back.extend(one.status for one in remove([document], engine.profile)))
    assert back == [Status.COMPLETED]
    assert [one.chunk.content for one in engine.query("lighthouse")] == [
        "The lighthouse was rebuilt in 1900, and has stood there since."
    ]


def test_it_ends_where_the_document_is_brought_back_faster_than_it_is_made(
    engine: RAGEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (document,) = engine.profile.documents.page()
    bucket, ended, number = engine.profile.bucket, threading.Event(), count()

    def bring_back() -> None:
        while not ended.is_set():
            bucket.put(document.name, f"Version {next(number)} of the text about the lighthouse.".encode())

    others = threading.Thread(target=bring_back)
    others.start()
    seconds = count(step=5)
    try:
        within_limit(lambda: remove([document], engine.profile, now=lambda: float(next(seconds))))
    finally:
        ended.set()
        others.join()


def test_it_routes_the_deletion_itself_if_the_message_is_lost(
    engine: RAGEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (document,) = engine.profile.documents.page()
    monkeypatch.setattr(LocalQueue, "announce", lambda *_: None)
    seconds = count(step=200)
    within_limit(lambda: remove([document], engine.profile, now=lambda: float(next(seconds))))
    assert engine.find("a.md") is None
    assert engine.query("lighthouse") == []


def test_a_tenant_to_which_others_upload_is_not_deleted_for_ever(
    engine: RAGEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragbase.engine.remove_tenant._PAGE", 1)
    delete_many, number = FolderBucket.delete_many, count()

    def delete_and_upload(bucket: FolderBucket, generations: dict[str, int | None]) -> object:
        removed = delete_many(bucket, generations)
        bucket.put(f"acme/{next(number)}.md", b"One more text about the lighthouse on the rock.")
        return removed

    monkeypatch.setattr(FolderBucket, "delete_many", delete_and_upload)
    engine.profile.bucket.put("acme/first.md", b"The first text about the lighthouse on the rock.")
    refused: list[str] = []

    def delete() -> None:
        try:
            remove_tenant("acme", engine.profile)
        except TransientError as error:
            refused.append(str(error))

    within_limit(delete)
    assert "goes on to upload" in refused[0]
