"""Which words of a question a text lacks, as a person has written them."""

from __future__ import annotations

import pytest

from ragbase.retrieval.asked_words import asked_words, lacking
from ragbase.text.terms import terms_of


def missing(question: str, text: str, language: str = "english") -> tuple[str, ...]:
    terms = frozenset(terms_of(text, language))
    return lacking(asked_words(question, terms_of(question, language), language), terms.__contains__)


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("Who installs the pumps?", "The installation of a pump", ()),
        ("Who installs the valves?", "The installation of a pump", ("valves",)),
        ("Is (web-31) up?", "web-17 and web, 31", ("web-31",)),
        ("Is (web-31) up?", "web-31 is up", ()),
        ("host=web-31, OPS-1477/web-16", "host OPS-1477", ("web-31", "web-16")),
        ("What is in 2.0?", "What is in 2 or 0", ("2.0",)),
        ("How does HashMap grow?", "a hash map grows", ()),
        ("How does HashMap grow?", "a map grows", ("HashMap",)),
        ("Set max_pump_size", "set the max size of a pump", ("max_pump_size",)),
        ("input/output, and again output", "input", ("output",)),
        ("“Valves”—why… of pumps?", "pumps", ("Valves",)),
    ],
)
def test_a_word_is_told_as_it_is_written(question: str, text: str, lacks: tuple[str, ...]) -> None:
    assert missing(question, text) == lacks


@pytest.mark.parametrize(
    ("language", "question", "text", "lacks"),
    [
        ("auto", "1987年修建的桥梁", "1988年修建的桥梁", ("1987",)),
        ("auto", "修建石拱桥梁", "石拱桥", ("修建", "梁")),
        ("auto", "설치방법 알려줘", "설치 방법", ("알려줘",)),
        ("auto", "ปี2019 สะพาน", "ปี2018 สะพาน", ("2019",)),
        ("german", "Größentabellen Pumpe", "Pumpen", ("Größentabellen",)),
        ("auto", "Wo ist die Pumpe web-31?", "Die Pumpen mit web-17 sind im Keller.", ("web-31",)),
        ("russian", "Где стоят насосы?", "Насос стоит", ("Где",)),
        ("auto", "Máy bơm web-31 ở đâu?", "Máy bơm ở tầng hầm", ("web-31", "đâu")),
    ],
)
def test_in_every_script(language: str, question: str, text: str, lacks: tuple[str, ...]) -> None:
    assert missing(question, text, language) == lacks


def test_what_has_no_term_is_no_word() -> None:
    assert missing("7 🚢 — é ?", "the number 8", "none") == ("7", "é")
    assert asked_words("the of and", terms_of("the of and"), "english") == []
