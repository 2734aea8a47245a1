"""Rules make a table where their cells prove one; each word of it is written once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import pytest

from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")


def markdown(content: str) -> str:
    return FormatExtractor().extract(pdf_of_contents(content.encode("latin-1")), "pdf", ProcessingConfig()).markdown


def text(x: float, y: float, words: str, size: float = 9) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({words}) Tj ET\n"


def across(y: float, start: float, end: float) -> str:
    return f"{start} {y} m {end} {y} l S\n"


def down(x: float, top: float, bottom: float) -> str:
    return f"{x} {top} m {x} {bottom} l S\n"


def box(left: float, top: float, width: float, height: float) -> str:
    return f"{left} {top - height} {width} {height} re S\n"


def words(content: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", " ".join(re.findall(r"\((.*?)\) Tj", content))))


def assert_each_word_once(content: str, read: str) -> None:
    assert Counter(re.findall(r"\w+", read)) == words(content)


def test_a_merged_cell_is_written_in_its_first_place() -> None:
    """`Harbour` is over two columns, `North` beside two rows."""
    content = "".join(across(y, 60, 360) for y in (700, 660, 620)) + across(680, 160, 360) + across(640, 160, 360)
    content += down(60, 700, 620) + down(160, 700, 620) + down(260, 680, 620) + down(360, 700, 620)
    content += text(65, 686, "Side") + text(165, 686, "Harbour") + text(165, 666, "old") + text(265, 666, "new")
    content += text(65, 646, "North") + text(165, 646, "12") + text(265, 646, "17")
    content += text(165, 626, "14") + text(265, 626, "19")
    assert markdown(content) == (
        "| Side | Harbour |  |\n|---|---|---|\n|  | old | new |\n| North | 12 | 17 |\n|  | 14 | 19 |"
    )


def test_rows_that_are_alike_all_stay() -> None:
    content = "".join(across(700 - 20 * row, 60, 260) for row in range(5))
    content += "".join(down(x, 700, 620) for x in (60, 160, 260))
    content += text(65, 686, "a") + text(165, 686, "b")
    content += "".join(text(x, 686 - 20 * row, "7") for row in (1, 2, 3) for x in (65, 165))
    assert markdown(content) == "| a | b |\n|---|---|\n| 7 | 7 |\n| 7 | 7 |\n| 7 | 7 |"


def test_a_table_with_few_marks_in_its_cells_is_a_table() -> None:
    content = "".join(across(700 - 20 * row, 60, 360) for row in range(6))
    content += "".join(down(60 + 60 * column, 700, 600) for column in range(6))
    content += "".join(text(65 + 60 * column, 686, name) for column, name in enumerate(("task", "Ann", "Ben", "Cy")))
    content += "".join(text(65, 666 - 20 * row, name) for row, name in enumerate(("open", "read", "write", "close")))
    content += text(125, 666, "X") + text(185, 626, "Y")
    read = markdown(content)
    assert read.startswith("| task | Ann | Ben | Cy |\n|---|---|---|---|\n| open | X |  |  |\n")
    assert_each_word_once(content, read)


def bars(hatch: str, values: Iterable[int]) -> str:
    """A chart with an axis, bars whose values stand above them, and the strokes of a hatch in each bar."""
    content = box(60, 700, 400, 300) + "".join(text(40, 405 + 60 * tick, str(20 * tick)) for tick in range(5))
    content += "".join(across(400 + 60 * tick, 60, 460) for tick in range(5) if "grid" in hatch)
    content += text(220, 720, "Speed of boats") + box(360, 690, 90, 50)
    content += text(380, 675, "with sails") + text(380, 655, "with oars")
    for index, value in enumerate(values):
        left = 80 + 50 * index
        content += box(left, 400 + value, 40, value) + text(left + 8, 405 + value, f"{value}.{index}")
        content += text(left + 4, 385, f"Boat{index}")
        if "-" in hatch:
            content += "".join(across(400 + step, left, left + 40) for step in range(10, value, 12))
        if "+" in hatch:
            content += "".join(down(left + step, 400 + value, 400) for step in range(8, 40, 8))
    return content


@pytest.mark.parametrize("hatch", ["none", "-", "+", "-+", "grid", "grid-+"])
def test_a_chart_is_no_table(hatch: str) -> None:
    content = bars(hatch, (90, 211, 64, 150, 120))
    read = markdown(content)
    assert_each_word_once(content, read)
    assert "|  |  |" not in read


def test_boxes_that_are_joined_by_lines_are_no_table() -> None:
    names = ["Load", "Check", "Cut", "Embed", "Store"]
    content = "".join(
        box(60 + 90 * index, 700, 70, 40) + text(70 + 90 * index, 676, name) for index, name in enumerate(names)
    )
    content += "".join(across(680, 130 + 90 * index, 150 + 90 * index) for index in range(4))
    content += down(95, 660, 600) + across(600, 95, 455) + down(455, 600, 660) + text(200, 605, "is asked again")
    read = markdown(content)
    assert "|" not in read
    assert_each_word_once(content, read)


def test_a_cell_with_a_notch_is_no_cell_of_a_table() -> None:
    """The text of a drawing stands in what its boxes leave over."""
    content = box(60, 700, 300, 200) + box(60, 700, 80, 60) + box(280, 600, 80, 100) + across(640, 140, 200)
    content += text(70, 670, "one") + text(290, 550, "two") + text(180, 600, "what is around them")
    content += text(180, 660, "and more around them")
    read = markdown(content)
    assert "|" not in read
    assert_each_word_once(content, read)


def test_a_table_in_a_cell_of_a_table_does_not_repeat_the_cells_around_it() -> None:
    content = "".join(across(y, 60, 460) for y in (700, 660, 560)) + "".join(down(x, 700, 560) for x in (60, 200, 460))
    content += "".join(across(y, 200, 460) for y in (630, 600)) + down(330, 660, 560)
    content += text(65, 676, "Name of the ferry") + text(205, 676, "Times of the day") + text(65, 610, "Aurora")
    content += "".join(
        text(x, y, f"{name}{at}") for at, y in enumerate((640, 610, 580)) for name, x in (("go", 205), ("come", 335))
    )
    read = markdown(content)
    assert_each_word_once(content, read)
    assert "| Aurora | go0 | come0 |\n|  | go1 | come1 |" in read
