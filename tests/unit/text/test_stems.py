"""Words of a script that is never the language's have stems of their own."""

from __future__ import annotations

import pytest

from ragbase.text.terms import AUTO, terms_of

SAME = [
    ("город", "городах"),  # Russian
    ("річка", "річки"),  # Ukrainian
    ("град", "града"),  # Bulgarian
    ("πόλη", "πόλεις"),  # Greek
    ("नदी", "नदियों"),  # Hindi
    ("घर", "घरों"),
    ("المدينة", "مدينة"),  # Arabic
    ("քաղաքներ", "քաղաքի"),  # Armenian
    ("மரம்", "மரத்தின்"),  # Tamil
]


@pytest.mark.parametrize(("one", "other"), SAME)
@pytest.mark.parametrize("language", ["english", "german", AUTO])
def test_forms_of_one_word_have_one_stem(one: str, other: str, language: str) -> None:
    assert terms_of(one, language) == terms_of(other, language) != []


@pytest.mark.parametrize(("one", "other"), SAME)
def test_none_leaves_all_words_as_they_are(one: str, other: str) -> None:
    assert terms_of(f"{one} {other}", "none") == [one.casefold(), other.casefold()]


def test_the_language_of_the_index_has_its_own_stems() -> None:
    assert terms_of("градови", "serbian") == terms_of("gradovi", "serbian")
    assert terms_of("घरहरू", "nepali") == ["घर"]
    assert terms_of("کتاب‌ها", "persian")[0] == "کتاب"


def test_a_word_beside_a_stem_keeps_its_own() -> None:
    assert terms_of("running города running") == ["run", "город", "run"]


@pytest.mark.parametrize("word", ["город-17", "й2", "города@example.com"])
def test_an_identifier_has_no_ending(word: str) -> None:
    assert word in terms_of(word)
