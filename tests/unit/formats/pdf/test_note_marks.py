"""Raised letters: marks of footnotes stand apart from the words before them, powers and indexes do not."""

from __future__ import annotations

import pytest

from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")

NOTE = "BT /F1 5 Tf 60 103 Td (1) Tj /F1 8 Tf 0 -3 Td (  Only for pumps of the year before.) Tj ET\n"


def markdown(*runs: tuple[str, int], note: str = "") -> str:
    """A line of runs, each raised by so many points, and smaller if by any at all."""
    drawn = "".join(f"/F1 {6 if rise else 10} Tf {rise} Ts ({words}) Tj " for words, rise in runs)
    content = f"BT 60 700 Td {drawn} ET\n{note}"
    extraction = FormatExtractor().extract(pdf_of_contents(content.encode("latin-1")), "pdf", ProcessingConfig())
    return extraction.markdown.split("\n\n")[0].removeprefix("# ")


@pytest.mark.parametrize(
    ("before", "mark", "after", "expected"),
    [
        ("It opens at 4.2 bar", "1", " and is sealed.", "It opens at 4.2 bar 1 and is sealed."),
        ("It is sealed by the inspector", "12", ", as it says.", "It is sealed by the inspector 12, as it says."),
        ("It is sealed.", "3", " Then it rains.", "It is sealed. 3 Then it rains."),
        ("The pump", "*", " is sealed.", "The pump * is sealed."),
        ("Der Deckel", "2,3", " ist zu.", "Der Deckel 2,3 ist zu."),
        ("An area of 12 m", "2", " is free.", "An area of 12 m2 is free."),
        ("A pipe of 3 cm", "3", " is small.", "A pipe of 3 cm3 is small."),
        ("It is x", "2", " and no more.", "It is x2 and no more."),
        ("There are 10", "6", " of them.", "There are 106 of them."),
        ("It is (a + b)", "2", " and no more.", "It is (a + b)2 and no more."),
        ("Ions of Ca", "2+", " are there.", "Ions of Ca2+ are there."),
        ("It is sin", "2", " of it.", "It is sin2 of it."),
        ("On the 21", "st", " of May it rains.", "On the 21st of May it rains."),
        ("Le XX", "e", " de ce nom est loin.", "Le XXe de ce nom est loin."),
    ],
)
def test_raised_letters(before: str, mark: str, after: str, expected: str) -> None:
    assert markdown((before, 0), (mark, 4), (after, 0)) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("It was built in 1998", "It was built in 1998 1 or so."),
        ("It goes to", "It goes to 1 or so."),
        ("It is x", "It is x1 or so."),
    ],
)
def test_a_note_of_the_page_tells_what_a_mark_is(before: str, expected: str) -> None:
    assert markdown((before, 0), ("1", 4), (" or so.", 0), note=NOTE) == expected


def test_lowered_letters_are_part_of_their_word() -> None:
    assert (
        markdown(("Pure H", 0), ("2", -2), ("O and CO", 0), ("2", -2), (" are here.", 0))
        == "Pure H2O and CO2 are here."
    )


def test_the_number_of_a_note_is_apart_from_its_text() -> None:
    assert markdown(("1", 4), ("Only for pumps of the year before.", 0)) == "1 Only for pumps of the year before."


def test_an_isotope_is_one_word() -> None:
    assert markdown(("14", 4), ("C is in the wood.", 0)) == "14C is in the wood."
