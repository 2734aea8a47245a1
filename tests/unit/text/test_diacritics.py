"""A word without its marks."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.text.diacritics import unmarked


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("việt", "viet"),
        ("đường", "duong"),
        ("résumé", "resume"),
        ("übung", "ubung"),
        ("łódź", "lodz"),
        ("smørrebrød", "smorrebrod"),
        ("žluťoučký", "zlutoucky"),
        ("ışık", "isik"),
        ("αθήνα", "αθηνα"),
        ("ёлка", "елка"),
        ("كِتَاب", "كتاب"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_marks_are_taken_off(word: str, plain: str) -> None:
    assert unmarked(word) == plain
    assert unmarked(unicodedata.normalize("NFD", word)) == plain


@pytest.mark.parametrize("word", ["мой", "हिन्दी", "กิน", "がく", "한국", "漢字", "plain"])
def test_what_is_another_word_without_its_marks_keeps_them(word: str) -> None:
    assert unmarked(word) == word


@given(st.text())
def test_what_is_left_has_no_marks(word: str) -> None:
    assert unmarked(unmarked(word)) == unmarked(word)
