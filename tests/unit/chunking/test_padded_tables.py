"""The padding of a table is not counted, and not embedded."""

from __future__ import annotations

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.chunking.tokens import TOKENS
from ragbase.domain.chunk import embedding_text
from ragbase.domain.extraction import Extraction, Page
from ragbase.domain.padding import COUNTED, without_padding

ROWS = [("Part", "Interval", "Note"), ("Filter", "a year", "before winter"), ("Seal", "two years", "with oil")]


def table(widths: tuple[int, ...], rows: int, *, edges: bool = True, newline: str = "\n") -> str:
    lines = [ROWS[0], tuple("-" * width for width in widths), *(ROWS[1 + row % 2] for row in range(rows))]
    cells = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    left, right = ("| ", " |") if edges else ("", "")
    return newline.join(left + " | ".join(line) + right for line in cells)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("edges", [True, False])
@pytest.mark.parametrize("chunker", [MarkdownChunker(), MarkdownChunker(200, 40, TOKENS)])
def test_a_table_is_as_long_as_what_it_says(chunker: MarkdownChunker, edges: bool, newline: str) -> None:
    text = f"# Parts{newline}{newline}" + table((240, 180, 300), 6, edges=edges, newline=newline)
    (passage,) = chunker.split(Extraction(text))
    assert passage.text == text.strip() == text[passage.char_start : passage.char_end]


def test_each_part_of_a_long_table_has_its_header() -> None:
    text = "Every part.\n\n" + table((240, 180, 300), 90)
    first, *others = MarkdownChunker(600, 100).split(Extraction(text))
    assert first.text.startswith("Every part.")
    assert len(others) > 3
    assert {passage.table_header for passage in others} == {"| Part | Interval | Note |"}
    assert all(passage.text.startswith(("| Filter", "| Seal")) for passage in others)


def test_a_header_that_fills_a_passage_stands_above_the_rows() -> None:
    cells = [f"Column {number}" for number in range(40)]
    text = "\n".join(f"| {' | '.join(row)} |" for row in (cells, ["---"] * 40, ["value"] * 40, ["other"] * 40))
    _, *others = MarkdownChunker(300, 0).split(Extraction(text))
    assert all(passage.table_header.startswith("| Column 0 | Column 1 |") for passage in others)
    assert all("value" in passage.text or "other" in passage.text or "Column" in passage.text for passage in others)


def test_padding_is_not_embedded() -> None:
    (passage,) = MarkdownChunker().split(Extraction(table((60, 60, 60), 1)))
    assert embedding_text(passage) == (
        "| Part | Interval | Note |\n| --- | --- | --- |\n| Filter | a year | before winter |"
    )


def test_a_passage_has_a_longest_length_whatever_its_padding() -> None:
    (narrow,) = MarkdownChunker(COUNTED, 0).split(Extraction(table((3000, 300, 300), 0).replace("-", "x", 1)))[:1]
    assert len(narrow.text) <= COUNTED * (COUNTED + 1)


def test_pages_and_entries_keep_their_places() -> None:
    tables = [table((90, 90, 90), rows) for rows in (2, 3, 4)]
    text = "\n\n".join(tables)
    starts = [0, len(tables[0]) + 2, len(tables[0]) + len(tables[1]) + 4]
    pages = tuple(
        Page(number, start, start + len(one))
        for number, (start, one) in enumerate(zip(starts, tables, strict=True), start=1)
    )
    by_page = MarkdownChunker().split(Extraction(text, pages))
    by_entry = MarkdownChunker().split(Extraction(text, entries=tuple(starts[1:])))
    assert (
        [passage.text for passage in by_page] == [passage.text for passage in by_entry] == [t.strip() for t in tables]
    )
    assert [passage.page for passage in by_page] == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "two  blanks  in a sentence",
        "a -------- b\n\n--------\n",
        "    | an indented line of code\n  | otherwise = 1",
        "| a | b |\n|---|:-:|\n| c | d |",
        "a----------b | c",
    ],
)
def test_nothing_else_is_padding(text: str) -> None:
    assert without_padding(text) == text
