"""The sheets of a workbook as Markdown: the sheet's name is a heading, and each row is an entry with the names of its
columns, as in CSV. Empty cells cost nothing, however far apart the others are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import TYPE_CHECKING, NamedTuple

from ragbase.domain.left_out import LeftOut
from ragbase.formats.outlined import OutlinedText

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction

NUMBER = re.compile(r"[-+(]?[^\w\s]?\s?\d[\d.,:/\s'-]*\W{0,3}")
"""A cell of text that is no name of a column: a number, a date or an amount."""

YEAR_OR_DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d-\d\d)?|.*[^\W\d].*", re.DOTALL)
"""A number or a date that can be a column's name: 2024, 2024-01-01, Jan 24."""

LONGEST_NAME = 200
"""Characters of a column's name that each row repeats. The whole name is shown once."""


class Cell(NamedTuple):
    """What a cell shows. `column` counts from 0. A number, a date and a truth value are no text."""

    column: int
    text: str
    is_text: bool = True


class SheetRow(NamedTuple):
    """The cells of a row that show something. `number` is what the program shows beside it, from 1."""

    number: int
    cells: list[Cell]
    comments: list[str]


@dataclass(slots=True)
class Sheet:
    """`spans` says, for a row's number, which columns a merged cell of it goes over, by its first one. `around` is text
    that stands in no cell, such as that of text boxes."""

    name: str
    rows: Iterable[SheetRow]
    spans: dict[int, dict[int, int]] = field(default_factory=dict)
    around: Iterable[str] = ()


def as_text(sheets: Iterable[Sheet], max_characters: int) -> Extraction:
    """Raises PermanentError (FILE_TOO_LARGE) for a text of more characters."""
    text = OutlinedText(max_characters)
    unnamed: list[str] = []
    empty: list[str] = []
    for sheet in sheets:
        before = text.length
        if not _write(text, sheet):
            unnamed.append(f"“{_label(sheet.name)}”")
        if text.length == before:
            empty.append(sheet.name)
    note = f"No names of columns were found in the sheet {', '.join(unnamed)}: their letters stand for them."
    extraction = text.extraction((note,) if unnamed else ())
    left_out = (LeftOut("names of empty sheets", "\n".join(empty)),) if empty else ()
    return replace(extraction, left_out=(*extraction.left_out, *left_out))


def column_name(column: int) -> str:
    """A, B, …, Z, AA: as the program shows it above the column."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, len(ascii_uppercase))
        letters = ascii_uppercase[letter] + letters
    return letters


def _write(text: OutlinedText, sheet: Sheet) -> bool:
    """A sheet that shows nothing leaves nothing, not even its name. Whether all entries have names of columns."""
    heading = _label(sheet.name) or "Sheet"
    rows = _Rows(sheet.rows)
    around = [one for one in sheet.around if one.strip()]
    if rows.next is None and not around:
        return True
    text.add_heading(heading)
    names: dict[int, str] | None = None
    are_named = True
    last = 0
    for row in rows:
        is_apart = row.number > last + 1
        last = row.number
        if names is None or is_apart:
            found = _header(row, rows, names, sheet.spans)
            if found is not None:
                names = found
                last = rows.last
                if long := [name for name in names.values() if len(name) > LONGEST_NAME]:
                    text.add((("names of columns in full", ", ".join(long)),))
                _add_comments(text, row)
                continue
            if len(row.cells) == 1 and row.cells[0].is_text:  # a title, or a remark
                text.add_paragraph(row.cells[0].text)
                _add_comments(text, row)
                continue
        members = [(_name(names, cell.column), cell.text) for cell in row.cells]
        members += [("comment", comment) for comment in row.comments]
        text.add_entry("row", row.number, tuple(members), within=(heading,))
        are_named = are_named and names is not None
    for one in around:
        text.add_paragraph(one)
    return are_named


def _add_comments(text: OutlinedText, row: SheetRow) -> None:
    for comment in row.comments:
        text.add_paragraph(f"comment: {comment}")


class _Rows:
    """The rows of a sheet, and the one that comes next."""

    def __init__(self, rows: Iterable[SheetRow]) -> None:
        self._rows = iter(rows)
        self.last = 0
        self.next = next(self._rows, None)

    def __iter__(self) -> Iterator[SheetRow]:
        return self

    def __next__(self) -> SheetRow:
        row = self.next
        if row is None:
            raise StopIteration
        self.last = row.number
        self.next = next(self._rows, None)
        return row


def _header(
    row: SheetRow, rows: _Rows, names: dict[int, str] | None, spans: dict[int, dict[int, int]]
) -> dict[int, str] | None:
    """The names of columns, if this row has them; the second row of a header, whose first one has merged cells, is
    taken from `rows`. Below a gap, where the columns have names already, only what looks unlike the next row begins
    another table."""
    below = rows.next
    if below is None or below.number > row.number + 1 or not _are_names(row, below):
        return None
    if names is not None and not any(cell.column in _columns(row) and not cell.is_text for cell in below.cells):
        return None
    wide = {first: last for first, last in spans.get(row.number, {}).items() if last > first}
    if not wide or not _are_names(below, rows.next) or not _are_under(below, wide):
        return {cell.column: _label(cell.text) for cell in row.cells}
    above = {
        column: _label(cell.text)
        for cell in row.cells
        for column in range(cell.column, wide.get(cell.column, cell.column) + 1)
    }
    next(rows)
    own = {cell.column: _label(cell.text) for cell in below.cells}
    return {column: " ".join(filter(None, (above.get(column), own.get(column)))) for column in sorted({*above, *own})}


def _are_names(row: SheetRow, below: SheetRow | None) -> bool:
    """Two at least, all of them text; or years and dates beside text, where none are below them; or one above a single
    number."""
    if not row.cells or not row.cells[0].is_text:
        return False
    under = {cell.column: cell.text for cell in below.cells} if below is not None else {}
    if len(row.cells) == 1:
        return below is not None and [(cell.column, cell.is_text) for cell in below.cells] == [
            (row.cells[0].column, False)
        ]
    return all(_is_name(cell, under.get(cell.column, "")) for cell in row.cells)


def _is_name(cell: Cell, under: str) -> bool:
    if cell.is_text:
        return not NUMBER.fullmatch(cell.text) or YEAR_OR_DATE.fullmatch(cell.text) is not None
    return bool(YEAR_OR_DATE.fullmatch(cell.text)) and not YEAR_OR_DATE.fullmatch(under)


def _are_under(row: SheetRow, wide: dict[int, int]) -> bool:
    """Whether the merged cells above have several cells of this row below them."""
    columns = _columns(row)
    return any(sum(first <= column <= last for column in columns) > 1 for first, last in wide.items())


def _columns(row: SheetRow) -> set[int]:
    return {cell.column for cell in row.cells}


def _name(names: dict[int, str] | None, column: int) -> str:
    name = names.get(column) if names is not None else None
    return name[:LONGEST_NAME] if name else f"column {column_name(column)}"


def _label(text: str) -> str:
    return " ".join(text.split())
