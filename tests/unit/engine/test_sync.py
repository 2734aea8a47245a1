"""What a sync says of a document that failed before, where functions do the work."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from ragbase.domain.document import Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.identity import document_id
from ragbase.domain.work import Failure
from ragbase.engine.sync import followed
from ragbase.sources.sync import sync
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.source import MemorySource
from tests.contract.test_document_store import document, put


def test_an_unchanged_file_whose_document_is_failed_is_said_each_time() -> None:
    source, bucket, store = (
        MemorySource(),
        MemoryBucket("bucket", lambda _: None, VirtualClock()),
        MemoryDocumentStore(),
    )
    source.files = {"a.md": b"text", "b.md": b"text", "c.md": b"text"}
    list(sync(source, bucket))
    generations = {stored.name: stored.generation for stored in bucket.list()}
    for name, generation in (("a.md", generations["a.md"]), ("b.md", generations["b.md"] - 1)):
        failed = replace(
            document(document_id("bucket", name)),
            bucket="bucket",
            name=name,
            source=name,
            generation=generation,
            status=Status.FAILED,
            failure=Failure(ErrorCode.CORRUPT_FILE, "It is damaged."),
        )
        put(store, failed)

    profile: Any = SimpleNamespace(runs_lanes=False, documents=store)
    found = {one.source: one for one in followed(sync(source, bucket), profile, deletions_below=None)}
    assert {name: one.error for name, one in found.items()} == {
        "memory://a.md": "a.md: CORRUPT_FILE: It is damaged.",
        "memory://b.md": None,  # of a generation that was replaced
        "memory://c.md": None,
    }
