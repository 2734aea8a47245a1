"""Waiting for documents that settle in this process, in another one, or before anybody listens."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from ragbase.adapters.memory.document_store import MemoryDocumentStore
from ragbase.bootstrap.settling import Settling
from ragbase.domain.document import Document, Status
from tests.contract.test_document_store import document, put


@pytest.fixture
def store() -> MemoryDocumentStore:
    store = MemoryDocumentStore()
    put(store, *(document(id) for id in "abc"))
    return store


def complete(store: MemoryDocumentStore, id: str) -> Document:
    record = replace(document(id), status=Status.COMPLETED)
    put(store, record)
    return record


def test_each_is_told_once_it_is_settled(store: MemoryDocumentStore) -> None:
    settling = Settling(store)
    for id in "abc":
        settling.expect(id)

    def work() -> None:
        for id in "cab":
            settling.heard(id)  # a job of it is done, and it goes on
            complete(store, id)
            settling.heard(id)

    worker = threading.Thread(target=work)
    worker.start()
    settled = list(settling.rest())
    worker.join()
    assert sorted(record.id for record in settled) == ["a", "b", "c"]
    assert {record.status for record in settled} == {Status.COMPLETED}


def test_what_another_process_settles_is_noticed(store: MemoryDocumentStore) -> None:
    settling = Settling(store)
    settling.expect("a")
    record = complete(store, "a")
    assert list(settling.rest()) == [record]


def test_nothing_awaited_is_no_wait(store: MemoryDocumentStore) -> None:
    settling = Settling(store)
    settling.heard("a")
    assert list(settling.rest()) == []
    assert list(settling.within(0)) == []


def test_a_look_in_between_tells_what_was_heard_of(store: MemoryDocumentStore) -> None:
    settling = Settling(store)
    for id in "ab":
        settling.expect(id)
    record = complete(store, "a")
    settling.heard("b")
    settling.heard("a")
    assert list(settling.within(0)) == [record]
    settling.expect("b", lambda record: record.generation == 1)
    assert [record.id for record in settling.rest()] == ["b"]
