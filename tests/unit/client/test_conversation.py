"""A conversation with a deployment: what the client sends of it, and what it reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ragbase import Client, Conversation, Role, Turn
from ragbase.domain.conversation import MAX_TURN_LENGTH, MAX_TURNS
from ragbase.interfaces.wire.query import QueryRequest
from ragbase.messages.api.answer import AnswerResponse, AnswerSentenceBody, VerifiedCitationBody
from ragbase.messages.api.chunk_metadata import ChunkMetadata
from tests.unit.client.scripted_server import Script, answer, pieces, scripted_server

HISTORY = (Turn(Role.USER, "How long is the warranty?"), Turn(Role.ASSISTANT, "Two years.", ("a",)))
SENT = [
    {"role": "user", "text": "How long is the warranty?"},
    {"role": "assistant", "text": "Two years.", "documentIds": ["a"]},
]
PART = {"text": "its price", "covered": False, "missing": {"asked": "amount", "subject": "warranty", "text": "None."}}
END = {"text": "", "answered": False, "searchedFor": "The price?", "parts": [PART], "missing": PART["missing"]}


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted_server() as script:
        yield script


@pytest.fixture
def client(script: Script) -> Iterator[Client]:
    with Client(script.url, "rb_key", sleep=lambda _: None) as client:
        yield client


def sent(script: Script) -> Any:
    return json.loads(script.asked[-1].body)


def said(text: str, *documents: str) -> AnswerResponse:
    citations = tuple(
        VerifiedCitationBody(
            text=text, evidence="1", document_id=id, filename=id, generation="1",
            metadata=ChunkMetadata(char_start=0, char_end=1),
        )
        for id in documents
    )  # fmt: skip
    sentences = (AnswerSentenceBody(text=text, supported=True, citations=citations),)
    return AnswerResponse(text=text, answered=True, sentences=sentences, evidence=())


def test_a_history_is_sent_with_every_kind_of_question(client: Client, script: Script) -> None:
    script.then(answer(200, {"results": [], "searchedFor": "The price?", "parts": [PART]}))
    found = client.query("And its price?", history=HISTORY)
    assert sent(script) == {"query": "And its price?", "history": SENT}
    assert found.searched_for == "The price?" and found.parts is not None and found.parts[0].missing is not None
    assert found.response().searched_for == "The price?" and found.response().parts == found.parts
    script.then(answer(200, {**END, "sentences": [], "evidence": []}))
    whole = client.answer("And its price?", history=HISTORY)
    assert sent(script)["history"] == SENT
    done = b'event: evidence\ndata: {"evidence":[]}\n\nevent: done\ndata: ' + json.dumps(END).encode() + b"\n\n"
    script.then(pieces([done]))
    *_, streamed = client.answer_parts("And its price?", history=HISTORY)
    assert sent(script)["history"] == SENT
    assert whole == streamed and whole.missing is not None and whole.missing.asked == "amount"


def test_without_a_history_nothing_of_it_is_sent(client: Client, script: Script) -> None:
    script.then(answer(200, {"results": []}))
    client.query("How?")
    assert sent(script) == {"query": "How?"}


def test_a_conversation_has_questions_with_answers_and_what_they_cite() -> None:
    conversation = Conversation()
    assert not conversation.history
    conversation.add(" How long is the warranty?\n", said("Two years.", "a", "b", "a"))
    conversation.add("And its price?", said(""))
    assert conversation.history == (
        Turn(Role.USER, "How long is the warranty?"),
        Turn(Role.ASSISTANT, "Two years.", ("a", "b")),
        Turn(Role.USER, "And its price?"),
    )


def test_a_long_conversation_stays_within_what_a_server_takes() -> None:
    conversation = Conversation()
    for number in range(MAX_TURNS):
        conversation.add(f"{number}?", said("So."))
    assert (conversation.history[0].text, len(conversation.history)) == ("10?", MAX_TURNS)
    for number in range(MAX_TURNS):
        many = tuple(f"{one}" for one in range(150))
        conversation.add(f"{number}?", said(f"{number}" + "x" * MAX_TURN_LENGTH, *many))
    history = conversation.history
    assert (history[0].text[:3], history[-2].text, len(history)) == ("16?", "19?", 8)
    body = {
        "query": "Next?",
        "history": [{"role": t.role, "text": t.text, "documentIds": t.documents} for t in history],
    }
    assert QueryRequest.model_validate_json(json.dumps(body)).question().history == history


def test_what_is_no_turn_is_refused_before_it_is_sent(client: Client, script: Script) -> None:
    history: Any = [{"role": "user", "text": "How long is the warranty?"}]
    with pytest.raises(TypeError, match="must be a Turn"):
        client.query("And its price?", history=history)
    assert script.asked == []
