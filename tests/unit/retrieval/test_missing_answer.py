"""The evidence is on the subject of a question, and does not hold what it asks for."""

from __future__ import annotations

import pytest

from ragbase.domain.answer import AnswerType
from ragbase.domain.chunk import Passage
from ragbase.domain.evidence import EvidencePassage
from ragbase.pipeline.make_chunks import chunk_of
from ragbase.ports import DraftCitation, DraftSentence
from ragbase.retrieval.missing_answer import missing_answer
from ragbase.testing.passages import document
from tests.unit.retrieval.indexed import Indexed
from tests.unit.retrieval.test_answer import Says, given_answer

WARRANTY = "The warranty covers pumps and valves for two years. It does not cover seals."
GARANTIE = "Die Garantie gilt für Pumpen und Ventile. Dichtungen sind ausgeschlossen."


def evidence(*texts: str, score: float = 0.9, headings: tuple[str, ...] = ()) -> list[EvidencePassage]:
    found = []
    for place, text in enumerate(texts):
        about = document(f"{place}.md", 1)
        passage = Passage(text=text, char_start=0, char_end=len(text), header_path=headings)
        found.append(
            EvidencePassage(
                id=str(place), document=about, chunks=(chunk_of(passage, about.id, 1, 0, "settings"),), score=score
            )
        )
    return found


@pytest.mark.parametrize(
    ("question", "text", "asked", "said"),
    [
        (
            "What does the warranty cost?",
            WARRANTY,
            AnswerType.AMOUNT,
            "The passages mention “warranty”, but no sentence on it names an amount of money.",
        ),
        (
            "Wann beginnt die Garantie?",
            GARANTIE,
            AnswerType.DATE,
            "The passages mention “Garantie”, but no sentence on it names a date or time.",
        ),
        (
            "Who gives the warranty?",
            WARRANTY,
            AnswerType.NAME,
            "The passages mention “warranty”, but no sentence on it names somebody or something by name.",
        ),
        (
            "Сколько стоит гарантия?",
            "Гарантия на насосы действует два года. Уплотнения исключены.",
            AnswerType.AMOUNT,
            "The passages mention “гарантия”, but no sentence on it names an amount of money.",
        ),
        (
            "वारंटी की कीमत क्या है?",
            "वारंटी पंपों को दो साल तक कवर करती है।",
            AnswerType.AMOUNT,
            "The passages mention “वारंटी”, but no sentence on it names an amount of money.",
        ),
    ],
)
def test_what_no_sentence_on_the_subject_names_is_missing(
    question: str, text: str, asked: AnswerType, said: str
) -> None:
    missing = missing_answer(question, evidence(text), "english")
    assert missing is not None
    assert (missing.asked, missing.text) == (asked, said)


def test_words_that_no_passage_has_are_named() -> None:
    question = "Which colour and shape has the plastic card of the extended warranty?"
    missing = missing_answer(question, evidence(WARRANTY, score=0.55), "english")
    assert missing is not None
    assert (missing.asked, missing.subject) == (AnswerType.OTHER, "warranty")
    assert missing.text == ("The passages mention “warranty”, but not “colour, shape, plastic, card, extended”.")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long does the warranty last?", WARRANTY),
        ("Does the warranty cover seals?", WARRANTY),
        ("What does the warranty cost?", "The warranty is free of charge."),
        ("What does the warranty cost?", "| item | price |\n| --- | --- |\n| warranty | 15 |"),
        ("Who gives the warranty?", "Ada Lovelace gives the warranty."),
        ("Wer gibt die Garantie?", "Der Hersteller gibt die Garantie."),  # every noun has a capital
        ("warranty colour", WARRANTY),  # two words that show no type
        ("保修期多长时间？", "保修期为两年，涵盖泵和阀门。密封件除外。"),
    ],
)
def test_what_may_be_there_is_not_called_missing(question: str, text: str) -> None:
    assert missing_answer(question, evidence(text), "english") is None


def test_a_question_in_another_language_than_its_passages_is_not_judged() -> None:
    """They share no words, whatever they say."""
    question = "How much does the whole warranty for the pump of the house cost?"
    assert missing_answer(question, evidence(GARANTIE), "english") is None


def test_without_evidence_nothing_is_missing() -> None:
    assert missing_answer("What does the warranty cost?", [], "english") is None


def test_the_words_above_a_sentence_say_what_it_is_about() -> None:
    question = "How many spare seals does the workshop keep for the pumps?"
    told = evidence("It keeps twelve of them.", score=0.6, headings=("Workshop", "Spare seals for pumps"))
    untold = evidence("It keeps twelve of them.", score=0.6, headings=("Canteen",))
    assert missing_answer(question, told, "english") is None
    assert missing_answer(question, untold, "english") != missing_answer(question, told, "english")


def test_an_answer_begins_with_what_is_missing_and_shows_the_rest() -> None:
    world = Indexed()
    world.put("warranty.md", WARRANTY)
    quoted = "The warranty covers pumps and valves for two years."
    given = given_answer(
        world, Says(DraftSentence(quoted, (DraftCitation("1", quoted),))), "What does the warranty cost?"
    )
    assert given.missing is not None
    assert given.text == f"{given.missing.text} {quoted}"
    assert given.answered
    assert [one.text for one in given.evidence] == [WARRANTY]


def test_an_answer_that_is_there_is_as_it_was() -> None:
    world = Indexed()
    world.put("warranty.md", WARRANTY)
    quoted = "The warranty covers pumps and valves for two years."
    given = given_answer(
        world, Says(DraftSentence(quoted, (DraftCitation("1", quoted),))), "How long does the warranty last?"
    )
    assert given.missing is None
    assert given.text == quoted
