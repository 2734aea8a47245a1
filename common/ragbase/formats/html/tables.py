"""Tables of a page, made ready for the converter: tables that only lay out a page become its parts, headers in several
lines become one, and tables whose empty places are many more than their cells lose their places."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ragbase.formats.empty_places import EMPTY_FOR_CELL, MAX_EMPTY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode


BLOCKS = "h1, h2, h3, h4, h5, h6, table, hr, blockquote, pre, section, article, form"
ROW_BLOCKS = f"p, ul, ol, dl, div, {BLOCKS}"
MAX_COLUMNS = 200
"""A header with more is left as it is."""


def free_layout(page: LexborHTMLParser, tables: list[LexborNode]) -> None:
    """Headings and lists stay what they are, which they cannot in a cell."""
    for table in reversed(tables):
        rows = rows_of(table)
        if _is_layout(table, rows):
            for row in rows:
                for cell in cells_of(row):
                    part = page.create_node("div")
                    _move_children(cell, part)
                    table.insert_before(part, move=True)
            table.decompose()


def join_headers(page: LexborHTMLParser, tables: list[LexborNode]) -> None:
    """A column is named by all lines of the header: `Size: Min`, not an empty cell."""
    for table in tables:
        rows = rows_of(table)
        count = next((number for number, row in enumerate(rows) if not _is_header(row)), len(rows))
        if 1 < count < len(rows):
            _join(page, rows[:count])


def _is_layout(table: LexborNode, rows: list[LexborNode]) -> bool:
    role = (table.attributes.get("role") or "").lower()
    if role in ("presentation", "none"):
        return True
    cells = [cells_of(row) for row in rows]
    if not cells or any(cell.tag == "th" for row in cells for cell in row):
        return False
    if any(child.tag in ("caption", "thead") for child in table.iter()):
        return False
    if all(len(row) <= 1 for row in cells):
        return True
    if len(rows) == 1 and any(cell.css_first(ROW_BLOCKS) is not None for cell in cells[0]):
        return True
    return any(node.mem_id != table.mem_id for node in table.css(BLOCKS))


def rows_of(table: LexborNode) -> list[LexborNode]:
    rows = []
    for child in table.iter():
        if child.tag == "tr":
            rows.append(child)
        elif child.tag in ("thead", "tbody", "tfoot"):
            rows += [row for row in child.iter() if row.tag == "tr"]
        elif child.tag == "caption":
            continue
    return rows


def cells_of(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in row.iter() if cell.tag in ("td", "th")]


def _is_header(row: LexborNode) -> bool:
    parent = row.parent
    if parent is not None and parent.tag == "thead":
        return True
    cells = cells_of(row)
    return (
        bool(cells)
        and all(cell.tag == "th" or not cell.text(strip=True) for cell in cells)
        and any(cell.tag == "th" for cell in cells)
    )


def _join(page: LexborHTMLParser, rows: list[LexborNode]) -> None:
    columns: dict[int, list[LexborNode]] = {}
    taken: set[tuple[int, int]] = set()
    width = 0
    for number, row in enumerate(rows):
        column = 0
        for cell in cells_of(row):
            while (number, column) in taken:
                column += 1
            across, down = span_of(cell, "colspan"), min(span_of(cell, "rowspan"), len(rows) - number)
            if column + across > MAX_COLUMNS:
                return
            taken.update((number + below, column + beside) for below in range(down) for beside in range(across))
            columns.setdefault(column, []).append(cell)
            column += across
            width = max(width, column)
    joined = page.create_node("tr")
    for column in range(width):
        name = page.create_node("th")
        written = False
        for cell in columns.get(column, ()):
            if cell.text(strip=True):
                if written:
                    name.insert_child(": ")
                _move_children(cell, name)
                written = True
        joined.insert_child(name, move=True)
    rows[0].insert_before(joined, move=True)
    for row in rows:
        row.decompose()


def span_of(cell: LexborNode, name: str) -> int:
    value = (cell.attributes.get(name) or "").strip()
    return max(1, min(int(value), 1000)) if value.isascii() and value.isdigit() else 1


def _move_children(source: LexborNode, target: LexborNode) -> None:
    child = source.first_child
    while child is not None:
        following = child.next
        target.insert_child(child, move=True)
        child = following


SPANS = ("colspan", "rowspan")
WITHOUT_SPANS = "A table has many more places than cells: it is read as if no cell took several places."
AS_TEXT = "A table has many more places than cells: its cells are read as paragraphs."


def limit_tables(tables: Sequence[LexborNode]) -> tuple[str, ...]:
    """What is to be said of it. The text of all cells stays."""
    notes: dict[str, None] = {}
    left = MAX_EMPTY
    for table in tables:
        rows = [cells_of(row) for row in rows_of(table)]
        cells = sum(map(len, rows))
        allowed = left + EMPTY_FOR_CELL * cells
        empty = _places(rows) - cells
        if empty > allowed:
            for cell in (cell for row in rows for cell in row):
                for span in SPANS:
                    if span in cell.attributes:
                        del cell.attrs[span]
            empty = max(map(len, rows)) * len(rows) - cells
            notes[WITHOUT_SPANS] = None
        if empty > allowed:
            table.attrs["role"] = "presentation"
            notes[AS_TEXT] = None
        else:
            left -= max(empty - EMPTY_FOR_CELL * cells, 0)
    return tuple(notes)


def _places(rows: Sequence[Sequence[LexborNode]]) -> int:
    """Rows times columns. A cell of a row above may take places of a row."""
    width = above = 0
    ends: Counter[int] = Counter()
    for number, row in enumerate(rows):
        above -= ends[number]
        across = [span_of(cell, "colspan") for cell in row]
        width = max(width, sum(across) + above)
        for cell, columns in zip(row, across, strict=True):
            down = span_of(cell, "rowspan")
            if down > 1:
                above += columns
                ends[number + down] += columns
    return width * len(rows)
