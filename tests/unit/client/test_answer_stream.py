"""An answer that comes in parts, from a server that fails before it, in it and after it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from ragbase.client.client import Client
from ragbase.client.errors import ApiError, NoAnswer, UnreadableAnswer
from ragbase.messages.api.answer import AnswerResponse, AnswerSentenceBody
from tests.unit.client.scripted_server import Script, Step, answer, cut, pieces, refusal, scripted_server

EVIDENCE = b'event: evidence\ndata: {"evidence":[]}\n\n'
SENTENCE = 'event: sentence\ndata: {"text":"It is\u2028red.","supported":true,"citations":[]}\n\n'.encode()
DONE = b'event: done\ndata: {"text":"It is red.","answered":true,"model":"stand-in"}\n\n'
ERROR = b'event: error\ndata: {"error":"UNAVAILABLE","message":"Try again."}\n\n'
SAID = AnswerSentenceBody(text="It is\u2028red.", supported=True, citations=())


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted_server() as script:
        yield script


@pytest.fixture
def client(script: Script) -> Iterator[Client]:
    with Client(script.url, "rb_key", sleep=lambda _: None) as client:
        yield client


def test_a_sentence_is_given_before_the_next_one_is_sent(client: Client, script: Script) -> None:
    taken: list[object] = []
    seen: list[int] = []

    def look() -> None:
        seen.append(len(taken))

    script.then(pieces([EVIDENCE, SENTENCE, DONE], look, client_takes=lambda: len(taken)))
    taken.extend(client.answer_parts("what colour?"))  # one after the other
    whole = AnswerResponse(text="It is red.", answered=True, model="stand-in", sentences=(SAID,), evidence=())
    assert taken == [(), SAID, whole]
    assert seen == [0, 1, 2]
    assert script.asked[0].headers["accept"] == "text/event-stream"


def test_events_may_be_cut_anywhere(client: Client, script: Script) -> None:
    body = EVIDENCE + SENTENCE + DONE
    for places in (range(0, len(body) + 1), (0, 50, 51, len(body))):
        script.then(pieces([body[start:end] for start, end in pairwise(places)]))
        assert list(client.answer_parts("what colour?"))[1] == SAID


def test_what_passes_before_the_answer_is_tried_again(client: Client, script: Script) -> None:
    script.then(refusal(503), cut, refusal(429), answer(200, EVIDENCE + DONE))
    assert len(list(client.answer_parts("what colour?"))) == 2
    assert len(script.asked) == 4


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (answer(200, EVIDENCE + SENTENCE + ERROR), ApiError),
        (answer(200, EVIDENCE + SENTENCE), NoAnswer),
        (pieces([EVIDENCE, SENTENCE], is_whole=False), NoAnswer),
        (answer(200, EVIDENCE + SENTENCE + b"event: done\ndata: {}\n\n"), UnreadableAnswer),
    ],
)
def test_what_fails_amid_the_answer_is_the_error(
    client: Client, script: Script, fault: Step, error: type[Exception]
) -> None:
    script.then(fault)
    parts = client.answer_parts("what colour?")
    assert [next(parts), next(parts)] == [(), SAID]
    with pytest.raises(error):
        next(parts)
    assert len(script.asked) == 1


def test_an_answer_that_is_an_error_is_raised(client: Client, script: Script) -> None:
    script.then(refusal(400, "QUESTION_REFUSED", "No."))
    with pytest.raises(ApiError) as error:
        next(client.answer_parts("what colour?"))
    assert (error.value.status, error.value.code, error.value.message) == (400, "QUESTION_REFUSED", "No.")
