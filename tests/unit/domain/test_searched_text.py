"""What is embedded of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.chunk import Passage, embedding_text
from ragbase.domain.searched_text import searched_text


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("Donau\u00addampf\u00adschiff", "Donaudampfschiff"),
        ("Donau\u00ad\r\n  dampfschiff", "Donaudampfschiff"),
        ("\ufeffHello\u200b, \u200eworld\u2060", "Hello, world"),
        ("Auf\u200clage", "Auflage"),
        ("water is H<sub>2</sub>O in m^3^", "water is H2O in m3"),
        ("a tag\U000e0049\U000e0067 of secret letters", "a tag of secret letters"),
    ],
)
def test_nothing_that_nobody_sees_is_embedded(text: str, searched: str) -> None:
    passage = Passage(text, 0, len(text), (text,), table_header=text)
    assert searched_text(text) == searched
    assert embedding_text(passage) == "\n".join([searched] * 3)


@pytest.mark.parametrize("text", ["می\u200cخواهم", "क्\u200dष", "👨\u200d👩\u200d👧", "⛹\u200d♀", "plain ~ text ^ here"])
def test_joiners_that_are_a_part_of_the_spelling_stay(text: str) -> None:
    assert searched_text(text) == text


@given(st.text())
def test_a_text_that_was_made_whole_stays_as_it_is(text: str) -> None:
    assert searched_text(searched_text(text)) == searched_text(text)
