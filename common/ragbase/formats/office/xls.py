"""The sheets of old Excel workbooks, whose cells the library xberg gives as texts."""

from __future__ import annotations

import re
from typing import Any

from ragbase.formats.office.sheets import NUMBER, Cell, Sheet, SheetRow

ERRORS = {
    "Div0": "#DIV/0!", "NA": "#N/A", "Name": "#NAME?", "Null": "#NULL!", "Num": "#NUM!", "Ref": "#REF!",
    "Value": "#VALUE!", "GettingData": "#GETTING_DATA",
}  # fmt: skip
"""What a cell shows whose formula fails, by the library's words."""
ERROR = re.compile(r"\\?#ERR: (\w+)")


def sheet_of(page: Any) -> Sheet:
    """A sheet of an old workbook, whose cells the library gives as texts."""
    rows: list[SheetRow] = []
    for table in page.tables:
        for number, cells in enumerate(table.cells, start=len(rows) + 1):
            shown = [
                Cell(column, text, NUMBER.fullmatch(text) is None)
                for column, cell in enumerate(cells)
                if (text := ERROR.sub(lambda found: ERRORS.get(found[1], found[0]), cell).strip())
            ]
            if shown:
                rows.append(SheetRow(number, shown, []))
    return Sheet(page.sheet_name or "", rows)
