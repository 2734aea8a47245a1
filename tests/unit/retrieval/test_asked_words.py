"""Which words of a question a text lacks, as a person has written them."""

from __future__ import annotations

import pytest

from ragbase.retrieval.asked_words import TextTerms, asked_words, lacking
from ragbase.text.terms import analysed_in, function_terms, index_terms, terms_of


def missing(question: str, text: str, language: str = "english") -> tuple[str, ...]:
    telling = [term for term in terms_of(question, language) if term not in function_terms(question, language)]
    words = asked_words(question, telling, analysed_in(question, language))
    return lacking(words, TextTerms(index_terms(text, language)))


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("Who installs the pumps?", "The installation of a pump", ()),
        ("Who installs the valves?", "The installation of a pump", ("valves",)),
        ("Is (web-31) up?", "web-17 and 31 others of the web", ("web-31",)),
        ("Is (web-31) up?", "web-31 is up", ()),
        ("host=web-31, OPS-1477; (web-16)", "host OPS-1477", ("web-31", "web-16")),
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
        ("russian", "Где стоят насосы и клапаны?", "Насос стоит", ("клапаны",)),
        ("auto", "Máy bơm web-31 ở đâu?", "Máy bơm ở tầng hầm", ("web-31",)),
    ],
)
def test_in_every_script(language: str, question: str, text: str, lacks: tuple[str, ...]) -> None:
    assert missing(question, text, language) == lacks


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is ISO-27001?", "ISO 27001 says"),
        ("What is RFC2119?", "see RFC 2119"),
        ("What is RFC 2119?", "see RFC2119"),
        ("Who has 1,000 pumps?", "1000 pumps"),
        ("Who has 1000 pumps?", "1,000 pumps"),
        ("Who has 1000000 pumps?", "1.000.000 pumps"),
        ("What costs 12,5 euros?", "12.5 euros"),
        ("What costs 4,200.50 euros?", "4200.50 euros"),
        ("What was on 2027-03-01?", "On 1 March 2027"),
        ("What was on 01.03.2027?", "Am 1. März 2027"),
        ("What was in 2027?", "2027-03-01"),
        ("What was on 1 March?", "March 01"),
    ],
)
def test_numbers_and_dates_may_be_written_in_another_way(question: str, text: str) -> None:
    assert not [word for word in missing(question, text) if any(map(str.isdigit, word))]


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("What was on 2027-03-01?", "2027-03-02 and 2027-01-03", "2027-03-01"),
        ("What was on 2027-03-01?", "On 1 March 2028", "2027-03-01"),
        ("What was in 2027?", "2028-03-01", "2027"),
        ("Who has 1,000 pumps?", "1 pump of 10,000", "1,000"),
        ("Is 10.0.0.1 up?", "10.0.0.2 is up, and 10 others", "10.0.0.1"),
        ("What is new in 2.1?", "2.0 has 1 new thing", "2.1"),
        ("Is E2077 bad?", "E1042 and 2077 others", "E2077"),
    ],
)
def test_another_number_is_another_one(question: str, text: str, lacks: str) -> None:
    assert lacks in missing(question, text)


def test_what_has_no_term_is_no_word() -> None:
    assert missing("7 🚢 — é ?", "the number 8", "none") == ("7", "é")
    assert asked_words("the of and", terms_of("the of and"), "english") == []
