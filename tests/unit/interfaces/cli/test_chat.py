"""`ragbase chat` and `ragbase ask` over documents that answer as a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import click
import pytest
from click.testing import CliRunner, Result

from ragbase.client.errors import NoAnswer
from ragbase.domain.answer_type import AnswerType
from ragbase.domain.confidence import Confidence
from ragbase.domain.conversation import Role, Turn
from ragbase.domain.question import Question
from ragbase.interfaces.cli.application import application
from ragbase.interfaces.cli.session import Session
from ragbase.interfaces.knowledge.knowledge import Knowledge
from ragbase.messages.api.answer import (
    AnswerPart,
    AnswerResponse,
    AnswerSentenceBody,
    EvidencePassageBody,
    VerifiedCitationBody,
)
from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.api.query import QueryResponse, ResultSourceBody, SearchResultBody
from ragbase.messages.api.question_parts import MissingAnswerBody, QuestionPartBody

PLACE = ChunkMetadata(char_start=0, char_end=26, heading="Terms")
CITED = VerifiedCitationBody(
    text="The warranty is two years.", evidence="1", document_id="id", filename="terms.md", generation="1",
    metadata=PLACE,
)  # fmt: skip
PASSAGE = EvidencePassageBody(
    id="1", content="The warranty is two years.", score=0.93, document_id="id", filename="terms.md", generation="1",
    metadata=PLACE,
)  # fmt: skip
SENTENCE = AnswerSentenceBody(text="The warranty is two years.", supported=True, citations=(CITED,))
ANSWER = AnswerResponse(text=SENTENCE.text, answered=True, sentences=(SENTENCE,), evidence=(PASSAGE,))
PRICE = MissingAnswerBody(
    asked=AnswerType.AMOUNT, subject="warranty", text="The documents describe the warranty, but not its price."
)
MISSING = AnswerResponse(
    text=PRICE.text,
    answered=False,
    sentences=(),
    evidence=(PASSAGE,),
    missing=PRICE,
    searched_for="What is its price?",
    confidence=Confidence.FAIR,
)
PARTS = ANSWER.model_copy(
    update={
        "parts": (
            QuestionPartBody(text="How long is the warranty?", covered=True),
            QuestionPartBody(text="What is its price?", covered=False, missing=PRICE),
            QuestionPartBody(text="Who wrote the\x1b[2J terms?", covered=False),
            QuestionPartBody(text="And where?", covered=False, searched=False),
        )
    }
)


FOUND = QueryResponse(
    results=(
        SearchResultBody(
            content=PASSAGE.content, score=0.93, document_id="id", filename="terms.md", metadata=PLACE,
            confidence=Confidence.STRONG,
            sources=(ResultSourceBody(document_id="id", filename="terms.md", metadata=PLACE),),
        ),
    ),
    parts=PARTS.parts,
)  # fmt: skip


class Documents:
    """Answers each question as the test says, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.gives: Callable[[Question], AnswerResponse] = lambda _: ANSWER

    def query(self, question: Question) -> QueryResponse:
        self.asked.append(question)
        return FOUND

    def answer(self, question: Question) -> Iterator[AnswerPart]:
        self.asked.append(question)
        answer = self.gives(question)
        yield answer.evidence
        yield from answer.sentences
        yield answer


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> Documents:
    documents = Documents()

    @contextmanager
    def knowledge(*_: object, **__: object) -> Iterator[Knowledge]:
        yield cast("Knowledge", documents)

    monkeypatch.setattr(Session, "knowledge", knowledge)
    return documents


def chat(*lines: str | bytes, options: tuple[str, ...] = ()) -> Result:
    data = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    return CliRunner().invoke(application, ["chat", *options], input=data, prog_name="ragbase")


def objects(result: Result) -> list[Any]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_each_line_of_a_pipe_is_a_question_after_the_ones_before(documents: Documents) -> None:
    result = chat("How long is the warranty?", "", "  And its price? ", options=("--top-k", "3"))
    assert result.exit_code == 0 and result.stderr == ""
    first, second = documents.asked
    assert (first.text, first.history, first.top_k) == ("How long is the warranty?", (), 3)
    before = (Turn(Role.USER, "How long is the warranty?"), Turn(Role.ASSISTANT, "The warranty is two years.", ("id",)))
    assert (second.text, second.history) == ("And its price?", before)
    block = [
        "The warranty is two years. [1]", "", "1. terms.md > Terms", "   characters 0–26",
        "   │ The warranty is two years.", "",
    ]  # fmt: skip
    assert result.stdout.splitlines() == ["> How long is the warranty?", *block, "> And its price?", *block]


def test_what_was_searched_for_and_what_is_missing_is_said_and_passages_are_shown(documents: Documents) -> None:
    documents.gives = lambda _: MISSING
    shown = [
        PRICE.text, "confidence of the passages: fair", "searched for: What is its price?", "", "1. terms.md > Terms",
        "   score 0.93, characters 0–26",
        "   │ The warranty is two years.",
    ]  # fmt: skip
    assert chat("And its price?").stdout.splitlines() == ["> And its price?", *shown, ""]
    asked = CliRunner().invoke(application, ["ask", "And its price?"], prog_name="ragbase")
    assert asked.stdout.splitlines() == shown, "ask shows the same"


@pytest.mark.parametrize("is_supported", [True, False])
def test_what_is_missing_is_said_once_beside_sentences(documents: Documents, is_supported: bool) -> None:
    sentence = SENTENCE.model_copy(update={"supported": is_supported})
    text = f"{PRICE.text} {SENTENCE.text}" if is_supported else PRICE.text
    documents.gives = lambda _: MISSING.model_copy(update={"sentences": (sentence,), "text": text})
    shown = chat("And its price?").stdout
    assert shown.count(PRICE.text) == 1 and shown.count("The warranty is two years.") == 2


def test_parts_that_the_documents_do_not_cover_are_named(documents: Documents) -> None:
    documents.gives = lambda _: PARTS
    assert chat("How long, what price, and who?").stdout.splitlines()[1:5] == [
        "The warranty is two years. [1]", PRICE.text, "The documents do not answer: Who wrote the\\x1b[2J terms?",
        "Not searched for, ask it alone: And where?",
    ]  # fmt: skip


def test_a_search_names_the_parts_that_it_finds_nothing_for(documents: Documents) -> None:
    result = CliRunner().invoke(application, ["query", "How long, what price, and who?"], prog_name="ragbase")
    shown = result.stdout.splitlines()
    assert "   score 0.93 (strong), characters 0–26" in shown
    assert shown[-4:] == [
        "", PRICE.text, "The documents do not answer: Who wrote the\\x1b[2J terms?",
        "Not searched for, ask it alone: And where?",
    ]  # fmt: skip
    assert documents.asked[0].history == ()


def test_new_forgets_and_sources_shows_the_passages_and_exit_ends(documents: Documents) -> None:
    result = chat("/sources", "How long?", "/sources", "/new", "/sources", "How long?", "/exit", "How long?")
    assert result.exit_code == 0
    assert [one.history for one in documents.asked] == [(), ()]
    lines = result.stdout.splitlines()
    assert lines.count("   score 0.93, characters 0–26") == 1
    assert lines.count("No passage was found for the last question.") == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/help", "There is no command /help. /new forgets the conversation, /sources shows the passages of the last"),
        ("/", "There is no command /."),
        ("/new start", "/new takes nothing."),
        ("x" * 1001, "it has 1,001 characters, and the limit is 1,000. Shorten it."),
        ("x" * 200_000, "Shorten it."),
        (b"caf\xe9?", "it is not valid UTF-8. Correct it."),
    ],
)
def test_a_line_that_is_no_question_is_an_error_and_the_next_one_is_asked(
    documents: Documents, line: str | bytes, said: str
) -> None:
    result = chat(line, "How long?")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ") and said in result.stderr
    assert result.stderr.count("Error: ") == 1
    assert [one.text for one in documents.asked] == ["How long?"]


def test_a_path_is_no_command(documents: Documents) -> None:
    assert chat("/etc/hosts is what?", '"/new" does what?').exit_code == 0
    assert [one.text for one in documents.asked] == ["/etc/hosts is what?", '"/new" does what?']


def test_a_question_without_an_answer_is_no_part_of_the_conversation(documents: Documents) -> None:
    def gives(question: Question) -> AnswerResponse:
        if question.text == "Lost?":
            raise NoAnswer("There was no \x1b[2Janswer in time.\nAsk again.")
        return ANSWER

    documents.gives = gives
    result = chat("Lost?", "How long?")
    assert (result.exit_code, result.stderr) == (1, "Error: There was no \\x1b[2Janswer in time.\nAsk again.\n\n")
    assert documents.asked[1].history == ()


def test_json_is_one_object_a_line(documents: Documents) -> None:
    documents.gives = lambda question: MISSING if question.history else ANSWER
    result = chat("How long?", "/sources", "/exit now", "And its price?", "/new", options=("--json",))
    first, *wrong, last = objects(result)
    assert next(iter(first)) == "query"
    assert first == {"query": "How long?", **json.loads(ANSWER.to_json())}
    assert last == {"query": "And its price?", **json.loads(MISSING.to_json())}
    assert last["searchedFor"] and last["missing"]["asked"] == "amount"
    assert [one["query"] for one in wrong] == ["/sources", "/exit now"] and all(one["error"] for one in wrong)
    assert (result.exit_code, result.stderr) == (1, "")


def test_ctrl_c_in_a_pipe_ends_the_command(documents: Documents) -> None:
    def gives(_: Question) -> AnswerResponse:
        raise KeyboardInterrupt

    documents.gives = gives
    result = chat("How long?", "How long?")
    assert (result.exit_code, len(documents.asked)) == (130, 1)


def test_an_answer_that_says_nothing_of_parts_is_shown_as_before(documents: Documents) -> None:
    asked = CliRunner().invoke(application, ["ask", "How long?"], prog_name="ragbase")
    assert click.unstyle(asked.stdout).splitlines()[0] == "The warranty is two years. [1]"
    assert "searched for" not in asked.stdout and documents.asked == [Question("How long?")]
