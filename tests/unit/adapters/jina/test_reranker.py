"""What the reranker for servers with an API like Jina's makes of their answers (rerank_services.py)."""

from __future__ import annotations

import json
import math
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import pytest

from ragbase.adapters.backoff import RateLimited, Unreachable
from ragbase.adapters.jina.reranker import JinaReranker
from ragbase.adapters.jina.scores import within_one
from ragbase.domain.errors import ConfigurationError, QuestionRefused, TransientError, Unavailable
from tests.unit.adapters.jina.rerank_services import BATCH, SERVERS, Answer, Answering, StandIn, serving

QUESTION = "Who counts the ships?"
TEXTS = ["Bread is baked at four.", "The keeper counts the ships.", "Nothing of this kind."]


def on(stand_in: StandIn, *, key: str = "a-secret-key", timeout: float = 30) -> closing[JinaReranker]:
    return closing(JinaReranker(key, model="m", timeout=timeout, url=stand_in.url))


def always(status: int, body: Any) -> Answering:
    return lambda request: (status, body)


def scored(*scores: Any) -> Answer:
    return 200, {"results": [{"index": at, "relevance_score": score} for at, score in enumerate(scores)]}


def best(scores: Any) -> int:
    return max(range(len(scores)), key=scores.__getitem__)


@pytest.mark.parametrize("name", SERVERS)
def test_every_server_finds_the_best_of_a_hundred_long_texts(name: str) -> None:
    texts = [f"Text {number} says nothing of this kind, in many words. " + "word " * 300 for number in range(99)]
    texts.insert(70, f"{TEXTS[1]} {'word ' * 300}")
    with serving(SERVERS[name][1]) as stand_in, on(stand_in) as reranker:
        scores = reranker.rerank(QUESTION, texts).scores
        asked = len(stand_in.requests)
        again = reranker.rerank(QUESTION, texts).scores
    assert best(scores) == 70 and all(0 <= score <= 1 for score in scores)
    assert scores == again
    assert len(stand_in.requests) - asked == (4 if "inference" in name else 1), "what a refusal showed is kept"
    assert set(stand_in.paths) == {"/v1/rerank"} and set(stand_in.keys) == {"Bearer a-secret-key"}


def test_a_server_that_takes_few_texts_gets_no_more() -> None:
    with serving(SERVERS["text-embeddings-inference"][1]) as stand_in, on(stand_in) as reranker:
        reranker.rerank(QUESTION, TEXTS * 33)
        assert [len(one["texts"]) for one in stand_in.requests if "texts" in one] == [99, BATCH, BATCH, BATCH, 3]
        assert all(one["truncate"] for one in stand_in.requests if "texts" in one)


@pytest.mark.parametrize(
    "logits",
    [(-11.0, 7.7, 3.8), (900.0, 1_000.0, -5.0), (0.2, 1e9, 1e9 - 1e4), (-1e-9, 1e-9, 0.0), (-40.0, -39.0, -41.0)],
)
def test_logits_become_scores_in_the_same_order(logits: tuple[float, ...]) -> None:
    given = within_one(logits)
    assert sorted(range(3), key=given.__getitem__) == sorted(range(3), key=logits.__getitem__)
    assert len(set(given)) == 3 and all(0 <= score <= 1 for score in given)


def test_scores_that_are_in_place_stay_and_small_logits_are_the_sigmoid() -> None:
    assert within_one([0.0, 1.0, 0.25]) == [0.0, 1.0, 0.25]
    assert within_one([-2.0, 2.0]) == [1 / (1 + math.exp(2)), 1 / (1 + math.exp(-2))]
    assert within_one([]) == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (scored(0.1, 0.9), "2 scores for 3 texts"),
        (scored(0.1, 0.9, math.nan), "cannot be used"),
        (scored(0.1, 0.9, None), "cannot be used"),
        (scored(0.1, 0.9, True), "cannot be used"),
        (scored(0.1, 0.9, 0.2, 0.3), "cannot be used"),
        ((200, {"results": [{"index": 1, "relevance_score": 0.5}] * 3}), "cannot be used"),
        ((200, {"results": [{"relevance_score": 0.5}] * 3}), "cannot be used"),
        ((200, {"results": ["a", "b", "c"]}), "without scores"),
        ((200, {"answer": "yes"}), "without scores"),
        ((200, "3"), "without scores"),
        ((200, "<html><title>Login</title></html>"), "a web page, “Login”"),
        ((200, {"error": {"message": "Provider returned error", "code": 502}}), "Provider returned error"),
    ],
)
def test_an_answer_that_cannot_be_used_says_so(answer: Answer, words: str) -> None:
    with serving(lambda _: answer) as stand_in, on(stand_in) as reranker, pytest.raises(TransientError, match=words):
        reranker.rerank(QUESTION, TEXTS)
    assert len(stand_in.requests) == 1, "it tries once"


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ((401, {"detail": "Invalid API key"}), ConfigurationError, "RAGBASE_RERANKER_API_KEY"),
        ((404, {"message": "The model `m` does not exist."}), ConfigurationError, "RAGBASE_RERANK_MODEL"),
        ((429, {"detail": "Rate limit exceeded"}), RateLimited, "429"),
        ((402, {"detail": "Insufficient balance"}), Unavailable, "billing"),
        ((503, {"error": "Model is overloaded"}), Unavailable, "overloaded"),
        ((400, {"detail": "The question is no question"}), QuestionRefused, "no question"),
        ((413, {"error": "Payload too large"}), QuestionRefused, "413"),
        ((307, ""), Unavailable, "307"),
    ],
)
def test_a_refusal_names_what_to_do(answer: Answer, error: type[Exception], words: str) -> None:
    with serving(lambda _: answer) as stand_in, on(stand_in) as reranker, pytest.raises(error, match=words) as caught:
        reranker.rerank(QUESTION, TEXTS)
    assert "a-secret-key" not in str(caught.value)


def test_texts_are_cut_only_as_far_as_the_server_asks() -> None:
    with serving(SERVERS["vLLM"][1]) as stand_in, on(stand_in) as reranker:
        reranker.rerank(QUESTION, [*TEXTS, "word " * 200])
        assert [len(request["documents"][-1]) for request in stand_in.requests] == [1_000, 500]
        assert all(list(request["documents"][:3]) == TEXTS for request in stand_in.requests)


@contextmanager
def never_ending(piece: bytes, head: bytes) -> Iterator[str]:
    """A server that sends `head` and then `piece` again and again, until the client goes."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            try:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(head)
                    while not over.wait(0.01):
                        connection.sendall(piece)
            except OSError:
                pass

        over = threading.Event()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        over.set()
    thread.join(30)


@pytest.mark.parametrize(
    ("piece", "head"),
    [
        (b" ", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        (b"1\r\n \r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        (b"X: y\r\n", b"HTTP/1.1 200 OK\r\n"),
        (b"", b""),
    ],
    ids=["a chunk without an end", "a byte at a time", "headers without an end", "silence"],
)
def test_nothing_that_a_server_does_takes_longer_than_the_limit(piece: bytes, head: bytes) -> None:
    with (
        never_ending(piece, head) as url,
        closing(JinaReranker("", model="m", timeout=0.3, url=url)) as reranker,
        pytest.raises(Unavailable),
    ):
        reranker.rerank(QUESTION, TEXTS)


def test_a_body_that_comes_for_ever_is_read_by_nobody_for_ever() -> None:
    with (
        never_ending(b"1\r\n \r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") as url,
        closing(JinaReranker("", model="m", timeout=0.3, url=url)) as reranker,
    ):
        before = set(threading.enumerate())
        with pytest.raises(Unavailable):
            reranker.rerank(QUESTION, TEXTS)
        readers = set(threading.enumerate()) - before
        for thread in readers:
            thread.join(30)
        assert not any(map(threading.Thread.is_alive, readers))


def test_an_answer_without_an_end_is_not_read_to_it() -> None:
    big = json.dumps({"results": [], "filling": "x" * 9_000_000})
    with serving(always(200, big)) as stand_in, on(stand_in) as reranker, pytest.raises(Unavailable, match="8 MB"):
        reranker.rerank(QUESTION, TEXTS)


def test_a_server_that_is_away_is_unreachable() -> None:
    with serving(always(200, [])) as stand_in:
        url = stand_in.url
    with closing(JinaReranker("", model="m", timeout=10, url=url)) as made, pytest.raises(Unreachable):
        made.rerank(QUESTION, TEXTS)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"api_key": "", "url": ""}, "Set RAGBASE_RERANKER_API_KEY to .+, or RAGBASE_RERANKER_URL to"),
        ({"api_key": "", "url": "tei:8080"}, "RAGBASE_RERANKER_URL"),
        ({"api_key": "schlüssel", "url": ""}, "RAGBASE_RERANKER_API_KEY"),
    ],
)
def test_a_wrong_setting_is_named_before_anything_is_asked(settings: Mapping[str, str], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        JinaReranker(settings["api_key"], model="m", timeout=1, url=settings["url"])


@pytest.mark.parametrize("end", ["", "/", "/rerank", "/rerank/"])
def test_the_url_may_end_with_the_method_and_needs_no_key(end: str) -> None:
    with serving(SERVERS["Jina"][1]) as stand_in:
        with closing(JinaReranker("", model="m", timeout=30, url=stand_in.url + end)) as reranker:
            reranker.rerank(QUESTION, TEXTS)
        assert (stand_in.paths, stand_in.keys) == (["/v1/rerank"], [None])


def test_the_settings_make_it(tmp_path: Any) -> None:
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config

    with serving(SERVERS["Cohere"][1]) as stand_in:
        environment = {"RAGBASE_EMBEDDER": "hashing", "RAGBASE_RERANKER": "jina", "RAGBASE_RERANKER_URL": stand_in.url}
        with closing(open_profile(load_config(home=tmp_path, environment=environment))) as profile:
            assert profile.reranker is not None
            given = profile.reranker.rerank(QUESTION, TEXTS)
    assert (best(given.scores), given.billed_units) == (1, 1.0)
    assert stand_in.requests[0]["model"] == "jina-reranker-v2-base-multilingual"
