"""Shared calls that have to wait for their turns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from ragbase.adapters.shared_batches import SharedBatches
from ragbase.domain.errors import NoTurn
from ragbase.ports import Embeddings, deadline, work_until
from tests.unit.adapters.embedding_service import FOREVER, Service, check, documents_of, together


def test_who_has_more_time_than_the_first_joins_another_call() -> None:
    """The first call has no turn within the time of its shortest document."""
    service = Service()
    service.error = NoTurn("others come first")
    batches = SharedBatches(service, gather=0, patience=FOREVER)
    now = datetime.now(UTC)
    deadlines = [now + timedelta(minutes=1), now + timedelta(minutes=2), now + timedelta(minutes=2), None]
    start = threading.Barrier(len(deadlines))

    def embed(number: int) -> Embeddings:
        with work_until(deadlines[number]), batches.joining():
            start.wait()
            return batches.embed_documents([f"text {number}"])

    with ThreadPoolExecutor(len(deadlines)) as pool:
        results = [pool.submit(embed, number) for number in range(len(deadlines))]

    assert isinstance(results[0].exception(), NoTurn)
    assert [len(result.result().vectors) for result in results[1:]] == [1, 1, 1]
    assert len(service.calls[0]) == 4
    assert sorted(text for call in service.calls[1:] for text in call) == ["text 1", "text 2", "text 3"]


def test_where_calls_have_to_wait_anyway_a_batch_stays_open_for_documents_that_come_next() -> None:
    """A document that is being written will make room for another one."""
    service = Service(max_batch=4)
    looked, ended = threading.Semaphore(0), threading.Event()

    def crowded() -> bool:
        looked.release()
        return True

    batches = SharedBatches(service, gather=0, patience=0, crowded=crowded, crowded_patience=FOREVER)

    def embed(texts: Sequence[str], then: Callable[[], object] = lambda: None) -> Embeddings:
        with batches.joining():
            embeddings = batches.embed_documents(texts)
            then()
            return embeddings

    with ThreadPoolExecutor(3) as pool:
        try:
            pool.submit(embed, ["a", "full", "call", "alone"], ended.wait)
            looked.acquire()
            first = pool.submit(embed, ["one", "two"])
            looked.acquire()
            next_one = pool.submit(embed, ["three", "four"])
            check(first.result(), ["one", "two"])
            check(next_one.result(), ["three", "four"])
        finally:
            ended.set()

    assert service.calls[1:] == [["one", "two", "three", "four"]]


def test_where_calls_have_to_wait_anyway_nobody_waits_for_documents_that_cannot_come() -> None:
    service = Service()
    batches = SharedBatches(service, gather=0, patience=0, crowded=lambda: True, crowded_patience=FOREVER)

    results = together(batches, documents_of(2, 2, 2))

    assert [len(result.result().vectors) for result in results] == [2, 2, 2]
    assert len(service.calls) == 1


def test_a_shared_call_has_the_time_of_its_shortest_caller() -> None:
    seen: list[datetime | None] = []

    class Timed(Service):
        def embed_documents(self, texts: Sequence[str]) -> Embeddings:
            seen.append(deadline())
            return super().embed_documents(texts)

    batches = SharedBatches(Timed(), gather=0, patience=FOREVER)
    soon, late = datetime.now(UTC) + timedelta(minutes=1), datetime.now(UTC) + timedelta(minutes=2)
    start = threading.Barrier(3)

    def embed(end: datetime | None) -> None:
        with work_until(end), batches.joining():
            start.wait()
            batches.embed_documents(["text"])

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(embed, [late, soon, None]))

    assert seen == [soon]
