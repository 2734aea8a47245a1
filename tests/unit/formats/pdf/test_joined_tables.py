"""Tables that go on over pages."""

from __future__ import annotations

from ragbase.domain.extraction import PageText
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.pdf.joined_tables import JoinedPages, join_tables
from ragbase.formats.pdf.pdf import join_pages

FIRST = "Boats of the harbour\n\n| Boat | Length |\n|---|---|\n| Sloop | 9 |"


def joined(*pages: str) -> str:
    found = join_tables(pages)
    return "".join(text + after for text, after in zip(found.texts, [*found.breaks, ""], strict=True))


def test_rows_on_the_next_pages_go_on_with_the_table() -> None:
    assert joined(
        FIRST, "| Ketch | 12 |\n|---|---|\n| Yawl | 11 |", "| Brig | 30 |\n|---|---|\n| Cat | 5 |\n\nEnd"
    ) == (FIRST + "\n| Ketch | 12 |\n| Yawl | 11 |\n| Brig | 30 |\n| Cat | 5 |\n\nEnd")


def test_a_repeated_header_is_left_out() -> None:
    assert joined(FIRST, "| Boat | Length |\n|---|---|\n| Yawl | 11 |") == FIRST + "\n| Yawl | 11 |"


def test_a_header_that_was_left_out_is_told() -> None:
    pages = [PageText(FIRST), PageText("| Boat | Length |\n|---|---|\n| Yawl | 11 |"), PageText("The end of the pier.")]
    left_out = join_pages(pages, ExtractionLimits()).left_out
    assert [text.text for text in left_out] == ["Boat Length"]
    assert left_out[0].what.startswith("the repeated header of a table that goes on")


def test_a_table_of_other_columns_is_another_table() -> None:
    other = "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |"
    assert joined(FIRST, other) == f"{FIRST}\n\n{other}"


def test_text_between_them_ends_the_table() -> None:
    rows = "| Yawl | 11 |\n|---|---|\n| Cat | 5 |"
    assert joined(FIRST, f"Other boats\n\n{rows}") == f"{FIRST}\n\nOther boats\n\n{rows}"
    assert joined(f"{FIRST}\n\nEnd", rows) == f"{FIRST}\n\nEnd\n\n{rows}"


def test_a_pipe_inside_a_cell_is_no_column() -> None:
    assert joined(FIRST, "| a \\| b | 1 |\n|---|---|\n| c | 2 |").endswith("| Sloop | 9 |\n| a \\| b | 1 |\n| c | 2 |")


def test_pages_without_tables_stay_as_they_are() -> None:
    assert join_tables([]) == JoinedPages([], [], [], [])
    assert joined("one", "", "three") == "one\n\n\n\nthree"
