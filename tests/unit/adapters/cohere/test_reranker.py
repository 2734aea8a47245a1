"""How Cohere's reranker meets faults: it tries once, and says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from ragbase.adapters.backoff import RateLimited, Unreachable
from ragbase.adapters.cohere.reranker import CohereReranker
from ragbase.domain.errors import ConfigurationError, QuestionRefused, TransientError, Unavailable
from tests.doubles.cohere_server import INVALID_KEY, CohereServer, Fault, cohere_server

TEXTS = ["red", "green ships"]


@pytest.fixture(scope="module")
def server() -> Iterator[CohereServer]:
    with cohere_server() as server:
        yield server


def reranker(server: CohereServer, *, key: str = "key", timeout: float = 10) -> Any:
    server.reset()
    return closing(CohereReranker(key, model="rerank-v3.5", timeout=timeout, url=server.url))


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("rate_limit", RateLimited),
        ("reset", Unreachable),
        ("error", Unavailable),
        ("bad_request", QuestionRefused),
        ("garbage", TransientError),
        ("count", TransientError),
        ("nan", TransientError),
    ],
)
def test_a_fault_is_one_call_and_an_error(server: CohereServer, fault: Fault, error: type[Exception]) -> None:
    with reranker(server) as made:
        server.plan(fault)
        with pytest.raises(error):
            made.rerank("ships", TEXTS)
        assert server.stats()["calls"] == 1
        assert len(made.rerank("ships", TEXTS).scores) == len(TEXTS)


def test_a_slow_answer_is_not_waited_for(server: CohereServer) -> None:
    with reranker(server, timeout=0.05) as made:
        server.plan("slow", seconds=30)
        with pytest.raises(Unreachable):
            made.rerank("ships", TEXTS)


def test_a_wrong_key_names_its_setting(server: CohereServer) -> None:
    with reranker(server, key=INVALID_KEY) as made, pytest.raises(ConfigurationError, match="CO_API_KEY"):
        made.rerank("ships", TEXTS)


def test_the_request_names_the_model_and_has_all_texts(server: CohereServer) -> None:
    with reranker(server) as made:
        made.rerank("ships", TEXTS)
    assert server.last_request() == {"model": "rerank-v3.5", "query": "ships", "documents": TEXTS}
