"""The terms of names beside those of a passage."""

from __future__ import annotations

from ragbase.text.named_terms import name_form, with_names, without_names
from ragbase.text.terms import terms_of


def test_terms_of_names_come_apart_again() -> None:
    terms = with_names("rotat key", "weather\nStationsOf1990", "english")
    assert without_names(terms) == ("rotat key", frozenset({"weather", "stationsof1990", "station", "of1990"}))


def test_a_name_has_another_form_than_a_word() -> None:
    assert with_names("key", "keys", "english").split() == ["key", name_form("key")]


def test_other_names_take_the_place_of_those_before() -> None:
    assert with_names(with_names("key", "first folder", "english"), "second", "english") == with_names(
        "key", "second", "english"
    )


def test_a_passage_without_names_has_its_own_terms_alone() -> None:
    assert with_names("key", "", "english") == "key"
    assert without_names("key") == ("key", frozenset())


def test_a_passage_without_words_has_its_names() -> None:
    assert without_names(with_names("", "weather", "english")) == ("", frozenset({"weather"}))


def test_no_text_gives_the_form_of_a_name() -> None:
    assert terms_of(name_form("flask")) == terms_of("flask")
