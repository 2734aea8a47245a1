"""Embedding calls shared between callers: each gets its own, whatever happens to the others."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.adapters.backoff import RateLimited
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.shared_batches import SharedBatches
from ragbase.domain.errors import ConfigurationError, PermanentError, TransientError
from ragbase.pipeline.concurrent_calls import call_concurrently
from ragbase.ports import Embeddings
from ragbase.testing.examples import share
from tests.unit.adapters.embedding_service import FAULTY, FOREVER, REFUSED, Service, check, documents_of, together


def test_documents_that_are_announced_share_their_calls() -> None:
    service = Service()
    documents = documents_of(*[6] * 16)

    results = together(SharedBatches(service, gather=0, patience=FOREVER), documents)

    for result, texts in zip(results, documents, strict=True):
        check(result.result(), texts)
    assert len(service.calls) == 1


def test_sixteen_documents_in_flight_need_few_calls() -> None:
    service = Service()
    batches = SharedBatches(service, patience=FOREVER)
    documents = documents_of(*[number % 23 + 1 for number in range(160)])
    waiting = iter(documents)
    taking = threading.Lock()
    everybody = threading.Barrier(16)

    def work() -> None:
        with batches.joining():
            everybody.wait()
        while True:
            with taking:
                texts = next(waiting, None)
            if texts is None:
                return
            with batches.joining():
                check(batches.embed_documents(texts), texts)

    with ThreadPoolExecutor(16) as pool:
        for worker in [pool.submit(work) for _ in range(16)]:
            worker.result()

    assert len(service.calls) <= 1.1 * sum(map(len, documents)) / service.max_batch


def test_a_document_alone_waits_for_nobody() -> None:
    service = Service()
    batches = SharedBatches(service, gather=0, patience=FOREVER)

    with batches.joining():
        batches.embed_documents(["first"])
        batches.embed_documents(["second"])

    assert service.calls == [["first"], ["second"]]


def test_a_document_that_makes_several_calls_waits_for_nobody() -> None:
    service = Service()
    batches = SharedBatches(service, gather=0, patience=FOREVER)
    texts = documents_of(1, 1)

    with batches.joining():
        answers = call_concurrently([partial(batches.embed_documents, one) for one in texts])

    for answer, one in zip(answers, texts, strict=True):
        assert isinstance(answer, Embeddings)
        check(answer, one)


def test_a_full_batch_waits_for_nobody() -> None:
    service = Service(max_batch=2)

    SharedBatches(service, gather=FOREVER, patience=FOREVER).embed_documents(["one", "two"])

    assert service.calls == [["one", "two"]]


def test_a_document_that_embeds_nothing_keeps_nobody_waiting() -> None:
    service = Service()
    batches = SharedBatches(service, gather=0, patience=FOREVER)
    announced, left = threading.Event(), threading.Event()

    def duplicate() -> None:
        with batches.joining():
            announced.set()
            left.wait()

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(duplicate)
        announced.wait()
        embedding = pool.submit(batches.embed_documents, ["text"])
        left.set()
        check(embedding.result(), ["text"])
        other.result()


def test_patience_ends() -> None:
    batches = SharedBatches(Service(), gather=0, patience=0.01)
    done = threading.Event()

    def slow() -> None:
        with batches.joining():
            done.wait()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(slow)
        try:
            check(batches.embed_documents(["text"]), ["text"])
        finally:
            done.set()
        other.result()


sizes = st.integers(0, 7)
kinds = st.sampled_from(["", "", "", REFUSED, FAULTY])


@share(0.6)
@given(documents=st.lists(st.tuples(sizes, kinds), max_size=12))
def test_every_caller_gets_its_own_vectors_or_its_own_error(documents: list[tuple[int, str]]) -> None:
    service = Service(max_batch=7)
    batches = SharedBatches(service, gather=0, patience=FOREVER)
    texts = [
        [f"{kind} document {number} text {place}" for place in range(size)]
        for number, (size, kind) in enumerate(documents)
    ]

    results = together(batches, texts)

    shares = 0
    for result, own, (size, kind) in zip(results, texts, documents, strict=True):
        if size and kind:
            with pytest.raises(PermanentError if kind == REFUSED else TransientError):
                result.result()
        else:
            check(result.result(), own)
            shares += result.result().billed_tokens
    if not any(size and kind for size, kind in documents):
        assert shares == service.billed


def test_billed_tokens_are_shared_by_length_and_add_up() -> None:
    service = Service()
    documents = [["short"], ["a text of some length " * 20], ["middling in its length"]]

    results = together(SharedBatches(service, gather=0, patience=FOREVER), documents)

    shares = [result.result().billed_tokens for result in results]
    assert len(service.calls) == 1
    assert sum(shares) == service.billed
    assert shares == pytest.approx([len(text) for (text,) in documents], abs=2)


@pytest.mark.parametrize(
    "error", [RateLimited("429", retry_after=3), ConfigurationError("the key is wrong")], ids=["limit", "setting"]
)
def test_a_service_that_is_away_is_asked_once_and_each_caller_gets_its_error(error: Exception) -> None:
    service = Service()
    service.error = error

    results = together(SharedBatches(service, gather=0, patience=FOREVER), documents_of(2, 2, 2))

    raised = [result.exception() for result in results]
    assert [(type(each), str(each)) for each in raised] == [(type(error), str(error))] * 3
    assert len({id(each) for each in raised}) == 3
    assert len(service.calls) == 1


def test_an_error_of_a_lone_caller_is_raised_as_it_is() -> None:
    service = Service()
    service.error = error = TransientError("not now")

    with pytest.raises(TransientError) as caught:
        SharedBatches(service, gather=0).embed_documents(["text"])

    assert caught.value is error
    assert len(service.calls) == 1


def test_an_interrupted_leader_leaves_nobody_waiting() -> None:
    service = Service()
    service.error = KeyboardInterrupt()
    documents = documents_of(2, 2, 2)

    results = together(SharedBatches(service, gather=0, patience=FOREVER), documents)

    interrupted = [result for result in results if isinstance(result.exception(), KeyboardInterrupt)]
    assert len(interrupted) == 1
    for result, texts in zip(results, documents, strict=True):
        if result not in interrupted:
            check(result.result(), texts)


def test_more_texts_than_a_call_takes_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 3 texts, not 4"):
        SharedBatches(Service(max_batch=3)).embed_documents(["text"] * 4)


def test_a_query_is_not_gathered() -> None:
    batches = SharedBatches(Service(), gather=FOREVER, patience=FOREVER)

    np.testing.assert_array_equal(batches.embed_query("ships"), HashingEmbedder(16).embed_query("ships"))


def test_no_thread_is_left_behind() -> None:
    before = set(threading.enumerate())

    together(SharedBatches(Service(), gather=0), documents_of(*[5] * 8))

    assert set(threading.enumerate()) <= before
