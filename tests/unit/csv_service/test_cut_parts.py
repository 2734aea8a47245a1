"""Rows are cut into parts whose ends depend on the rows alone."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ragbase.csv_service.cut_parts import NO_ROW, RowText, cut_parts, text_ids


def row(number: int, content: str) -> RowText:
    return RowText(number, content, {"text": content})


@given(st.lists(st.tuples(st.integers(0, 5), st.text(max_size=3)), max_size=600))
def test_parts_hold_every_row_at_its_number(skipped: list[tuple[int, str]]) -> None:
    rows, number = [], 0
    for gap, content in skipped:
        number += 1 + gap
        rows.append(row(number, content))

    found = {}
    first = 1
    for cut in cut_parts(iter(rows), "index"):
        fields = json.loads(cut.fields)
        assert len(cut.keys) == 16 * cut.part.span == 16 * len(fields)
        for place in range(cut.part.span):
            key = cut.keys[16 * place : 16 * (place + 1)]
            assert (key == NO_ROW) == (fields[place] is None)
            for id in text_ids(key):
                found[first + place] = cut.contents[id]
                assert fields[place] == {"text": cut.contents[id]}
        first += cut.part.span

    assert found == {one.number: one.content for one in rows}


def test_a_part_is_the_same_wherever_its_rows_are() -> None:
    contents = [f"row {number}" for number in range(3_000)]
    here = list(cut_parts((row(number, one) for number, one in enumerate(contents, 1)), "index"))
    there = list(cut_parts((row(number, one) for number, one in enumerate(["new", *contents], 1)), "index"))
    assert [cut.part for cut in here[2:]] == [cut.part for cut in there[2:]]
    assert {cut.part.id for cut in here}.isdisjoint(
        cut.part.id for cut in cut_parts((row(number, one) for number, one in enumerate(contents, 1)), "other index")
    )


def test_a_part_has_a_bounded_size() -> None:
    long = [RowText(number, f"row {number}", {"text": "x" * 50_000}) for number in range(1, 20)]
    same = [row(number, "the same") for number in range(1, 5_000)]
    assert max(len(cut.fields) for cut in cut_parts(long, "index")) < 300_000
    assert max(cut.part.span for cut in cut_parts(same, "index")) <= 2_048
