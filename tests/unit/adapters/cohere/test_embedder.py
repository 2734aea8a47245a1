"""How the embedders of hosted models meet faults, each against a server that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from datetime import timedelta

import numpy as np
import pytest

from ragbase.adapters.backoff import RateLimited, Unreachable
from ragbase.adapters.cohere.embedder import CohereEmbedder
from ragbase.adapters.openai.embedder import OpenAIEmbedder
from ragbase.adapters.rate_limiter import RateLimiter
from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError, TransientError
from ragbase.domain.rate import ServiceRate
from ragbase.ports import Embedder
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import START, VirtualClock
from tests.doubles.cohere_server import INVALID_KEY, CohereServer, Fault, cohere_server

pytestmark = pytest.mark.slow

TEXTS = ["Ships pass the lighthouse.", "Bread is baked at four."]

Sleep = Callable[[float], None]
Made = CohereEmbedder | OpenAIEmbedder
HOSTED: Mapping[str, Callable[[str, str, Sleep, RateLimiter | None], Made]] = {
    "cohere": lambda url, key, sleep, rate_limiter: CohereEmbedder(
        key, url=url, rate_limiter=rate_limiter, sleep=sleep
    ),
    "openai": lambda url, key, sleep, rate_limiter: OpenAIEmbedder(
        f"{url}/v1", key, "text-embedding-3-small", 1024, rate_limiter=rate_limiter, sleep=sleep
    ),
}


def paced(clock: VirtualClock, rate: ServiceRate) -> RateLimiter:
    """A rate whose waits move the clock."""
    checkpoints = MemoryCheckpoints()

    def sleep(seconds: float) -> None:
        clock.advance(timedelta(seconds=seconds))

    return RateLimiter("service", rate, lambda: checkpoints, clock, sleep=sleep)


class Hosted:
    """An embedder of a hosted model, its server, and the waits between its attempts, which take no time."""

    def __init__(self, name: str, server: CohereServer) -> None:
        self.server = server
        self.waits: list[float] = []
        self._make = HOSTED[name]
        self._made = ExitStack()
        self.embedder = self.made()

    def made(self, *, url: str | None = None, key: str = "key", rate_limiter: RateLimiter | None = None) -> Embedder:
        return self._made.enter_context(
            closing(self._make(url or self.server.url, key, self.waits.append, rate_limiter))
        )

    def close(self) -> None:
        self._made.close()

    @property
    def calls(self) -> int:
        calls: int = self.server.stats()["calls"]
        return calls


@pytest.fixture(scope="module")
def server() -> Iterator[CohereServer]:
    with cohere_server() as server:
        yield server


@pytest.fixture(params=HOSTED)
def hosted(request: pytest.FixtureRequest, server: CohereServer) -> Iterator[Hosted]:
    server.reset()
    with closing(Hosted(request.param, server)) as hosted:
        yield hosted


def test_a_rate_limit_is_waited_for(hosted: Hosted) -> None:
    hosted.server.plan("rate_limit", 5)

    assert len(hosted.embedder.embed_documents(TEXTS).vectors) == 2
    assert hosted.waits == [1, 2, 4, 8, 16]
    assert hosted.calls == 6


def test_a_rate_limit_that_stays_goes_to_the_queue(hosted: Hosted) -> None:
    hosted.server.plan("rate_limit", 7)

    with pytest.raises(RateLimited, match="429"):
        hosted.embedder.embed_documents(TEXTS)

    assert hosted.calls == 6


def test_retry_after_says_how_long_to_wait(hosted: Hosted) -> None:
    hosted.server.plan("rate_limit", retry_after="7")
    hosted.server.plan("rate_limit", retry_after="Wed, 21 Oct 2015 07:28:00 GMT")

    hosted.embedder.embed_documents(TEXTS)

    assert hosted.waits == [7, 2]


def test_the_queue_waits_better_than_a_worker_for_an_hour(hosted: Hosted) -> None:
    hosted.server.plan("rate_limit", retry_after="3600")

    with pytest.raises(RateLimited):
        hosted.embedder.embed_documents(TEXTS)

    assert (hosted.waits, hosted.calls) == ([], 1)


def test_documents_keep_to_the_rate_and_queries_do_not_wait(hosted: Hosted) -> None:
    clock = VirtualClock()
    rate_limiter = paced(clock, ServiceRate(2, 0))
    embedder = hosted.made(rate_limiter=rate_limiter)
    assert embedder.max_batch == 2

    embedder.embed_documents(TEXTS)
    embedder.embed_query("ships")
    assert clock.now() == START
    embedder.embed_documents(TEXTS)
    assert clock.now() - START >= timedelta(minutes=1)


def test_a_refusal_is_noted_for_all_and_each_further_attempt_has_its_turn(hosted: Hosted) -> None:
    clock = VirtualClock()
    rate_limiter = paced(clock, ServiceRate(4, 0))
    hosted.server.plan("rate_limit", retry_after="7")

    hosted.made(rate_limiter=rate_limiter).embed_documents(TEXTS)

    assert hosted.waits == [7]
    assert clock.now() - START == timedelta(seconds=7), "the rate limiter waits by its own clock"
    (book,) = rate_limiter.books()
    assert sum(book.booked.values()) == 4, "the refused attempt counts, too"


def test_a_broken_connection_is_tried_again(hosted: Hosted) -> None:
    hosted.server.plan("reset", 2)

    assert len(hosted.embedder.embed_documents(TEXTS).vectors) == 2
    assert hosted.waits == [2, 2]


def test_a_connection_that_stays_broken_goes_to_the_queue(hosted: Hosted) -> None:
    hosted.server.plan("reset", 4)

    with pytest.raises(Unreachable):
        hosted.embedder.embed_documents(TEXTS)

    assert hosted.calls == 3


def test_each_kind_of_fault_has_its_own_attempts(hosted: Hosted) -> None:
    for fault in ("reset", "rate_limit", "reset", "rate_limit"):
        hosted.server.plan(fault)

    hosted.embedder.embed_documents(TEXTS)

    assert hosted.waits == [2, 1, 2, 2]


def test_a_query_does_not_keep_a_person_waiting(hosted: Hosted) -> None:
    hosted.server.plan("rate_limit", 2)
    hosted.server.plan("reset", 2)

    with pytest.raises(RateLimited):
        hosted.embedder.embed_query("ships")
    with pytest.raises(Unreachable):
        hosted.embedder.embed_query("ships")

    assert hosted.waits == [1, 1]


def test_a_query_gives_up_on_a_silent_server(hosted: Hosted) -> None:
    hosted.server.plan("slow", 2, seconds=60)

    with pytest.raises(Unreachable, match="gave no answer"):
        hosted.embedder.embed_query("ships")


def test_a_server_that_is_not_there(hosted: Hosted) -> None:
    with cohere_server() as gone:
        url = gone.url

    with pytest.raises(Unreachable, match=url):
        hosted.made(url=url).embed_documents(TEXTS)

    assert hosted.waits == [2, 2]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("error", "500"),
        ("nan", "not finite"),
        ("garbage", "answered 200 without JSON"),
    ],
)
def test_any_other_fault_goes_to_the_queue_at_once(hosted: Hosted, fault: Fault, message: str) -> None:
    hosted.server.plan(fault)

    with pytest.raises((TransientError, ConfigurationError), match=message):
        hosted.embedder.embed_documents(TEXTS)

    assert (hosted.waits, hosted.calls) == ([], 1)


def test_a_text_that_is_refused_fails_for_good(hosted: Hosted) -> None:
    hosted.server.plan("bad_request", 2)

    with pytest.raises(PermanentError, match=r"400: .*invalid request") as caught:
        hosted.embedder.embed_documents(TEXTS)

    assert caught.value.code is ErrorCode.INTERNAL_ERROR
    assert hosted.calls == 3, "the last one shows that the service takes other texts"


def test_too_few_vectors_are_asked_for_in_smaller_calls(hosted: Hosted) -> None:
    hosted.server.plan("count")

    assert len(hosted.embedder.embed_documents(TEXTS).vectors) == 2
    assert (hosted.waits, hosted.calls) == ([], 3)


def test_another_dimension_names_the_setting(hosted: Hosted) -> None:
    hosted.server.plan("dimension")

    with pytest.raises(ConfigurationError, match=r"1025 dimensions where RAGBASE_EMBEDDING_DIMENSION is 1024"):
        hosted.embedder.embed_documents(TEXTS)


def test_a_key_that_is_refused_names_the_setting(hosted: Hosted) -> None:
    with pytest.raises(ConfigurationError, match=r"401.* Set (CO|OPENAI)_API_KEY"):
        hosted.made(key=INVALID_KEY).embed_documents(TEXTS)

    assert hosted.waits == []


@pytest.mark.parametrize("key", ["", " \n", "kéy", "two\nlines"])
def test_what_cannot_be_a_key_is_refused_at_start(hosted: Hosted, key: str) -> None:
    with pytest.raises(ConfigurationError, match="_API_KEY"):
        hosted.made(key=key)


def test_a_key_from_a_file_may_end_its_line(hosted: Hosted) -> None:
    assert len(hosted.made(key="key\n").embed_documents(TEXTS).vectors) == 2


@pytest.mark.parametrize("url", ["api.cohere.com", "ftp://host", "https://", "http://host:port"])
def test_what_cannot_be_a_url_is_refused_at_start(hosted: Hosted, url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"(CO_API|OPENAI_BASE)_URL"):
        hosted.made(url=url)


def test_more_texts_than_a_call_takes_are_refused(hosted: Hosted) -> None:
    with pytest.raises(ValueError, match="at most 96 texts, not 97"):
        hosted.embedder.embed_documents(["text"] * 97)

    assert hosted.calls == 0


def test_a_model_that_does_not_exist_names_the_setting(server: CohereServer) -> None:
    embedders: list[Made] = [
        CohereEmbedder("key", url=server.url, model="embed-v99"),
        OpenAIEmbedder(f"{server.url}/v1", "key", "embed-v99", 1024),
    ]
    for embedder in embedders:
        message = r"404.*'embed-v99' not found.* RAGBASE_EMBEDDING_MODEL"
        with closing(embedder), pytest.raises(ConfigurationError, match=message):
            embedder.embed_query("ships")


def test_a_flexible_model_makes_the_dimension_that_is_set(server: CohereServer) -> None:
    with closing(CohereEmbedder("key", url=server.url, model="embed-v4.0", dimension=256)) as embedder:
        assert embedder.embed_query("ships").shape == (256,)
        assert embedder.model == "embed-v4.0-256"


def test_a_model_without_base64_is_asked_for_numbers(server: CohereServer) -> None:
    server.reset()
    with closing(CohereEmbedder("key", url=server.url, model="embed-multilingual-v2.0", dimension=768)) as embedder:
        assert [len(vector) for vector in embedder.embed_documents(TEXTS).vectors] == [768, 768]
        embedder.embed_query("ships")
    assert server.stats()["calls"] == 3  # one to learn it


def test_numbers_that_come_instead_of_base64_are_taken(server: CohereServer) -> None:
    server.reset()
    with closing(CohereEmbedder("key", url=server.url)) as embedder:
        expected = embedder.embed_documents(TEXTS).vectors
        server.plan("floats")
        np.testing.assert_array_equal(embedder.embed_documents(TEXTS).vectors, expected)


def test_documents_and_queries_are_embedded_as_what_they_are(server: CohereServer) -> None:
    server.reset()

    with closing(CohereEmbedder("key", url=server.url)) as embedder:
        embedder.embed_documents(TEXTS)
        embedder.embed_query("ships")

    assert server.stats()["input_types"] == {"search_document": 2, "search_query": 1}


def test_vectors_have_unit_length_whatever_the_service_sends(hosted: Hosted) -> None:
    vectors = np.array(hosted.embedder.embed_documents(TEXTS).vectors)

    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
