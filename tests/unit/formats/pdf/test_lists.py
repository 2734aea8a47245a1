"""A column of bullets or numbers beside text is a list, and no table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")

BEFORE = "What each member of the crew has to know by heart before the pump is started:"
RULES = [f"Rule {number}: leave part {7 * number} of the pump alone while it runs" for number in range(1, 7)]
BULLET = "\\267"  # as octal: a middle dot, in the standard encoding of Helvetica a bullet


def extract(content: str) -> Extraction:
    data = pdf_of_contents(content.encode("latin-1"))
    return FormatExtractor().extract(data, "pdf", ProcessingConfig())


def text(x: float, y: float, words: str, font: str = "F1") -> str:
    return f"BT /{font} 10 Tf {x} {y} Td ({words.replace('(', chr(92) + '(').replace(')', chr(92) + ')')}) Tj ET\n"


def listed(marks: Sequence[str], tab: float, texts: Sequence[str] = RULES, left: float = 72, top: float = 700) -> str:
    return "".join(
        text(left, top - 14 * index, mark) + text(left + tab, top - 14 * index, words)
        for index, (mark, words) in enumerate(zip(marks, texts, strict=True))
    )


@pytest.mark.parametrize("tab", [14, 18, 24, 36])
@pytest.mark.parametrize("mark", [BULLET, "-", "*"])
def test_bullets_far_from_their_text(mark: str, tab: float) -> None:
    extraction = extract(text(72, 720, BEFORE) + listed([mark] * 6, tab))
    assert extraction.markdown == "\n\n".join([BEFORE, *(f"- {rule}" for rule in RULES)])
    assert not any(passage.table_header for passage in MarkdownChunker(size=100, overlap=0).split(extraction))


@pytest.mark.parametrize("tab", [18, 24, 36])
@pytest.mark.parametrize(
    "mark",
    ["{}.".format, "{})".format, "({})".format, "[{}]".format, "4.{}".format, lambda n: f"({'abcdefg'[n]})",
     lambda n: ("i)", "ii)", "iii)", "iv)", "v)", "vi)")[n - 1], str],
    ids=["1.", "1)", "(1)", "[1]", "4.1", "(a)", "i)", "1"],
)  # fmt: skip
def test_numbers_and_letters_far_from_their_text(mark: Callable[[int], str], tab: float) -> None:
    marks = [mark(number) for number in range(1, 7)]
    read = extract(text(72, 720, BEFORE) + listed(marks, tab)).markdown
    assert read == "\n\n".join([BEFORE, *(f"{mark} {rule}" for mark, rule in zip(marks, RULES, strict=True))])


@pytest.mark.parametrize("mark", [BULLET, "1.", "(a)", "[1]"])
def test_lines_of_an_item_stand_below_its_text(mark: str) -> None:
    lines = ["Leave the pump alone while", "its motor runs", "and call the crew for help if", "water comes in"]
    content = "".join(text(96, 700 - 14 * index, line) for index, line in enumerate(lines))
    content += text(72, 700, mark) + text(72, 672, mark.replace("1", "2").replace("a", "b")) + text(72, 644, BEFORE)
    written = "-" if mark == BULLET else mark
    second = written.replace("1", "2").replace("a", "b")
    assert extract(content).markdown == (
        f"{written} {lines[0]} {lines[1]}\n\n{second} {lines[2]} {lines[3]}\n\n{BEFORE}"
    )


def test_items_within_items() -> None:
    content = listed(["1."], 18, ["what a boat needs"], top=700)
    content += listed([BULLET, BULLET], 18, ["a sail of good cloth", "a rope"], left=90, top=686)
    content += listed(["-"], 18, ["of hemp"], left=108, top=658)
    content += listed(["2."], 18, ["what a pier needs"], top=644)
    assert extract(content).markdown == (
        "1. what a boat needs\n\n   - a sail of good cloth\n\n   - a rope\n\n     - of hemp\n\n2. what a pier needs"
    )


def test_lists_in_two_columns() -> None:
    short = [f"rule {number} of the pump" for number in range(1, 7)]
    content = listed([BULLET] * 6, 18, short) + listed([BULLET] * 6, 18, RULES, left=320)
    assert extract(content).markdown == "\n\n".join(f"- {words}" for words in (*short, *RULES))


def rows(*cells: Sequence[str]) -> str:
    places = (72, 100, 220)
    return "".join(
        text(x, 700 - 14 * index, cell)
        for index, row in enumerate(cells)
        for x, cell in zip(places, row, strict=False)
        if cell
    )


def test_a_table_that_numbers_its_rows_stays_a_table() -> None:
    content = rows(("No.", "Boat", "Length"), ("1.", "Sloop", "9"), ("2.", "Ketch", "12"), ("3.", "Brig", "30"))
    assert extract(content).markdown == (
        "| No. | Boat | Length |\n|---|---|---|\n| 1. | Sloop | 9 |\n| 2. | Ketch | 12 |\n| 3. | Brig | 30 |"
    )


def test_a_table_with_dashes_for_nothing_stays_a_table() -> None:
    content = rows(("Sail", "Oars", "Motor"), ("-", "4", "9"), ("2", "-", "12"), ("-", "8", "-"))
    assert extract(content).markdown == (
        "| Sail | Oars | Motor |\n|---|---|---|\n| - | 4 | 9 |\n| 2 | - | 12 |\n| - | 8 | - |"
    )


def test_numbers_beside_a_word_or_two_are_a_table() -> None:
    content = rows(("2", "two masts"), ("3", "three masts"), ("4", "four masts"))
    assert extract(content).markdown == "| 2 | two masts |\n|---|---|\n| 3 | three masts |\n| 4 | four masts |"
