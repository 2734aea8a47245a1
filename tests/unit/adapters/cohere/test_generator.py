"""How Cohere's generator meets faults, each against a server that has them, and what it sends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any

import pytest

from ragbase.adapters.backoff import RateLimited, Unreachable
from ragbase.adapters.cohere.generator import CohereGenerator
from ragbase.domain.errors import ConfigurationError, QuestionRefused, TransientError, Unavailable
from ragbase.ports import Billed, DraftCitation, DraftSentence
from ragbase.testing.passages import passage
from tests.doubles import cohere_answers
from tests.doubles import cohere_server as cohere_server_module
from tests.doubles.cohere_server import INVALID_KEY, CohereServer, Fault, cohere_server

MODEL = "command-a-03-2025"
EVIDENCE = (
    passage(1, "Bread is baked at four.", name="bakery.md"),
    passage(2, "It is old. The keeper counts the ships.", name="tower.md", header="Tower > Work"),
)
QUESTION = "Who counts the ships?"
ANSWER = DraftSentence("The keeper counts the ships.", (DraftCitation("2", "The keeper counts the ships."),))


class Asked:
    """A generator, its server, and the waits between its attempts, which take no time."""

    def __init__(self, server: CohereServer) -> None:
        self.server = server
        self.waits: list[float] = []
        self.generator = self.made()

    def made(self, *, key: str = "key", url: str | None = None) -> CohereGenerator:
        return CohereGenerator(key, model=MODEL, url=url or self.server.url, sleep=self.waits.append)

    def sentences(self) -> list[DraftSentence]:
        return [part for part in self.generator.generate(QUESTION, EVIDENCE) if isinstance(part, DraftSentence)]


@pytest.fixture(scope="module")
def server() -> Iterator[CohereServer]:
    with cohere_server() as server:
        yield server


@pytest.fixture
def asked(server: CohereServer) -> Iterator[Asked]:
    server.reset()
    asked = Asked(server)
    with closing(asked.generator):
        yield asked


def test_the_answer_comes_with_its_citations_and_its_price(asked: Asked) -> None:
    sentence, billed = asked.generator.generate(QUESTION, EVIDENCE)
    assert sentence == ANSWER
    assert isinstance(billed, Billed)
    assert billed.input_tokens > 0 and billed.output_tokens > 0


def test_documents_go_apart_from_the_instructions(asked: Asked) -> None:
    asked.sentences()
    sent = asked.server.last_request()
    system, user = sent["messages"]
    assert (system["role"], user) == ("system", {"role": "user", "content": QUESTION})
    assert sent["documents"] == [
        {"id": "1", "data": {"title": "bakery.md", "text": "Bread is baked at four."}},
        {"id": "2", "data": {"title": "tower.md > Tower > Work", "text": "It is old. The keeper counts the ships."}},
    ]
    assert not any("keeper" in message["content"] for message in (system,))


@pytest.mark.parametrize("fault", ["rate_limit", "reset", "garbage"])
def test_a_passing_fault_before_the_answer_is_met_with_another_attempt(asked: Asked, fault: Fault) -> None:
    asked.server.plan(fault)
    assert asked.sentences() == [ANSWER]
    assert asked.waits == [1]


@pytest.mark.parametrize(
    ("fault", "error"),
    [("rate_limit", RateLimited), ("reset", Unreachable), ("error", Unavailable), ("bad_request", QuestionRefused)],
)
def test_a_fault_that_stays_is_raised(asked: Asked, fault: Fault, error: type[Exception]) -> None:
    asked.server.plan(fault, 3)
    with pytest.raises(error):
        asked.sentences()


@pytest.mark.parametrize("fault", ["breaks", "fails"])
def test_an_answer_that_does_not_come_to_its_end_is_an_error(asked: Asked, fault: Fault) -> None:
    asked.server.plan(fault)
    with pytest.raises(Unavailable):
        asked.sentences()
    assert asked.server.stats()["calls"] == 1


def test_a_wrong_key_is_named(asked: Asked) -> None:
    with closing(asked.made(key=INVALID_KEY)) as generator, pytest.raises(ConfigurationError, match="CO_API_KEY"):
        list(generator.generate(QUESTION, EVIDENCE))


def test_a_service_that_is_not_there_is_unreachable(asked: Asked) -> None:
    with closing(asked.made(url="http://127.0.0.1:9")) as generator, pytest.raises(Unreachable):
        list(generator.generate(QUESTION, EVIDENCE))
    assert asked.waits == [1]


def answering(text: str, *cited: tuple[str, str], finish: str = "COMPLETE") -> Any:
    """A chat that gives this answer, with these parts of it cited from these documents."""

    def chat(_: object, request: Any) -> dict[str, Any]:
        citations = [
            {
                "start": text.index(part),
                "end": text.index(part) + len(part),
                "text": part,
                "sources": [{"type": "document", "id": id, "document": {"id": id}}],
                "type": "TEXT_CONTENT",
            }
            for part, id in cited
        ]
        return {
            "id": "1",
            "finish_reason": finish,
            "message": {"role": "assistant", "content": [{"type": "text", "text": text}], "citations": citations},
            "usage": {"billed_units": {"input_tokens": 1, "output_tokens": 1}},
        }

    return chat


def told(monkeypatch: pytest.MonkeyPatch, chat: Any) -> Sequence[DraftSentence]:
    monkeypatch.setattr(cohere_answers.Answers, "chat", chat)
    with cohere_server() as server, closing(CohereGenerator("key", model=MODEL, url=server.url)) as generator:
        parts = list(generator.generate(QUESTION, EVIDENCE))
    return [part for part in parts if isinstance(part, DraftSentence)]


def test_each_sentence_has_its_own_citations(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Bread is baked at four. Nobody said this. The keeper counts the ships 🚢 there."
    chat = answering(text, ("baked at four", "1"), ("counts the ships 🚢 there", "2"), ("keeper", "9"))
    assert told(monkeypatch, chat) == [
        DraftSentence("Bread is baked at four.", (DraftCitation("1", "baked at four"),)),
        DraftSentence("Nobody said this."),
        DraftSentence(
            "The keeper counts the ships 🚢 there.",
            (DraftCitation("2", "counts the ships 🚢 there"),),
        ),
    ]


def test_a_citation_over_two_sentences_counts_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "It is old. It is tall."
    assert told(monkeypatch, answering(text, ("old. It is tall", "2"))) == [
        DraftSentence("It is old.", (DraftCitation("2", "old."),)),
        DraftSentence("It is tall.", (DraftCitation("2", "It is tall"),)),
    ]


def test_the_sentence_in_which_an_answer_was_cut_off_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = answering("It is old. The keeper cou", ("old", "2"), finish="MAX_TOKENS")
    assert told(monkeypatch, chat) == [DraftSentence("It is old.", (DraftCitation("2", "old"),))]


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "content-delta", "delta": {"message": {"content": {"text": 5}}}},
        {"type": "content-delta", "delta": None},
        {"type": "citation-start", "delta": {"message": {"citations": [{"start": 1}]}}},
        {"type": "message-end", "delta": None},
    ],
)
def test_an_event_that_cohere_does_not_document_is_an_error(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, odd: dict[str, Any]
) -> None:
    monkeypatch.setattr(cohere_server_module, "chat_events", lambda *_, **__: iter([odd]))
    with pytest.raises(TransientError):
        asked.sentences()


def test_an_event_of_a_new_type_is_passed_over(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    known = cohere_answers.chat_events
    new = {"type": "applause", "delta": {}}
    monkeypatch.setattr(cohere_server_module, "chat_events", lambda *given, **kept: chain([new], known(*given, **kept)))
    assert asked.sentences() == [ANSWER]
