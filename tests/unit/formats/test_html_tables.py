"""Tables of data are tables, and tables that lay out a page are not."""

from __future__ import annotations

import pytest

from tests.unit.formats.html_pages import body


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("<table><tr><td><h2>A</h2><ul><li>one<li>two</ul></table>", "## A\n\n- one\n- two"),
        ("<table role=presentation><tr><td><h2>A</h2><td><p>b</table>", "## A\n\nb"),
        ("<table><tr><td>left<td><p>right</p></table>", "left\n\nright"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
        (
            "<table><tr><td>Menu<td>x<tr><td><h1>T</h1><td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>",
            "Menu\n\nx\n\n# T\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
        ),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"),
        ("<table><tr><th>A<tr><td>b</table>", "| A |\n| --- |\n| b |"),
    ],
    ids=["one cell", "said", "one row", "one column", "nested", "data", "header"],
)
def test_layout(table: str, text: str) -> None:
    assert body(f"<main>{table}</main>").markdown == text


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (
            "<thead><tr><th rowspan=2>Name<th colspan=2>Size<tr><th>Min<th>Max</thead>",
            "| Name | Size: Min | Max |",
        ),
        ("<tr><td><th colspan=2>Size<tr><th>Name<th>Min<th>Max", "| Name | Size: Min | Max |"),
        ("<tr><th rowspan=2>Name<th>Size<th>Size<tr><th>Min<th>Max", "| Name | Size: Min | Size: Max |"),
        ("<tr><th>Name<th colspan=2><a href=s>Size</a>", "| Name | [Size](s) | |"),
    ],
    ids=["thead", "empty corner", "rowspan", "one line"],
)
def test_a_header_in_several_lines_is_one(head: str, text: str) -> None:
    markdown = body(f"<main><table>{head}<tbody><tr><td rowspan=2>a<td>1<td>2<tr><td>3<td>4</table></main>").markdown
    assert markdown == f"{text}\n| --- | --- | --- |\n| a | 1 | 2 |\n|  | 3 | 4 |"
