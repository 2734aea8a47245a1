"""Waiting for documents that settle in this process, in another one, or before anybody listens."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ErrorCode, Unavailable
from ragbase.domain.work import Failure
from ragbase.engine.standstill import FULL_AFTER, LIMIT, Standstill
from ragbase.engine.wait import PATIENCE, DocumentWaiter, problem_of
from ragbase.testing.changes import MemoryChanges
from ragbase.testing.document_store import MemoryDocumentStore
from tests.contract.test_document_store import document, put


@pytest.fixture
def store() -> MemoryDocumentStore:
    store = MemoryDocumentStore()
    put(store, *(document(id) for id in "abc"))
    return store


class Pipeline:
    def __init__(self, store: MemoryDocumentStore) -> None:
        self.changes = MemoryChanges(store)
        self.refusal = ""

    def check_storage(self) -> None:
        if self.refusal:
            raise Unavailable(self.refusal)


def waiter_for(store: MemoryDocumentStore) -> DocumentWaiter:
    return DocumentWaiter(store, Standstill(Pipeline(store)))


def complete(store: MemoryDocumentStore, id: str) -> Document:
    record = replace(document(id), status=Status.COMPLETED)
    put(store, record)
    return record


def test_each_document_is_reported_once_it_is_settled(store: MemoryDocumentStore) -> None:
    waiter = waiter_for(store)
    for id in "abc":
        waiter.expect(id)

    def work() -> None:
        for id in "cab":
            waiter.settled(id)  # a job of it is done, and it goes on
            complete(store, id)
            waiter.settled(id)

    worker = threading.Thread(target=work)
    worker.start()
    settled = list(waiter.rest())
    worker.join()
    assert sorted(record.id for record in settled) == ["a", "b", "c"]
    assert {record.status for record in settled} == {Status.COMPLETED}


def test_what_another_process_settles_is_noticed(store: MemoryDocumentStore) -> None:
    waiter = waiter_for(store)
    waiter.expect("a")
    record = complete(store, "a")
    assert list(waiter.rest()) == [record]


def test_without_expected_documents_there_is_no_wait(store: MemoryDocumentStore) -> None:
    waiter = waiter_for(store)
    waiter.settled("a")
    assert list(waiter.rest()) == []
    assert list(waiter.within(0)) == []


def test_a_look_in_between_gives_what_was_heard_of(store: MemoryDocumentStore) -> None:
    waiter = waiter_for(store)
    for id in "ab":
        waiter.expect(id)
    record = complete(store, "a")
    waiter.settled("b")
    waiter.settled("a")
    assert list(waiter.within(0)) == [record]
    waiter.expect("b", lambda record: record.generation == 1)
    assert [record.id for record in waiter.rest()] == ["b"]


def test_a_document_that_waits_for_a_service_is_not_waited_for(store: MemoryDocumentStore) -> None:
    now = datetime.now(UTC)
    failure = Failure(ErrorCode.INTERNAL_ERROR, "The embedder is away.")
    held_up = replace(document("a"), waiting_since=now - PATIENCE, failure=failure)
    just_begun = replace(document("b"), waiting_since=now, failure=failure)
    put(store, held_up, just_begun)
    waiter = waiter_for(store)
    waiter.expect("a")
    assert list(waiter.rest()) == [held_up]
    problem = problem_of(held_up)
    assert problem is not None and "tries again" in problem and "The embedder is away." in problem
    assert problem_of(just_begun) is None
    put_right = replace(held_up, waiting_since=now + timedelta(hours=1))  # the clock was an hour ahead
    assert problem_of(put_right) is not None
    failed = replace(held_up, status=Status.FAILED)
    assert problem_of(failed) == f"{failed.source}: INTERNAL_ERROR: The embedder is away."


def test_documents_that_are_awaited_together_are_looked_at_together(store: MemoryDocumentStore) -> None:
    waiter = waiter_for(store)
    looks: list[set[str]] = []

    def which(records: Sequence[Document]) -> Iterable[Document]:
        looks.append({record.id for record in records})
        return [record for record in records if record.status is Status.COMPLETED]

    waiter.expect_all("abc", which)
    for id in "ab":
        complete(store, id)
        waiter.settled(id)
    rest = waiter.rest()
    assert {next(rest).id, next(rest).id} == {"a", "b"}
    complete(store, "c")
    waiter.settled("c")
    assert [record.id for record in rest] == ["c"]
    assert looks == [{"a", "b"}, {"c"}]


def test_nobody_waits_for_a_pipeline_that_stands_still(store: MemoryDocumentStore) -> None:
    seconds = count(step=int(FULL_AFTER) - 1)
    waiter = DocumentWaiter(store, Standstill(Pipeline(store), lambda: float(next(seconds))))
    waiter.expect("a")
    with pytest.raises(Unavailable, match="No document has changed"):
        list(waiter.rest())
    assert next(seconds) >= LIMIT


def test_a_full_disk_ends_the_wait_with_its_reason(store: MemoryDocumentStore) -> None:
    pipeline, seconds = Pipeline(store), count(step=int(FULL_AFTER))
    waiter = DocumentWaiter(store, Standstill(pipeline, lambda: float(next(seconds))))
    waiter.expect("a")
    pipeline.refusal = "The disk is full."
    with pytest.raises(Unavailable, match="The disk is full"):
        list(waiter.rest())
    assert next(seconds) < LIMIT


def test_what_moves_anywhere_is_waited_for(store: MemoryDocumentStore) -> None:
    seconds = count(step=int(LIMIT) - 1)
    standstill = Standstill(Pipeline(store), lambda: float(next(seconds)))
    for number in range(5):
        put(store, document(f"other-{number}"))
        standstill.check(1)
