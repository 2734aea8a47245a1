"""Tables of AsciiDoc: cells after bars, in rows of as many cells as there are columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

CELL = re.compile(
    r"(?<!\\)(?:(?<!\S)(?:(?P<times>\d{1,3})\*|(?P<columns>\d{1,3})?(?:\.(?P<rows>\d{1,3}))?\+)?"
    r"[<^>]?(?:\.[<^>])?[adehlmsv]?)?\|"
)
"""The bar before a cell, and what stands before it: `2+|`, `.3+^|`, `a|`."""
REPEATED = re.compile(r"(\d{1,3})\*")
MAX_COLUMNS = 200
"""More are no table that somebody wrote."""
Rows = list[list[str]]


def read_table(lines: Sequence[str], columns: str, *, has_header: bool, separator: str = "|") -> tuple[Rows, bool]:
    """The rows of the lines of a table, and whether the first is its header. `columns` is the attribute cols."""
    if separator != "|":
        return _separated(lines, separator, has_header=has_header)
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    cells = _cells("\n".join(lines))
    width = _width(columns) or len(_cells(lines[first])) if lines else 0
    if not cells or not 0 < width <= MAX_COLUMNS:
        return [], False
    is_line_alone = first == 0 and len(lines) > 1 and not lines[1].strip() and len(_cells(lines[0])) == width
    return _placed(cells, width), has_header or is_line_alone


def _cells(text: str) -> list[tuple[str, int, int]]:
    """Each cell's text, and how many columns and rows it takes."""
    marks = list(CELL.finditer(text))
    cells: list[tuple[str, int, int]] = []
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    for mark, end in zip(marks, ends, strict=True):
        cell = text[mark.end() : end].strip().replace("\\|", "|")
        spanned = (cell, int(mark["columns"] or 1), int(mark["rows"] or 1))
        cells.extend([spanned] * min(int(mark["times"] or 1), MAX_COLUMNS))
    return cells


def _width(columns: str) -> int:
    if not columns.strip():
        return 0
    repeated = [int(found[1]) if (found := REPEATED.match(one.strip())) else 1 for one in re.split("[,;]", columns)]
    return sum(repeated)


def _placed(cells: Sequence[tuple[str, int, int]], width: int) -> Rows:
    rows: Rows = []
    taken = [0] * width  # for each column, how many rows a cell above still takes
    row: list[str] = []
    for text, columns, spanned in cells:
        while len(row) < width and taken[len(row)]:
            taken[len(row)] -= 1
            row.append("")
        if len(row) >= width:
            rows.append(row)
            row = []
        for place in range(len(row), min(len(row) + columns, width)):
            taken[place] = min(spanned, len(cells)) - 1
        row.extend([text, *[""] * (min(columns, width - len(row)) - 1)])
        if len(row) >= width:
            rows.append(row)
            row = []
    return [*rows, row] if row else rows


def _separated(lines: Sequence[str], separator: str, *, has_header: bool) -> tuple[Rows, bool]:
    try:
        rows = [row for row in csv.reader(lines, delimiter=separator, skipinitialspace=True) if row]
    except csv.Error:
        return [], False
    return rows, has_header or (len(lines) > 1 and not lines[1].strip())
