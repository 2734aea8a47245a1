"""An answer that comes in parts, from a server that fails before it, in it and after it."""

from __future__ import annotations

import codecs
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
    for dressed in (body, codecs.BOM_UTF8 + body, body.replace(b"\n", b"\r\n"), body.replace(b"\n", b"\r")):
        for places in (range(0, len(dressed) + 1), (0, 50, 51, len(dressed))):
            script.then(pieces([dressed[start:end] for start, end in pairwise(places)]))
            assert list(client.answer_parts("what colour?"))[1] == SAID


def test_events_are_read_as_the_standard_says(client: Client, script: Script) -> None:
    odd = b':\n\nid: 7\nretry\nevent:evidence\ndata:{"evidence":\ndata: []}\n\nevent: later\ndata: {}\n\n'
    script.then(answer(200, odd + SENTENCE + DONE))
    assert list(client.answer_parts("what colour?"))[:2] == [(), SAID]


def test_an_answer_that_ends_anywhere_before_its_end_is_none(client: Client, script: Script) -> None:
    body = EVIDENCE + SENTENCE + DONE
    for end in range(0, len(body), 7):
        script.then(answer(200, body[:end]))
        with pytest.raises(NoAnswer):
            list(client.answer_parts("what colour?"))


def test_a_text_that_is_cut_in_a_character_is_an_error(client: Client, script: Script) -> None:
    script.then(answer(200, "\ufeffTür".encode()), answer(200, "Tür".encode()[:2]))
    assert client.text("abc") == "\ufeffTür"
    with pytest.raises(UnreadableAnswer, match="UTF-8"):
        client.text("abc")


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


def test_an_error_amid_the_answer_names_the_request(client: Client, script: Script) -> None:
    script.then(answer(200, EVIDENCE + ERROR, X_Request_Id="r-1"))
    with pytest.raises(ApiError) as raised:
        list(client.answer_parts("what colour?"))
    error = raised.value
    assert (error.status, error.code, error.message, error.request_id) == (200, "UNAVAILABLE", "Try again.", "r-1")


def test_an_answer_that_is_an_error_is_raised(client: Client, script: Script) -> None:
    script.then(refusal(400, "QUESTION_REFUSED", "No."))
    with pytest.raises(ApiError) as error:
        next(client.answer_parts("what colour?"))
    assert (error.value.status, error.value.code, error.value.message) == (400, "QUESTION_REFUSED", "No.")
