"""How many empty places a table may have. A Markdown table has all columns in each row: one long row among many short
ones would be a text that grows with the square of the file."""

from __future__ import annotations

from collections.abc import Sequence

MAX_EMPTY = 50_000
EMPTY_FOR_CELL = 4
"""So many are written for each cell, and MAX_EMPTY beside those: a table of 200 columns and 1,000 rows may have more
empty places than others."""


def padded_width(rows: Sequence[Sequence[object]]) -> int:
    """The columns of the table; 0 if too many places would be empty. Then its rows are as long as they are."""
    width = max(map(len, rows), default=0)
    cells = sum(map(len, rows))
    return width if width * len(rows) - cells <= MAX_EMPTY + EMPTY_FOR_CELL * cells else 0
