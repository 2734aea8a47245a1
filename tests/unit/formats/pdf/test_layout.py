"""How text on a page becomes Markdown: columns, tables, headings, hyphens, fractions, scripts."""

from __future__ import annotations

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_of_contents, pdf_with_font

pytestmark = pytest.mark.usefixtures("read_here")

LEFT = [
    "The wind fills the sail and moves",
    "the boat, which was quiet before",
    "until the evening came and with",
    "it the rain over the bay.",
]
RIGHT = [
    "A rope is tied to the pier when",
    "the boat is back in the harbour",
    "and all of the crew has gone to",
    "sleep under the deck at last.",
]


def extract(*contents: str) -> Extraction:
    data = pdf_of_contents(*(content.encode("latin-1") for content in contents))
    return FormatExtractor().extract(data, "pdf", ProcessingConfig())


def markdown(content: str) -> str:
    return extract(content).markdown


def text(x: float, y: float, words: str, size: float = 10, font: str = "F1") -> str:
    return f"BT /{font} {size} Tf {x} {y} Td ({words}) Tj ET\n"


def column(x: float, lines: list[str], top: float = 700) -> str:
    return "".join(text(x, top - 12 * index, line) for index, line in enumerate(lines))


@pytest.mark.parametrize("shift", [0, 5], ids=["lines side by side", "lines between each other"])
def test_columns_are_read_one_after_the_other(shift: int) -> None:
    content = column(60, LEFT) + column(320, RIGHT, 700 - shift)
    assert markdown(content) == f"{' '.join(LEFT)}\n\n{' '.join(RIGHT)}"


def test_columns_that_the_file_draws_line_by_line() -> None:
    content = "".join(
        text(60, 700 - 12 * index, left) + text(320, 700 - 12 * index, right)
        for index, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True))
    )
    assert markdown(content) == f"{' '.join(LEFT)}\n\n{' '.join(RIGHT)}"


def test_a_line_over_both_columns_divides_them() -> None:
    title = "What happens in the harbour when the wind blows from the north all day and all night long"
    content = (
        column(60, LEFT) + column(320, RIGHT) + text(60, 730, title) + column(60, RIGHT, 610) + column(320, LEFT, 610)
    )
    content += text(60, 640, title)
    left, right = " ".join(LEFT), " ".join(RIGHT)
    assert markdown(content) == f"{title}\n\n{left}\n\n{right}\n\n{title}\n\n{right}\n\n{left}"


def test_a_fraction_keeps_its_numerator() -> None:
    content = text(60, 700, "A bolt of ") + text(102, 703, "1", 6) + text(105.4, 700, "/") + text(108.3, 699, "4", 6)
    content += text(114, 700, "inch holds the mast well enough in any wind.")
    assert markdown(content) == "A bolt of 1/4 inch holds the mast well enough in any wind."


@pytest.mark.parametrize(
    ("before", "after", "rest", "expected"),
    [
        ("We train a task-", "specific model for boats", "", "a task-specific model"),
        ("The wind is called infor-", "mation by sailors", "", "called information by"),
        ("They have a har-", "bour for boats", "Each harbour is full.", "have a harbour for"),
        ("It is a well-", "known place", "The well-known one.", "a well-known place"),
    ],
)  # fmt: skip
def test_hyphens_at_the_end_of_a_line(before: str, after: str, rest: str, expected: str) -> None:
    content = text(60, 700, before) + text(60, 688, after) + text(60, 650, rest or "And then it is quiet.")
    assert expected in markdown(content)


def test_a_table_with_rules() -> None:
    rows = [("Boat", "Length"), ("Sloop", "9"), ("Ketch", "12")]
    content = "".join(f"60 {y} m 260 {y} l S\n" for y in (640, 660, 680, 700))
    content += "".join(f"{x} 640 m {x} 700 l S\n" for x in (60, 160, 260))
    content += "".join(
        text(x, 686 - 20 * i, cell) for i, row in enumerate(rows) for x, cell in zip((65, 165), row, strict=True)
    )
    assert markdown(content) == "| Boat | Length |\n|---|---|\n| Sloop | 9 |\n| Ketch | 12 |"


def test_a_table_without_rules() -> None:
    rows = [("Boat", "Length", "Crew"), ("Sloop", "9", "2"), ("Ketch", "12", "4"), ("Brig", "30", "14")]
    content = "".join(
        text(x, 686 - 14 * i, cell) for i, row in enumerate(rows) for x, cell in zip((65, 165, 240), row, strict=True)
    )
    assert markdown(content) == (
        "| Boat | Length | Crew |\n|---|---|---|\n| Sloop | 9 | 2 |\n| Ketch | 12 | 4 |\n| Brig | 30 | 14 |"
    )


def test_a_table_over_pages_shows_its_header_in_each_chunk_and_the_page_of_each() -> None:
    def page(first: int) -> str:
        content = "".join(f"60 {700 - 20 * i} m 260 {700 - 20 * i} l S\n" for i in range(22))
        content += "".join(f"{x} 280 m {x} 700 l S\n" for x in (60, 160, 260))
        rows = [("Boat", "Length"), *((f"Sloop {n}", str(n + 100)) for n in range(first, first + 20))]
        return content + "".join(
            text(65, 686 - 20 * i, a) + text(165, 686 - 20 * i, b) for i, (a, b) in enumerate(rows)
        )

    extraction = extract(page(0), page(20), page(40))
    assert extraction.markdown.count("| Boat | Length |") == 1
    passages = MarkdownChunker(size=200, overlap=0).split(extraction)
    assert [passage.table_header for passage in passages[1:]] == ["| Boat | Length |"] * (len(passages) - 1)
    for passage in passages:
        numbers = [int(line.split()[2]) for line in passage.text.splitlines() if line.startswith("| Sloop")]
        assert numbers
        assert {number // 20 + 1 for number in numbers} == {passage.page}


def test_headings_by_size_weight_and_number() -> None:
    content = text(60, 700, "Sailing", 18, "F2") + column(60, LEFT, 670) + text(60, 600, "The pier", 10, "F2")
    content += column(60, RIGHT, 580)
    assert markdown(content) == f"# Sailing\n\n{' '.join(LEFT)}\n\n## The pier\n\n{' '.join(RIGHT)}"


def test_running_headers_are_read_once() -> None:
    pages = [
        text(60, 770, f"Handbook of boats {n}") + text(60, 650, f"Words of page {n} about boats.") for n in range(1, 6)
    ]
    extraction = extract(*pages)
    assert extraction.markdown.count("Handbook of boats") == 1
    assert all(f"Words of page {n} about" in extraction.markdown for n in range(1, 6))


def test_turned_text_is_read_as_it_stands() -> None:
    turned = "BT /F1 10 Tf 0 1 -1 0 560 100 Tm (A note that stands at the side of the page) Tj ET\n"
    assert markdown(column(60, LEFT) + turned) == f"{' '.join(LEFT)}\n\nA note that stands at the side of the page"


def test_lists() -> None:
    content = (
        text(60, 700, "What a boat needs is this:") + text(60, 686, "\\267 a sail") + text(60, 672, "\\267 a rope")
    )
    assert markdown(content) == "What a boat needs is this:\n\n- a sail\n\n- a rope"


@pytest.mark.parametrize(
    ("glyphs", "expected"),
    [
        ([("0633", 6), ("06440627", 6), ("0645", 6)], "سلام"),  # lam-alef as one glyph of two letters
        ([("0633", 6), ("FEFC", 6), ("0645", 6)], "سلام"),  # as a presentation form
        ([("FEB3", 6), ("FEFC", 6), ("FEE1", 6)], "سلام"),
        ([("06A9", 6), ("06440627", 6), ("0633", 6)], "کلاس"),  # Persian
        ([("05E9", 6), ("05DC", 6), ("05D5", 6), ("05DD", 6)], "שלום"),  # Hebrew
    ],
    ids=["two letters", "form", "forms", "Persian", "Hebrew"],
)
def test_words_from_right_to_left(glyphs: list[tuple[str, int]], expected: str) -> None:
    """The file draws the glyphs from left to right, so the last comes first."""
    extraction = FormatExtractor().extract(pdf_with_font(glyphs[::-1], size=20), "pdf", ProcessingConfig())
    assert extraction.markdown == expected


@pytest.mark.slow
def test_a_page_of_very_many_lines_is_read_in_time_that_grows_with_it() -> None:
    """Half a million words: a way that compares each line with each other would take hours."""
    lines = "".join(f"BT /F1 8 Tf 40 {780 - index * 0.01:.3f} Td (line {index}) Tj ET\n" for index in range(25_000))
    assert "line 24999" in markdown(lines)
