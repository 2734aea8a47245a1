"""The columns of a page are read one after the other, whatever stands above them and however close they are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import pytest

from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.pdf.columns import text_columns
from ragbase.formats.pdf.segments import Segment
from ragbase.formats.pdf.styles import Paint, Style
from ragbase.formats.pdf.words import Word
from tests.unit.formats.pdf.pdf_files import pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")

TEXT = "the ferry crosses a wide river twice while wind blows from old hills towards its harbour and bells ring"
WIDTHS = dict(zip("abcdefghijklmnopqrstuvwxyz", (
    556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722,
    500, 500, 500), strict=True))  # fmt: skip
"""Of Helvetica's letters, in thousandths of the size. Digits are 556, capitals up to 778, a space 278."""
LEFT, RIGHT = 54, 558


def width(text: str, size: float) -> float:
    return sum(WIDTHS.get(letter, 278 if letter == " " else 667) for letter in text) * size / 1000


def text(x: float, y: float, words: str, size: float, font: str = "F1") -> str:
    return f"BT /{font} {size} Tf {x:.2f} {y:.2f} Td ({words}) Tj ET\n"


def lines(name: str, count: int, wide: float, size: float) -> Iterator[str]:
    """Lines that are as full as they can be, each with its number, in the order of reading."""
    words = cycle(TEXT.split())
    word = next(words)
    for number in range(1, count + 1):
        line = f"{name}{number}"
        while width(f"{line} {word}", size) <= wide:
            line = f"{line} {word}"
            word = next(words)
        yield line


def columns(names: str, gap: float, size: float, headings: str, justified: bool = False) -> str:
    """Columns of 20 lines. Those that `headings` names begin with one; "middle" means within the first."""
    wide = (RIGHT - LEFT - gap * (len(names) - 1)) / len(names)
    content = ""
    for index, name in enumerate(names):
        x, y = LEFT + index * (wide + gap), 660.0
        for number, line in enumerate(lines(name, 20, wide, size)):
            if (number == 0 and name in headings) or (number == 9 and headings == "middle" and index == 0):
                content += text(x, y, f"Title of {name}", size + 2, "F2")
                y -= size + 6
            spread = (wide - width(line, size)) / line.count(" ") if justified else 0
            content += f"{spread:.3f} Tw\n" + text(x, y, line, size) + "0 Tw\n"
            y -= 1.2 * size
    return content


def markdown(content: str) -> str:
    return FormatExtractor().extract(pdf_of_contents(content.encode("latin-1")), "pdf", ProcessingConfig()).markdown


def places(read: str, names: str) -> list[int]:
    """Where each line was read, in the order in which they should be."""
    return [read.index(f"{name}{number} ") for name in names for number in range(1, 21)]


@pytest.mark.parametrize("gap", [8, 10, 14, 24])
@pytest.mark.parametrize("headings", ["", "A", "B", "AB", "middle"])
def test_two_columns_with_and_without_headings(gap: float, headings: str) -> None:
    title = text(230, 720, "A Study of the Ferry", 16, "F2") + text(270, 700, "Some Author", 11)
    read = markdown(title + columns("AB", gap, 10, headings))
    found = places(read, "AB")
    assert found == sorted(found)
    assert read.startswith("# A Study of the Ferry\n\nSome Author\n\n")
    for name in set("AB") & set(headings):
        assert f"# Title of {name}\n\n{name}1 " in read


@pytest.mark.parametrize("justified", [False, True])
@pytest.mark.parametrize("names", ["AB", "ABC"])
def test_columns_so_close_that_their_lines_touch(names: str, justified: bool) -> None:
    """8 points are less than many a space in a line of 12 points."""
    found = places(markdown(columns(names, 8, 12, "A", justified=justified)), names)
    assert found == sorted(found)


def test_three_columns_under_a_title_that_is_no_wider_than_one() -> None:
    title = text(240, 710, "A Study of the Ferry", 14, "F2")
    read = markdown(title + columns("ABC", 14, 9, "A"))
    found = places(read, "ABC")
    assert found == sorted(found)
    assert read.index("A Study of the Ferry") < read.index("Title of A")


def test_an_abstract_over_both_columns_comes_before_them() -> None:
    abstract = "".join(
        text(LEFT, 730 - 12 * index, line, 10) for index, line in enumerate(lines("Z", 4, RIGHT - LEFT, 10))
    )
    read = markdown(abstract + columns("AB", 12, 10, "A"))
    found = [read.index(f"Z{number} ") for number in range(1, 5)] + places(read, "AB")
    assert found == sorted(found)


def test_a_line_of_an_author_and_a_number_above_columns_is_no_part_of_them() -> None:
    head = text(LEFT, 740, "Some Author", 9) + text(520, 740, "page 7", 9)
    read = markdown(head + columns("AB", 12, 10, ""))
    assert read.startswith("Some Author page 7")
    found = places(read, "AB")
    assert found == sorted(found)


def test_words_far_apart_on_lines_of_one_column_stay_on_their_lines() -> None:
    """Lines alike that are stretched have all of their spaces below each other."""
    stretched = "".join(
        f"7 Tw\n{text(LEFT, 700 - 14 * index, 'the wind blows from the old hills to the sea', 11)}"
        for index in range(8)
    )
    assert markdown(stretched) == " ".join(["the wind blows from the old hills to the sea"] * 8)


def test_columns_of_hebrew_are_read_from_the_right() -> None:
    def line(number: int, left: float) -> Segment:
        style = Style(
            10, bold=False, italic=False, monospaced=False, turn=0, slanted=False, colour=0, paint=Paint.VISIBLE
        )
        words = [Word("שלום" * 2, left + 50 * index, left + 48 + 50 * index, 12.0 * number, style, number, 1)
                 for index in range(4)]  # fmt: skip
        return Segment.of(words)

    first, second = ([line(number, left) for number in range(6)] for left in (320, 60))
    regions = text_columns([*second, *first], 10)
    assert regions is not None
    assert [region.parts for region in regions] == [(first, second)]
