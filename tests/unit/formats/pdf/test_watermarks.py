"""Words across the pages of a document, and words that stand on their side."""

from __future__ import annotations

import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")

BODY = (
    "The wind fills the sail and the boat begins to move,",
    "and then it turns towards the other side of the bay.",
)
SLANTED = "0.8 g BT /F2 70 Tf .707 .707 -.707 .707 160 240 Tm (DRAFT COPY) Tj ET 0 g\n"
PALE = "0.85 g BT /F2 60 Tf 120 400 Td (INTERNAL) Tj ET 0 g\n"
CLEAR = "0.9 0.8 0.8 rg BT /F2 60 Tf .5 .866 -.866 .5 200 200 Tm (M\374nchen 7) Tj ET 0 g\n"


def extract(*contents: str) -> Extraction:
    data = pdf_of_contents(*(content.encode("latin-1") for content in contents))
    return FormatExtractor().extract(data, "pdf", ProcessingConfig())


def page(number: int, more: str = "") -> str:
    lines = (f"Page {number} begins with this line, which has to stay.", *BODY)
    return more + "".join(f"BT /F1 10 Tf 60 {722 - 12 * index} Td ({line}) Tj ET\n" for index, line in enumerate(lines))


@pytest.mark.parametrize(("mark", "words"), [(SLANTED, "DRAFT COPY"), (PALE, "INTERNAL"), (CLEAR, "München 7")])
@pytest.mark.parametrize("pages", [2, 5])
def test_a_watermark_is_left_out_with_a_note(mark: str, words: str, pages: int) -> None:
    extraction = extract(*(page(number, mark) for number in range(1, pages + 1)))
    written = [
        f"Page {number} begins with this line, which has to stay. {' '.join(BODY)}" for number in range(1, pages + 1)
    ]
    assert extraction.markdown == "\n\n".join(written)
    (left_out,) = extraction.left_out
    assert left_out.what == f"a watermark on pages 1–{pages}"
    assert left_out.text.split() == words.split() * pages


def test_slanted_text_of_one_page_is_read_after_the_others_and_is_no_heading() -> None:
    extraction = extract(page(1, SLANTED), page(2), page(3))
    first = extraction.pages[0]
    said = extraction.markdown[first.start : first.end]
    assert said.startswith("Page 1 begins") and said.endswith("\n\nDRAFT COPY")


def test_slanted_heads_of_columns_are_no_watermark() -> None:
    head = "BT /F1 10 Tf .707 .707 -.707 .707 300 500 Tm (Tide) Tj ET\n"
    extraction = extract(*(page(number, head) for number in range(1, 5)))
    assert extraction.markdown.count("Tide") == 4
    assert extraction.left_out == ()


def test_large_turned_text_is_no_heading() -> None:
    turned = "BT /F2 24 Tf 0 1 -1 0 560 100 Tm (Tide table) Tj ET\n"
    assert extract(page(1, turned)).markdown.endswith("\n\nTide table")


def test_a_pale_title_is_no_watermark() -> None:
    title = "0.7 g BT /F2 30 Tf 60 700 Td (Tide tables) Tj ET 0 g\n"
    contents = [
        title + f"BT /F1 10 Tf 60 660 Td (These are the tides of day {n}, at the pier.) Tj ET\n" for n in range(4)
    ]
    extraction = extract(*contents)
    assert extraction.markdown.count("# Tide tables") == 4
    assert extraction.left_out == ()


def test_turned_lines_at_the_side_of_all_pages_are_running_lines() -> None:
    side = "BT /F1 8 Tf 0 1 -1 0 600 300 Tm (Harbour office) Tj ET\n"
    extraction = extract(*(page(number, side) for number in range(1, 6)))
    assert extraction.markdown.count("Harbour office") == 1
    assert [left_out.what for left_out in extraction.left_out] == ["running lines on pages 2–5"]
