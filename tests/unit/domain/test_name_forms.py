"""All forms of a name are one name, and names that only look alike are not (domain/name_forms.py)."""

from __future__ import annotations

import unicodedata
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.identity import document_id, older_ids
from ragbase.domain.labels import labels_of
from ragbase.domain.metadata import NO_METADATA
from ragbase.domain.name_forms import has_other_forms, nfc, nfd, older_forms, precedence, ranges
from ragbase.domain.reach import Reach
from ragbase.domain.search_filter import SearchFilter
from ragbase.domain.tenant import own_name

_MARKS = "\u0301\u0323\u0302\u0308\u030a\u0345\u1161\u11a8\u0fb7\u05bc"
_LETTERS = (
    st.sampled_from(
        "aeEuK;/.\u1100\u0f42\u05e9\u00e9\u1ec7\ud55c\ud558\u795e\ufa19\u212b\u212a\u2126\ufb1d\uff21\ufb01"
    )
    | st.sampled_from(_MARKS)
    | st.characters(codec="utf-8")
)
NAMES = st.text(_LETTERS, min_size=1, max_size=8)


@st.composite
def forms(draw: st.DrawFn) -> tuple[str, str]:
    """A name, and a form of it: each character is composed, decomposed, or as it came, with its marks in some order."""
    name = draw(NAMES)
    pieces = []
    for _, cluster in groupby(name, key=lambda one: one if one == "/" else "."):
        text = "".join(cluster)
        pieces.append(draw(st.sampled_from([text, nfc(text), nfd(text)])))
    other = "".join(pieces)
    if nfc(other) != nfc(name):  # what stands beside a mark is composed with it
        other = draw(st.sampled_from([name, nfc(name), nfd(name)]))
    return name, other


@given(forms())
def test_every_form_names_the_same_document(two: tuple[str, str]) -> None:
    one, other = two
    assert document_id("b", one) == document_id("b", other)
    assert nfc(nfc(one)) == nfc(one) == nfc(nfd(other))


@given(NAMES, NAMES)
def test_other_names_are_other_documents(one: str, other: str) -> None:
    is_same = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    assert (document_id("b", one) == document_id("b", other)) is is_same


@pytest.mark.parametrize(("one", "other"), [("A", "\uff21"), ("fi", "\ufb01"), ("2", "\u00b2"), ("\u3131", "\u1100")])
def test_what_only_resembles_a_character_stays_another_one(one: str, other: str) -> None:
    """NFKC would make them one."""
    assert unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other)
    assert document_id("b", f"{one}.md") != document_id("b", f"{other}.md")
    assert SearchFilter(path_prefixes=frozenset({one})).folders != [other]


@given(forms())
def test_a_listing_finds_every_form_in_the_ranges_of_a_name(two: tuple[str, str]) -> None:
    name, form = two
    for prefix in (name, nfc(name)[:2]):
        inside = [(start, after) for start, after in ranges(prefix) if form.startswith(start) and form > after]
        if nfc(form).startswith(nfc(prefix)):
            assert len(inside) == 1
    assert has_other_forms(name) or form == nfc(name)


def test_the_ranges_have_every_character_that_is_written_in_another_way() -> None:
    syllables = range(0xAC00, 0xD7A4)  # of Hangul: they are all made in the same way
    codes = [*range(syllables[0]), *syllables[::97], *range(0xE000, 0x30000)]
    for character in [one for one in map(chr, codes) if nfd(one) != one]:
        for form in (character, nfd(character)):
            name = f"x/{form}y.md"
            assert any(name.startswith(start) and name > after for start, after in ranges(name)), ascii(form)


def test_the_form_that_counts_is_nfc_then_nfd_then_the_first() -> None:
    names = ["e\u0301e\u0301", "\u00e9e\u0301", "e\u0301\u00e9", "\u00e9\u00e9"]
    assert sorted(names, key=precedence) == [names[3], names[0], names[2], names[1]]


@given(NAMES)
def test_an_older_version_mostly_knew_a_name_by_one_of_its_older_forms(name: str) -> None:
    known = older_forms(name)
    assert nfc(name) not in known
    assert all(nfc(form) == nfc(name) for form in known)
    assert set(known) >= {name, nfd(name)} - {nfc(name)}
    assert len(set(older_ids("b", name))) == len(known)


def test_a_document_has_the_labels_of_its_name_in_nfc() -> None:
    composed, decomposed = "Vertr\u00e4ge/a.md", "Vertra\u0308ge/a.md"
    assert labels_of(decomposed, "md", NO_METADATA) == labels_of(composed, "md", NO_METADATA)


def test_a_folder_in_another_form_means_the_same_folder() -> None:
    composed, decomposed = "Vertr\u00e4ge", "Vertra\u0308ge"
    assert Reach.of([f"{decomposed}/"]).has(f"{composed}/a.md")
    assert Reach.of([composed]).has(f"{decomposed}/a.md")
    assert SearchFilter(path_prefixes=frozenset({decomposed})).folders == [composed]
    assert own_name(f"{decomposed}/a.md", composed) == own_name("a.md", decomposed) == f"{composed}/a.md"
