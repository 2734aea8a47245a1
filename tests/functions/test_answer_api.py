"""POST /api/answer, whole and as events, on the server that `ragbase serve` starts."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragbase import Client, telemetry
from ragbase.domain.answer import NO_INFORMATION
from ragbase.domain.errors import QuestionRefused, Unavailable
from ragbase.ports import DraftSentence
from tests.unit.client.served import Served, served

pytestmark = pytest.mark.slow

GUIDE = b"""# Guide

## Backups

The nightly backup starts at half past two and takes ten minutes. It is kept for ninety days.

## Pumps

The red pump is inspected every May.
"""
QUESTION = {"query": "When does the nightly backup start?"}
SENTENCE = "The nightly backup starts at half past two and takes ten minutes."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("home")) as server, Client(server.url) as client:
        client.wait(client.upload(GUIDE, path="guides/guide.md").id)
        yield server


def ask(server: Served, body: object, accept: str = "*/*") -> tuple[http.client.HTTPResponse, bytes]:
    parts = urlsplit(server.url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as connection:
        headers = {"Content-Type": "application/json", "Accept": accept}
        connection.request("POST", "/api/answer", json.dumps(body), headers)
        answer = connection.getresponse()
        return answer, answer.read()


def events(data: bytes) -> list[tuple[str, Any]]:
    """Each event has its name, one line of data, and an empty line."""
    *blocks, rest = data.split(b"\n\n")
    assert rest == b""
    lines = [block.split(b"\n") for block in blocks]
    assert all(name.startswith(b"event: ") and data.startswith(b"data: ") for name, data in lines)
    return [(name[7:].decode(), json.loads(data[6:])) for name, data in lines]


def test_an_answer_has_sentences_that_stand_on_the_document(server: Served) -> None:
    response, body = ask(server, QUESTION)
    answer = json.loads(body)
    assert (response.status, response.getheader("Content-Type")) == (200, "application/json")
    assert answer["answered"] is True
    first = answer["sentences"][0]
    assert (first["text"], first["supported"]) == (SENTENCE, True)
    (citation,) = first["citations"]
    assert (citation["filename"], citation["metadata"]["heading"]) == ("guides/guide.md", "Guide")
    with Client(server.url) as client:
        text = client.text(citation["documentId"])
    for one in (citation, *answer["evidence"]):
        place = one["metadata"]
        assert text[place["charStart"] : place["charEnd"]] == one.get("text", one.get("content"))
    assert citation["evidence"] in {passage["id"] for passage in answer["evidence"]}


def test_the_events_are_the_same_answer_in_parts(server: Served) -> None:
    whole = json.loads(ask(server, QUESTION)[1])
    response, body = ask(server, QUESTION, "text/event-stream")
    assert (response.status, response.getheader("Content-Type")) == (200, "text/event-stream; charset=utf-8")
    assert response.getheader("Cache-Control") == "no-store"
    first, *sentences, last = events(body)
    assert first == ("evidence", {"evidence": whole["evidence"]})
    assert sentences == [("sentence", sentence) for sentence in whole["sentences"]]
    assert last == ("done", {name: whole[name] for name in ("text", "answered", "model", "confidence")})


def test_without_evidence_there_is_no_information_and_no_model(server: Served) -> None:
    question = {"query": "Which comet did Halley see?"}
    whole = json.loads(ask(server, question)[1])
    near = whole["nearMiss"]
    assert near["unknown"] == ["comet", "Halley", "see"]
    nothing = {"text": NO_INFORMATION, "answered": False, "nearMiss": near, "confidence": "near miss"}
    assert whole == {**nothing, "sentences": [], "evidence": []}
    assert events(ask(server, question, "text/event-stream")[1]) == [("evidence", {"evidence": []}), ("done", nothing)]


def test_a_filter_leaves_documents_out(server: Served) -> None:
    asked = {**QUESTION, "filter": {"pathPrefix": "elsewhere"}}
    assert json.loads(ask(server, asked)[1])["text"] == NO_INFORMATION


@pytest.mark.parametrize("accept", ["*/*", "text/event-stream"])
@pytest.mark.parametrize("body", [{}, {"query": ""}, {"query": "q" * 1001}, {"query": "q", "topK": 101}, []])
def test_an_error_before_the_first_byte_is_an_ordinary_one(server: Served, body: object, accept: str) -> None:
    response, data = ask(server, body, accept)
    assert (response.status, response.getheader("Content-Type")) == (400, "application/json")
    assert json.loads(data).keys() == {"error", "message"}


def test_an_error_amid_the_stream_is_its_last_event(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        model = "broken"

        def generate(self, *_: object) -> Iterator[Any]:
            yield DraftSentence("The first words.")
            raise Unavailable("The model does not answer.")

    monkeypatch.setitem(server.profile.__dict__, "generator", Broken())
    names = [name for name, _ in events(ask(server, QUESTION, "text/event-stream")[1])]
    assert names == ["evidence", "sentence", "error"]
    response, data = ask(server, QUESTION)
    assert (response.status, json.loads(data)["error"]) == (503, "UNAVAILABLE")


def test_a_question_that_the_model_refuses_is_no_fault_of_the_server(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Strict:
        model = "strict"

        def generate(self, *_: object) -> Iterator[Any]:
            raise QuestionRefused("Cohere answered 400: too many tokens")
            yield

    monkeypatch.setitem(server.profile.__dict__, "generator", Strict())
    response, data = ask(server, QUESTION)
    error = json.loads(data)
    assert (response.status, error["error"]) == (400, "QUESTION_REFUSED")
    assert "too many tokens" in error["message"]
    assert events(ask(server, QUESTION, "text/event-stream")[1])[-1] == ("error", error)


def test_the_log_has_the_name_of_the_request_while_its_events_are_made(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Named:
        model = "named"

        def generate(self, *_: object) -> Iterator[DraftSentence]:
            yield DraftSentence(telemetry.request_id.get())

    monkeypatch.setitem(server.profile.__dict__, "generator", Named())
    response, body = ask(server, QUESTION, "text/event-stream")
    assert events(body)[1][1]["text"] == response.getheader("X-Request-Id")


def test_a_sentence_is_sent_before_the_next_one_is_written(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on = threading.Event()

    class Slow:
        model = "slow"

        def generate(self, *_: object) -> Iterator[DraftSentence]:
            yield DraftSentence("The first sentence.")
            assert may_go_on.wait(30)
            yield DraftSentence("The second sentence.")

    monkeypatch.setitem(server.profile.__dict__, "generator", Slow())
    parts = urlsplit(server.url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as connection:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        connection.request("POST", "/api/answer", json.dumps(QUESTION), headers)
        response = connection.getresponse()
        read = b""
        while b"first sentence" not in read:
            read += response.read1()
        assert b"second sentence" not in read
        may_go_on.set()
        read += response.read()
    assert [name for name, _ in events(read)] == ["evidence", "sentence", "sentence", "done"]
