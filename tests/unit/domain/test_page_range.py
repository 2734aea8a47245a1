"""How a document is cut into parts."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.page_range import MOST_PARTS, PART_PAGES, PART_WEIGHT, PageRange, cut_pages

TEXT, SCAN = 1.0, 200.0
"""What a page of text weighs, and what a page may weigh that OCR must read."""


def pages(part: PageRange) -> int:
    return part.last - part.first + 1


def test_a_short_document_is_read_at_once() -> None:
    assert cut_pages([]) == ()
    assert cut_pages([TEXT]) == ()
    assert cut_pages([TEXT] * PART_PAGES) == ()
    assert cut_pages([SCAN] * int(PART_WEIGHT / SCAN)) == ()
    assert cut_pages([100 * PART_WEIGHT]) == ()


def test_many_pages_of_text_are_several_parts() -> None:
    assert cut_pages([TEXT] * 200) == (PageRange(1, 100), PageRange(101, 200))
    assert cut_pages([TEXT] * 201) == (PageRange(1, 67), PageRange(68, 134), PageRange(135, 201))


def test_scans_have_fewer_pages_a_part() -> None:
    parts = cut_pages([SCAN] * 600)
    assert [pages(part) for part in parts] == [30] * 20
    first, *_, last = cut_pages([TEXT] * 200 + [SCAN] * 60)
    assert pages(first) > 3 * pages(last)


def test_a_page_that_takes_very_long_is_alone_at_most() -> None:
    assert cut_pages([TEXT, 9 * PART_WEIGHT, TEXT]) == (PageRange(1, 1), PageRange(2, 2), PageRange(3, 3))


@given(st.lists(st.floats(min_value=0, max_value=1e6), max_size=400))
def test_parts_cover_all_pages_once_and_in_order(weights: list[float]) -> None:
    parts = cut_pages(weights)
    assert len(parts) != 1
    assert len(parts) <= MOST_PARTS
    assert all(pages(part) > 0 for part in parts)
    assert all(after.first == before.last + 1 for before, after in pairwise(parts))
    if parts:
        assert (parts[0].first, parts[-1].last) == (1, len(weights))


def test_a_huge_document_has_larger_parts() -> None:
    parts = cut_pages([TEXT] * 100_000)
    assert len(parts) == MOST_PARTS
    assert {pages(part) for part in parts} == {500}
