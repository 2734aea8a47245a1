"""Cohere and what stands in its place: refused calls, and answers that are not what Cohere documents. Its embedder,
reranker and generator take them in the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing

import numpy as np
import pytest

from ragbase.adapters.cohere.embedder import CohereEmbedder
from ragbase.adapters.cohere.generator import CohereGenerator
from ragbase.adapters.cohere.reranker import CohereReranker
from ragbase.domain.errors import ConfigurationError, QuestionRefused, RagbaseError, TransientError, Unavailable
from ragbase.ports import TextRefused
from ragbase.testing.passages import passage
from tests.unit.adapters.embedding_services import (
    BAD,
    DIMENSION,
    KEY,
    Answering,
    StandIn,
    always,
    serving,
    vectors,
    with_limit,
    without,
)

TEXTS = [f"The passage with the number {number}." for number in range(60)]


def on(stand_in: StandIn) -> CohereEmbedder:
    return CohereEmbedder(KEY, model="model", dimension=DIMENSION, url=stand_in.host, sleep=lambda _: None)


def test_a_call_with_too_many_texts_is_made_smaller() -> None:
    """The words are Cohere's (https://github.com/misbahsy/RAGTune/issues/2)."""

    def refused(count: int) -> tuple[int, object]:
        return 400, {"message": f"invalid request: total number of texts must be at most 48 - received {count}"}

    with serving(with_limit(48, refused)) as stand_in, closing(on(stand_in)) as embedder:
        made = embedder.embed_documents(TEXTS)
        np.testing.assert_allclose(np.array(made.vectors), np.array(vectors(TEXTS)), atol=1e-6)
        assert (embedder.max_batch, made.billed_tokens) == (48, 60)
    assert [len(call) for call in stand_in.calls] == [60, 48, 12]


@pytest.mark.parametrize("status", [400, 422, 498])
def test_a_text_that_is_blocked_is_found(status: int) -> None:
    blocked = (status, {"message": "this input was blocked"})
    with (
        serving(without(blocked)) as stand_in,
        closing(on(stand_in)) as embedder,
        pytest.raises(TextRefused, match=r"this input was blocked\. Change the passage") as caught,
    ):
        embedder.embed_documents([*TEXTS[:40], f"{BAD} words", *TEXTS[41:]])
    assert (caught.value.place, len(caught.value.made)) == (40, 40)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (always(200, {"error": {"message": "upstream is away"}}), Unavailable, "200: upstream is away"),
        (always(200, {"message": "invalid api token", "code": 401}), ConfigurationError, "Set CO_API_KEY"),
        (always(200, "<html><title>Welcome</title></html>"), Unavailable, "200 without JSON: a web page, “Welcome”"),
        (always(200, "[]"), TransientError, "answer"),
        (always(502, "<html><title>Bad Gateway</title></html>"), Unavailable, "502: a web page, “Bad Gateway”"),
        (always(404, {"message": "model 'model' not found"}), ConfigurationError, "Set RAGBASE_EMBEDDING_MODEL"),
        (always(400, {"message": "invalid request: no"}), ConfigurationError, "It refuses every text"),
    ],
)
def test_an_outage_and_a_wrong_setting_are_no_documents_fault(
    answer: Answering, error: type[RagbaseError], words: str
) -> None:
    with serving(answer) as stand_in, closing(on(stand_in)) as embedder, pytest.raises(error, match=words) as caught:
        embedder.embed_documents(TEXTS)
    assert KEY not in str(caught.value) and "Error" not in str(caught.value)


def _reranked(stand_in: StandIn) -> None:
    with closing(CohereReranker(KEY, model="model", timeout=30, url=stand_in.host)) as reranker:
        reranker.rerank("ships", TEXTS)


def _generated(stand_in: StandIn) -> None:
    with closing(CohereGenerator(KEY, model="model", url=stand_in.host, sleep=lambda _: None)) as generator:
        list(generator.generate("ships", [passage(1, "The keeper counts the ships.")]))


ASKED: Mapping[str, Callable[[StandIn], None]] = {"RERANK": _reranked, "CHAT": _generated}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (
            always(400, {"error": "No models loaded. Load one."}),
            ConfigurationError,
            "No models loaded.*RAGBASE_{}_MODEL",
        ),
        (always(500, {"message": "the prompt is too long"}), QuestionRefused, "500: the prompt is too long"),
        (always(402, {"message": "no credits left"}), Unavailable, "402: no credits left. Look at the plan"),
        (always(503, {"message": "the context length is exceeded"}), Unavailable, "503: the context length"),
    ],
)
def test_the_reranker_and_the_generator_read_answers_in_the_same_way(
    name: str, answer: Answering, error: type[RagbaseError], words: str
) -> None:
    with serving(answer) as stand_in, pytest.raises(error, match=words.format(name)) as caught:
        ASKED[name](stand_in)
    assert "Error" not in str(caught.value)


@pytest.mark.parametrize(("body", "words"), [({"error": "upstream is away"}, "upstream is away"), ({}, "no scores")])
def test_a_reranker_that_answers_200_without_scores_says_what_came(body: object, words: str) -> None:
    with serving(always(200, body)) as stand_in, pytest.raises(TransientError, match=words):
        _reranked(stand_in)
