"""A question with the turns before it, and what an answer says of its parts: POST /api/query and /api/answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.access.caller import Scope
from ragbase.access.daily_limits import Limited, parse_limits, tokens_of
from ragbase.domain.answer import GeneratedAnswer, MissingAnswer, QuestionPart
from ragbase.domain.answer_type import AnswerType
from ragbase.domain.conversation import MAX_HISTORY_LENGTH, MAX_TURN_LENGTH, MAX_TURNS, Role, Turn
from ragbase.domain.question import Question
from ragbase.interfaces.api.operation import SMALL, WITH_HISTORY
from ragbase.retrieval.search_result import SearchResults
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import api, hash_of, refused
from tests.functions.tenant_world import TenantWorld

PATHS = ("/api/query", "/api/answer")
QUESTION = "And its price?"
COMPLETED = "And the price of the warranty?"
HISTORY = [
    {"role": "user", "text": " How long is the warranty? "},
    {"role": "assistant", "text": "Two years.", "documentIds": ["a", "b"]},
]
LONGEST = [{"role": "user", "text": "\U0001f680" * (MAX_HISTORY_LENGTH // MAX_TURNS)} for _ in range(MAX_TURNS)]
PRICE = MissingAnswer(AnswerType.AMOUNT, "warranty", "The documents describe the warranty, but not its price.")
PARTS = (QuestionPart("How long is the warranty?", covered=True), QuestionPart("What is its price?", False, PRICE))
PARTS_BODY = [
    {"text": "How long is the warranty?", "covered": True},
    {
        "text": "What is its price?",
        "covered": False,
        "missing": {"asked": "amount", "subject": "warranty", "text": PRICE.text},
    },
]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """The questions that stand-ins of both use cases get."""
    questions: list[Question] = []

    def search(question: Question, *_: object, **__: object) -> SearchResults:
        questions.append(question)
        return SearchResults(searched_for=COMPLETED, parts=PARTS)

    def answer(question: Question, *_: object, **__: object) -> Iterator[Any]:
        questions.append(question)
        return iter([(), GeneratedAnswer(searched_for=COMPLETED, parts=PARTS, missing=PRICE)])

    monkeypatch.setattr("ragbase.interfaces.knowledge.profile_knowledge.search", search)
    monkeypatch.setattr("ragbase.engine.answer.answer", answer)
    return questions


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    with api(tmp_path) as client:
        yield client


@pytest.mark.parametrize("path", PATHS)
def test_the_turns_before_a_question_reach_the_search(client: FlaskClient, asked: list[Question], path: str) -> None:
    body = {"query": QUESTION, "history": HISTORY}
    assert client.post(path, json=body).status_code == 200
    turns = (Turn(Role.USER, "How long is the warranty?"), Turn(Role.ASSISTANT, "Two years.", ("a", "b")))
    assert [one.history for one in asked] == [turns]
    for none in ({"query": QUESTION}, {"query": QUESTION, "history": None}, {"query": QUESTION, "history": []}):
        assert client.post(path, json=none).status_code == 200
        assert asked[-1] == Question(QUESTION)


@pytest.mark.usefixtures("asked")
def test_an_answer_says_what_was_searched_for_and_what_is_missing(client: FlaskClient) -> None:
    body = {"query": QUESTION, "history": HISTORY}
    found: Any = client.post("/api/query", json=body).json
    assert (found["searchedFor"], found["parts"]) == (COMPLETED, PARTS_BODY)
    whole: Any = client.post("/api/answer", json=body).json
    missing = {"asked": "amount", "subject": "warranty", "text": PRICE.text}
    assert (whole["searchedFor"], whole["parts"], whole["missing"]) == (COMPLETED, PARTS_BODY, missing)
    stream = client.post("/api/answer", json=body, headers={"Accept": "text/event-stream"}).data
    done = json.loads(stream.rpartition(b"event: done\ndata: ")[2])
    assert done == {name: value for name, value in whole.items() if name not in ("sentences", "evidence")}


@pytest.mark.parametrize("path", PATHS)
def test_without_a_history_an_answer_has_no_field_more(client: FlaskClient, path: str) -> None:
    """No stand-in: an index with nothing to say."""
    plain = client.post(path, json={"query": QUESTION})
    assert not json.loads(plain.data).keys() & {"searchedFor", "parts", "missing", "history"}
    assert client.post(path, json={"query": QUESTION, "history": []}).data == plain.data


def turn(**fields: object) -> dict[str, object]:
    return {"role": "user", "text": "How?", **fields}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("history", "said"),
    [
        ([turn()] * (MAX_TURNS + 1), "`history`: Tuple should have at most 20 items"),
        ([turn(text="x" * (MAX_TURN_LENGTH + 1))], "`history.0.text`: String should have at most 8000 characters"),
        ([turn(), turn(text=" \n")], "`history.1.text`: String should have at least 1 character"),
        ([turn(text="x" * 7_000)] * 6, "`history`: the turns have 42000 characters together, and may have 40000."),
        ([turn(role="system")], "`history.0.role`: Input should be 'user' or 'assistant'"),
        ([{"text": "How?"}], "`history.0.role`: Field required"),
        ([turn(documentIds=["x" * 101])], "`history.0.documentIds.0`: String should have at most 100 characters"),
        ([turn(documentids=["x"])], "`history.0.documentids` is unknown. Did you mean `documentIds`?"),
        ([turn(content="How?")], "`history.0.content` is unknown. `history.0` takes role, text, documentIds."),
        ("How?", "`history`: Input should be a valid array"),
    ],
)
def test_a_wrong_history_is_refused_by_field_rule_and_remedy(
    client: FlaskClient, asked: list[Question], path: str, history: object, said: str
) -> None:
    message = refused(client.post(path, json={"query": QUESTION, "history": history}), 400, "INVALID_REQUEST")
    assert said in message and not asked
    assert "unknown" in message or ("Leave out the oldest" in message and "user or assistant" in message)


@pytest.mark.parametrize("path", PATHS)
def test_the_longest_history_fits_into_a_body(client: FlaskClient, asked: list[Question], path: str) -> None:
    """Each letter as the longest escape of JSON, and ids beside it."""
    ids = ["0" * 36] * 100
    data = json.dumps({"query": "\U0001f680" * 1000, "history": [one | {"documentIds": ids} for one in LONGEST]})
    assert client.post(path, data=data, content_type="application/json").status_code == 200
    assert len(asked[0].history) == MAX_TURNS and len(data) > 550_000
    longer = client.post(path, data=data.ljust(WITH_HISTORY + 1), content_type="application/json")
    assert f"{WITH_HISTORY:,} bytes" in refused(longer, 413, "REQUEST_ENTITY_TOO_LARGE")


def test_a_stranger_sends_a_short_history(tmp_path: Path, asked: list[Question]) -> None:
    with api(tmp_path, password_hash=hash_of(), public_query=True) as client:
        assert client.post("/api/query", json={"query": QUESTION, "history": HISTORY}).status_code == 200
        assert len(asked[0].history) == 2
        longer = client.post("/api/query", json={"query": QUESTION, "history": LONGEST})
        assert f"{SMALL:,} bytes" in refused(longer, 413, "REQUEST_ENTITY_TOO_LARGE")
        assert len(asked) == 1


@pytest.mark.usefixtures("asked")
def test_a_history_counts_as_tokens_of_the_question(tmp_path: Path) -> None:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock(), tenancy="none")
    key, token = world.keys.create("robot", scopes=Scope, limits=parse_limits(["tokens=15000"]))
    said = "x" * 4_000
    for path in PATHS:
        body = {"query": QUESTION, "history": [{"role": "user", "text": said}]}
        assert world.ask(token, "POST", path, json=body).status_code == 200
    used = world.keys.used_today(key)[Limited.TOKENS]
    assert 2 * tokens_of(said + QUESTION) <= used <= 2 * tokens_of(said + QUESTION) + 4
    world.close()
