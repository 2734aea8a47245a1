"""Tables whose empty places are many more than their cells lose their places: a converter writes each of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ragbase.formats.empty_places import EMPTY_FOR_CELL, MAX_EMPTY
from ragbase.formats.html.tables import cells_of, rows_of, span_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborNode

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
