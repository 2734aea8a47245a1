"""What the embedder for services with an API like OpenAI's makes of their answers (embedding_services.py)."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import numpy.typing as npt
import pytest

from ragbase.adapters.openai.embedder import OpenAIEmbedder
from ragbase.adapters.rate_limiter import RateLimiter
from ragbase.adapters.shared_batches import SharedBatches
from ragbase.domain.errors import ConfigurationError, NoTurn, QuestionRefused, TransientError, Unavailable
from ragbase.domain.rate import ServiceRate
from ragbase.ports import TextRefused, work_until
from ragbase.retrieval.languages import background
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import START, VirtualClock
from tests.unit.adapters.embedding_service import FOREVER, together
from tests.unit.adapters.embedding_services import (
    AWAY,
    BAD,
    DIMENSION,
    KEY,
    REFUSING,
    WORKING,
    WRONG,
    Answer,
    Answering,
    StandIn,
    always,
    embedded,
    said,
    serving,
    vectors,
    with_limit,
)

TEXTS = [f"The passage with the number {number}." for number in range(60)]
_PYTHON = re.compile(r"\b[A-Z]\w+(Error|Exception)\b")


def on(stand_in: StandIn, *, rate_limiter: RateLimiter | None = None, batch_size: int = 96) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        stand_in.url, KEY, "model", DIMENSION, batch_size=batch_size, rate_limiter=rate_limiter, sleep=lambda _: None
    )


def sizes(stand_in: StandIn) -> list[int]:
    return [len(call) for call in stand_in.calls]


def same(made: Sequence[npt.NDArray[np.float32]], texts: Sequence[str]) -> None:
    np.testing.assert_allclose(np.array(made), np.array(vectors(texts)), atol=1e-6)


@pytest.mark.parametrize(("answer", "words"), [rest for _, *rest in AWAY.values()], ids=list(AWAY))
def test_an_outage_is_one_and_says_what_the_service_says(answer: Answering, words: str) -> None:
    with serving(answer) as stand_in, closing(on(stand_in)) as embedder, pytest.raises(Unavailable) as caught:
        embedder.embed_documents(TEXTS)
    assert words in str(caught.value)
    assert not _PYTHON.search(str(caught.value).replace("DriverError", ""))
    assert len(stand_in.calls) == 1, "a smaller call would fail, too"


@pytest.mark.parametrize(("answer", "words"), [rest for _, *rest in WRONG.values()], ids=list(WRONG))
def test_a_wrong_setting_is_no_documents_fault(answer: Answering, words: str) -> None:
    with serving(answer) as stand_in, closing(on(stand_in)) as embedder:
        for ask in (lambda: embedder.embed_documents(TEXTS), embedder.check):
            with pytest.raises(ConfigurationError) as caught:
                ask()
            assert words in str(caught.value)
            assert KEY not in str(caught.value) and not _PYTHON.search(str(caught.value))


def test_once_the_service_takes_texts_nothing_is_wrong_any_more() -> None:
    with serving(WRONG["LM Studio, the model"][1]) as stand_in, closing(on(stand_in)) as embedder:
        with pytest.raises(ConfigurationError):
            embedder.embed_documents(TEXTS)
        stand_in.answer = embedded
        embedder.embed_documents(TEXTS)
        embedder.check()


@pytest.mark.parametrize("answer", [answer for _, answer in WORKING.values()], ids=list(WORKING))
def test_each_text_gets_its_own_vector(answer: Answering) -> None:
    with serving(answer) as stand_in, closing(on(stand_in)) as embedder:
        same(embedder.embed_documents(TEXTS).vectors, TEXTS)


@pytest.mark.parametrize(
    ("name", "texts"),
    [("text-embeddings-inference", 32), ("Azure OpenAI", 16), ("DashScope", 10), ("a gateway, the first text only", 1)],
)
def test_the_limit_is_found_once_and_kept(name: str, texts: int) -> None:
    with serving(WORKING[name][1]) as stand_in, closing(on(stand_in)) as embedder:
        first = embedder.embed_documents(TEXTS)
        found = len(stand_in.calls)
        assert embedder.max_batch == texts
        again = embedder.embed_documents(TEXTS)
    same(first.vectors, TEXTS)
    assert len(again.vectors) == 60
    assert max(sizes(stand_in)[found:]) <= texts
    assert first.billed_tokens + again.billed_tokens == stand_in.billed


def test_a_setting_fixes_the_limit() -> None:
    with serving(WORKING["text-embeddings-inference"][1]) as stand_in, closing(on(stand_in, batch_size=32)) as embedder:
        embedder.embed_documents(TEXTS)
    assert sizes(stand_in) == [32, 28]


def test_texts_that_are_too_long_together_are_measured_in_characters() -> None:
    with serving(WORKING["OpenAI, too many tokens in a call"][1]) as stand_in, closing(on(stand_in)) as embedder:
        embedder.embed_documents(["word " * 20] * 60)
        found = len(stand_in.calls)
        assert (embedder.max_batch, embedder.max_characters) == (96, 1500)
        embedder.embed_documents(["word " * 20] * 60)
    assert sizes(stand_in)[found:] == [15] * 4


def test_a_refusal_that_passes_by_itself_leaves_no_limit_behind() -> None:
    """A service that has taken as many texts before takes them again."""
    refused = [False]

    def answer(texts: list[str]) -> Answer:
        now, refused[0] = refused[0], False
        return (400, {"detail": "Bad Request"}) if now else embedded(texts)

    with serving(answer) as stand_in, closing(on(stand_in)) as embedder:
        embedder.embed_documents(TEXTS)
        refused[0] = True
        embedder.embed_documents(TEXTS)
    assert sizes(stand_in) == [60, 60, 30, 30]
    assert embedder.max_batch == 96


def test_one_text_is_found_by_halving_and_the_vectors_before_it_are_kept() -> None:
    texts = [*TEXTS[:50], BAD, *TEXTS[51:]]
    with (
        serving(REFUSING["a service that does not say why"][1]) as stand_in,
        closing(on(stand_in)) as embedder,
        pytest.raises(TextRefused) as caught,
    ):
        embedder.embed_documents(texts)
    assert caught.value.place == 50
    same(caught.value.made, texts[:50])
    assert caught.value.billed_tokens == stand_in.billed == 50
    assert len(stand_in.calls) <= 2 * 6 + 1
    assert embedder.max_batch == 96, "the limit is not to blame"


def test_a_text_without_a_vector_is_asked_for_once_more_alone() -> None:
    answer = REFUSING["a gateway, an empty vector"][1]
    texts = [*TEXTS[:50], BAD, *TEXTS[51:]]
    with serving(answer) as stand_in, closing(on(stand_in)) as embedder:
        with pytest.raises(TextRefused, match="is empty") as caught:
            embedder.embed_documents(texts)
        assert (caught.value.place, len(caught.value.made), sizes(stand_in)) == (50, 50, [60, 1])
        with pytest.raises(TextRefused, match="is empty"):
            embedder.embed_documents([BAD])
        assert sizes(stand_in)[2:] == [1, 1], "another text shows that the service is well"
        stand_in.calls.clear()
        stand_in.answer = lambda texts: answer(texts) if len(stand_in.calls) == 0 else embedded(texts)
        same(embedder.embed_documents(texts).vectors, texts)
        assert sizes(stand_in) == [60, 1, 9]


def test_a_question_that_is_refused_is_no_search_for_a_limit() -> None:
    with (
        serving(REFUSING["llama.cpp"][1]) as stand_in,
        closing(on(stand_in)) as embedder,
        pytest.raises(QuestionRefused, match="too large to process"),
    ):
        embedder.embed_query(BAD)
    assert sizes(stand_in) == [1]


def test_each_smaller_call_has_a_turn_of_its_own() -> None:
    """A refused call counts at the service, too, as far as anybody knows."""
    clock, checkpoints = VirtualClock(), MemoryCheckpoints()
    rate_limiter = RateLimiter("openai", ServiceRate(1_000, 0), lambda: checkpoints, clock, sleep=lambda _: None)
    with (
        serving(WORKING["text-embeddings-inference"][1]) as stand_in,
        closing(on(stand_in, rate_limiter=rate_limiter)) as embedder,
    ):
        embedder.embed_documents(TEXTS)
    (book,) = rate_limiter.books()
    assert sum(book.booked.values()) == sum(sizes(stand_in)) == 60 + 32 + 28


def test_two_workers_may_find_the_limit_at_once() -> None:
    together_at = threading.Barrier(2)
    met = threading.local()

    def answer(texts: list[str]) -> Answer:
        if len(texts) == 60 and not getattr(met, "yes", False):
            met.yes = True
            together_at.wait(30)
        return with_limit(7, lambda _: (400, said("Too many inputs. The max number of inputs is 7.")))(texts)

    with (
        serving(answer) as stand_in,
        closing(on(stand_in)) as embedder,
        ThreadPoolExecutor(2) as workers,
    ):
        made = list(workers.map(embedder.embed_documents, [TEXTS, TEXTS[::-1]]))
    assert [len(one.vectors) for one in made] == [60, 60]
    same(made[1].vectors, TEXTS[::-1])
    assert embedder.max_batch == 7
    assert sorted(sizes(stand_in)) == [4] * 2 + [7] * 16 + [60] * 2


@pytest.mark.parametrize("name", ["a service that does not say why", "DashScope", "OpenAI, too many tokens in a call"])
def test_no_smaller_call_is_made_after_the_time_of_the_document(name: str) -> None:
    with (
        serving(WORKING[name][1]) as stand_in,
        closing(on(stand_in)) as embedder,
        work_until(START),
        pytest.raises(NoTurn),
    ):
        embedder.embed_documents([f"{text} " * 2 for text in TEXTS])
    assert sizes(stand_in) == [60]


def documents(*bad: int, of: int = 6) -> list[list[str]]:
    """The texts of so many documents. Those of these numbers have a text that no service takes."""
    return [
        [f"document {number} text {place} {BAD if number in bad and place == 5 else ''}" for place in range(10)]
        for number in range(of)
    ]


@pytest.mark.parametrize("bad", [(), (3,), (0, 5), range(6)])
def test_in_a_shared_call_a_refused_text_costs_the_other_documents_nothing(bad: Sequence[int]) -> None:
    texts = documents(*bad)
    with serving(REFUSING["Ollama"][1]) as stand_in, closing(on(stand_in)) as embedder:
        results = together(SharedBatches(embedder, gather=0, patience=FOREVER), texts)
        billed = 0
        for number, result in enumerate(results):
            error = result.exception()
            if number not in bad:
                same(result.result().vectors, texts[number])
                billed += result.result().billed_tokens
            else:
                assert isinstance(error, TextRefused) and error.place == 5
                same(error.made, texts[number][:5])
                billed += error.billed_tokens
    assert billed == stand_in.billed, "every token is on a record, once"
    taken = [text for call in stand_in.calls if not any(BAD in one for one in call) for text in call]
    assert len(taken) == len(set(taken)), "no text is paid for twice"


@pytest.mark.parametrize("bad", [1, 6])
def test_a_document_in_two_shared_calls_has_one_place_for_its_text(bad: int) -> None:
    """Three of its texts fill the call of another document, and the others are in a new one."""
    first, texts = documents()[0][:5], documents()[1][:8]
    texts[bad] = BAD
    opened = threading.Event()

    def is_crowded() -> bool:
        """Somebody asks this when a call is opened."""
        opened.set()
        return False

    with (
        serving(REFUSING["Ollama"][1]) as stand_in,
        closing(on(stand_in, batch_size=8)) as embedder,
        ThreadPoolExecutor(1) as workers,
    ):
        batches = SharedBatches(embedder, gather=0, patience=FOREVER, crowded=is_crowded)
        with batches.joining():
            other = workers.submit(batches.embed_documents, first)
            assert opened.wait(30)
            with pytest.raises(TextRefused) as caught:
                batches.embed_documents(texts)
        same(other.result().vectors, first)
    same(caught.value.made, texts[:bad])
    assert caught.value.place == bad
    assert other.result().billed_tokens + caught.value.billed_tokens == stand_in.billed


def test_a_shared_call_that_is_too_large_is_no_documents_fault() -> None:
    texts = documents()
    with serving(WORKING["text-embeddings-inference"][1]) as stand_in, closing(on(stand_in)) as embedder:
        batches = SharedBatches(embedder, gather=0, patience=FOREVER)
        first = together(batches, texts)
        found = len(stand_in.calls)
        second = together(batches, texts)
        assert [len(result.result().vectors) for result in (*first, *second)] == [10] * 12
        assert batches.max_batch == 32
    assert max(sizes(stand_in)[found:]) <= 32
    assert len(stand_in.calls) - found <= 4


def test_texts_that_were_cut_for_a_larger_call_are_still_taken() -> None:
    """Another document may find the limit while this one's texts are on their way."""
    with serving(WORKING["text-embeddings-inference"][1]) as stand_in, closing(on(stand_in)) as embedder:
        batches = SharedBatches(embedder, gather=0)
        embedder.embed_documents(TEXTS)
        assert batches.max_batch == 32
        assert len(batches.embed_documents(TEXTS).vectors) == 60
        assert len(batches.embed_documents([*TEXTS, *TEXTS[:36]]).vectors) == 96


def test_the_words_of_a_document_are_not_taken_for_the_services() -> None:
    """Some services repeat what they do not take."""
    text = f"{BAD}: what to do if the API key is not valid, no models are loaded, or the model does not exist?"
    refused = (400, {"detail": f"cannot be embedded: {text}"})
    with (
        serving(lambda texts: refused if text in texts else embedded(texts)) as stand_in,
        closing(on(stand_in)) as embedder,
        pytest.raises(TextRefused) as caught,
    ):
        embedder.embed_documents([*TEXTS[:20], text])
    assert caught.value.place == 20
    assert "cannot be embedded: …. Change the passage" in str(caught.value)


def test_errors_of_a_proxy_are_not_taken_for_the_services_words() -> None:
    """It may quote what the service behind it says of another call."""
    with (
        serving(always(502, said("the input length exceeds the context length"))) as stand_in,
        closing(on(stand_in)) as embedder,
        pytest.raises(TransientError),
    ):
        embedder.embed_documents(TEXTS)
    assert sizes(stand_in) == [60]


def test_a_caller_with_many_texts_loses_none_when_the_limit_is_found() -> None:
    """The calls of a caller may become smaller while it makes them."""
    texts = [f"passage {number}" for number in range(200)]
    with serving(WORKING["text-embeddings-inference"][1]) as stand_in, closing(on(stand_in)) as embedder:
        same(background.embedded(texts, embedder), texts)
        assert embedder.max_batch == 32
