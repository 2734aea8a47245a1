"""What every reranker does: a score for each text, in the order of the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager

import pytest

from ragbase.adapters.cohere.reranker import CohereReranker
from ragbase.domain.limits import MAX_RERANKED
from ragbase.ports import Reranker
from ragbase.testing.reranker import MemoryReranker
from scripts.local_cloud.cohere_server import cohere_server

TEXTS = ["Bread is baked at four.", "The keeper counts the ships.", "Nothing of this kind."]
QUESTION = "Who counts the ships?"


@contextmanager
def cohere() -> Iterator[Reranker]:
    with (
        cohere_server() as server,
        closing(CohereReranker("key", model="rerank-v3.5", timeout=10, url=server.url)) as made,
    ):
        yield made


@contextmanager
def memory() -> Iterator[Reranker]:
    yield MemoryReranker()


RERANKERS: Mapping[str, Callable[[], AbstractContextManager[Reranker]]] = {"cohere": cohere, "memory": memory}


@pytest.fixture(params=RERANKERS)
def reranker(request: pytest.FixtureRequest) -> Iterator[Reranker]:
    with RERANKERS[request.param]() as reranker:
        yield reranker


def test_the_text_that_answers_has_the_best_score(reranker: Reranker) -> None:
    given = reranker.rerank(QUESTION, TEXTS)
    assert max(range(len(TEXTS)), key=given.scores.__getitem__) == 1
    assert all(0 <= score <= 1 for score in given.scores)
    assert given.billed_units == 1


def test_scores_come_in_the_order_of_the_texts(reranker: Reranker) -> None:
    turned = reranker.rerank(QUESTION, TEXTS[::-1]).scores
    assert list(turned)[::-1] == pytest.approx(list(reranker.rerank(QUESTION, TEXTS).scores), abs=1e-6)


def test_texts_may_be_equal_or_blank(reranker: Reranker) -> None:
    scores = reranker.rerank(QUESTION, [TEXTS[1], " ", TEXTS[1]]).scores
    assert scores[0] == pytest.approx(scores[2], abs=1e-6)
    assert scores[0] > scores[1]


def test_without_texts_nothing_is_asked(reranker: Reranker) -> None:
    given = reranker.rerank(QUESTION, [])
    assert (list(given.scores), given.billed_units) == ([], 0)


def test_more_texts_than_a_search_unit_has_are_refused(reranker: Reranker) -> None:
    assert len(reranker.rerank(QUESTION, TEXTS[:1] * MAX_RERANKED).scores) == MAX_RERANKED
    with pytest.raises(ValueError, match="100"):
        reranker.rerank(QUESTION, TEXTS[:1] * (MAX_RERANKED + 1))


def test_several_threads_may_ask(reranker: Reranker) -> None:
    alone = list(reranker.rerank(QUESTION, TEXTS).scores)
    with ThreadPoolExecutor(4) as pool:
        for given in pool.map(lambda _: reranker.rerank(QUESTION, TEXTS), range(8)):
            assert list(given.scores) == pytest.approx(alone, abs=1e-6)


def test_a_reranker_has_a_name(reranker: Reranker) -> None:
    assert reranker.model
