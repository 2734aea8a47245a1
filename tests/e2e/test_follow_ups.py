"""The library completes a question from its history, and keeps nothing of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.config import load_config
from ragbase.domain.conversation import MAX_TURNS, Role, Turn
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.engine.engine import RAGEngine
from ragbase.testing.chat_model import MemoryChatModel

pytestmark = pytest.mark.slow

TEXTS = {
    "backups.md": "# Backups\n\nThe nightly backup is encrypted with age. It is kept for ninety days.\n",
    "gauge.md": "# Rain gauge\n\nCalibrate the rain gauge in spring, with water from the well.\n",
}
BEFORE = "How is the nightly backup encrypted?"
SECRET = "zwetschgenkuchen"
HISTORY = (
    Turn(Role.USER, f"My code is {SECRET}."),
    Turn(Role.USER, BEFORE),
    Turn(Role.ASSISTANT, f"With age, {SECRET}."),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def engine(tmp_path: Path, home: Path) -> Iterator[RAGEngine]:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with RAGEngine(load_config(home=home, environment={}, embedder="hashing", similarity_threshold=0.2)) as engine:
        engine.ingest([tmp_path / name for name in TEXTS])
        yield engine


def test_a_follow_up_finds_what_its_history_is_about(engine: RAGEngine) -> None:
    assert not engine.query("How long is it kept?")
    found = engine.query("How long is it kept?", history=HISTORY)

    assert found[0].chunk.content.startswith("# Backups")
    assert found.searched_for == "How long is it kept (nightly backup encrypted)?"


def test_an_answer_says_what_was_searched_for(engine: RAGEngine) -> None:
    answer = engine.generate("How long is it kept?", history=HISTORY)

    assert "ninety days" in answer.text
    assert answer.searched_for == "How long is it kept (nightly backup encrypted)?"


def test_a_whole_question_finds_the_same_as_without_a_history(engine: RAGEngine) -> None:
    question = "In which season is the rain gauge calibrated with water?"
    alone, after = engine.query(question), engine.query(question, history=HISTORY)

    assert list(alone) == list(after) != []
    assert after.searched_for is None
    assert engine.generate(question) == engine.generate(question, history=HISTORY)


def test_a_foreign_follow_up_has_no_information(engine: RAGEngine) -> None:
    found = engine.query("And sunscreen?", history=HISTORY)

    assert found == []
    assert found.near_miss is not None
    assert not engine.generate("And sunscreen?", history=HISTORY).sentences


def test_the_tokens_of_a_rewrite_are_those_of_the_answer(engine: RAGEngine) -> None:
    model = MemoryChatModel(lambda *_: "How long is the nightly backup kept?")
    vars(engine.profile)["chat_model"] = model
    answer = engine.generate("How long is it kept?", history=HISTORY)

    assert answer.searched_for == "How long is the nightly backup kept?"
    assert len([message for _, message in model.asked if '"conversation"' in message]) == 1
    assert answer.output_tokens >= 7
    assert answer.input_tokens > 0


def test_an_answer_without_evidence_has_the_tokens_of_the_rewrite(engine: RAGEngine) -> None:
    vars(engine.profile)["chat_model"] = MemoryChatModel(lambda *_: "And sunscreen for the nightly backup?")
    answer = engine.generate("And sunscreen?", history=HISTORY)

    assert (answer.sentences, answer.output_tokens) == ((), 6)


def test_without_a_history_no_model_completes_a_question(engine: RAGEngine) -> None:
    model = MemoryChatModel(lambda *_: "anything")
    vars(engine.profile)["chat_model"] = model
    engine.query("How long is the nightly backup kept?")

    assert model.asked == []


def test_a_history_that_is_too_long_is_an_error(engine: RAGEngine) -> None:
    history = HISTORY[:1] * (MAX_TURNS + 1)

    with pytest.raises(ValueError, match="Leave out the oldest"):
        engine.query("How long is it kept?", history=history)
    with pytest.raises(ValueError, match="Leave out the oldest"):
        engine.generate("How long is it kept?", history=history)


@pytest.mark.parametrize("error", [None, Unavailable("The service is away.")])
def test_nothing_of_a_history_is_stored_or_logged(
    engine: RAGEngine, home: Path, caplog: pytest.LogCaptureFixture, error: Unavailable | None
) -> None:
    caplog.set_level(logging.DEBUG, "ragbase")
    vars(engine.profile)["chat_model"] = MemoryChatModel(lambda *_: f"How long is the {SECRET} kept?", error=error)
    engine.query("How long is it kept?", history=HISTORY)
    engine.generate("How long is it kept?", history=HISTORY)
    engine.close()
    events = [vars(entry) for entry in caplog.records]

    files = [file for file in home.rglob("*") if file.is_file()]
    assert files
    assert [file.name for file in files if SECRET.encode() in file.read_bytes()] == []
    assert {event["action"] for event in events} & {"question.rewritten", "question.not_rewritten"}
    assert SECRET not in str(events)


def test_a_follow_up_is_searched_for_although_the_model_cannot_be_made(engine: RAGEngine) -> None:
    """Its key or its package is missing: a search needs no model, and the rule completes the question."""
    config = engine.config.model_copy(update={"generator": "openai", "chat_model": ""})
    with RAGEngine(config) as other:
        found = other.query("How long is it kept?", history=HISTORY)
        assert found == engine.query("How long is it kept?", history=HISTORY)
        with pytest.raises(ConfigurationError, match="RAGBASE_CHAT_MODEL"):
            other.generate("How long is it kept?", history=HISTORY)
