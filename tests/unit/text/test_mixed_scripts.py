"""Every kind of writing beside every other: none changes the terms of its neighbour."""

from __future__ import annotations

import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.text.terms import terms_of

SPACED = {
    "digits": "1987",
    "latin": "api",
    "title": "Bridge",
    "marked": "café",
    "decomposed": unicodedata.normalize("NFD", "việt"),
    "cyrillic": "мост",
    "greek": "γέφυρα",
    "armenian": "կամուրջ",
    "hebrew": "גשר",
    "arabic": "جسر",
    "persian": "می\u200cخواهم",
    "devanagari": "क्षमा",
    "tamil": "பாலம்",
    "georgian": "ხიდი",
    "arabic digits": "٢٠٢٧",
    "devanagari digits": "२०२७",
    "full width": "ＡＰＩ",
    "ligature": "ﬁle",
    "superscript": "m²",
    "subscript": "CO₂",
    "roman": "Ⅳ",
    "unit": "µm",
    "identifier": "web-17",
    "version": "1.39.5",
    "snake": "scrape_interval",
    "camel": "HashMap",
    "sharp": "C#",
    "address": "ana@example.com",
    "path": "src/main.rs",
    "clause": "§ 12a",
}
UNSPACED = {
    "chinese": "桥梁",
    "thai": "สะพาน",
    "kana": "タイ",
    "kana and hanzi": "食べる",
    "korean": "다리",
    "lao": "ຂົວ",
    "khmer": "ស្ពាន",
    "burmese": "တံတား",
}
SIGNS = [
    ".",
    ",",
    "'",
    "’",
    "-",
    "‑",
    "–",
    "_",
    "@",
    "+",
    "#",
    "/",
    ":",
    "§",
    "№",
    "°",
    "(",
    "·",
    "״",
    "\u00ad",
    "\u200b",
]


WORDS = {**SPACED, **UNSPACED}


@pytest.mark.parametrize("between", [" ", "\n", ", ", ",", "–", "(", "°", "|", "،", "。", " - ", " / ", "? "])
def test_a_word_keeps_its_terms_beside_one_of_any_kind(between: str) -> None:
    terms = {kind: terms_of(word) for kind, word in WORDS.items()}
    changed = [
        (first, second)
        for first, second in product(WORDS, repeat=2)
        if terms_of(f"{WORDS[first]}{between}{WORDS[second]}") != terms[first] + terms[second]
    ]
    assert changed == []


@pytest.mark.parametrize("unspaced", UNSPACED)
def test_a_script_without_blanks_ends_and_begins_a_word(unspaced: str) -> None:
    one = UNSPACED[unspaced]
    wrong = [
        second
        for second, other in SPACED.items()
        if terms_of(one + other) != terms_of(one) + terms_of(other)
        or terms_of(other + one) != terms_of(other) + terms_of(one)
    ]
    assert wrong == []


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_around_a_word_takes_none_of_its_terms(sign: str) -> None:
    wrong = [
        text
        for word in WORDS.values()
        for text in (
            f"{sign}{word}",
            f"{word}{sign}",
            f"{sign}{word}{sign}",
            f"{sign} {word} {sign}",
            f"的{sign}{word}",
        )
        if not set(terms_of(word)) <= set(terms_of(text))
    ]
    assert wrong == []


@given(st.text(st.sampled_from("aB9_.'’-‑/@:\\+#§№·״ 桥สéй\u0301\u00ad\u200c२٢")))
def test_any_mixture_has_terms_without_blanks_and_twice_the_same(text: str) -> None:
    terms = terms_of(text)
    assert " ".join(terms).split() == terms
    assert terms == terms_of(text)


@given(st.text(st.sampled_from("ab9.-/@:'桥สéй"), max_size=12))
def test_capitals_change_no_term(text: str) -> None:
    """But in names with capitals inside, which have parts."""
    assert terms_of(text, "none") == terms_of(text.upper(), "none")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2027", "٢٠٢٧"),
        ("2027", "۲۰۲۷"),
        ("2027", "२०२७"),
        ("2027", "๒๐๒๗"),
        ("2027", "２０２７"),
        ("IV", "Ⅳ"),
        ("μm", "µm"),
        ("м'ята", "м’ята"),
        ("м'ята", "мʼята"),
        ("o'zbek", "oʻzbek"),
        ('צה"ל', "צה״ל"),
        ("צהל", "צה״ל"),
        ("col·legi", "coŀlegi"),
        ("l'eau", "l’eau"),
        ("база данных", "база-данных"),
        ("API는", "API 는"),
    ],
)
def test_spellings_of_one_word_give_the_same_terms(one: str, other: str) -> None:
    assert terms_of(one) == terms_of(other) != []
