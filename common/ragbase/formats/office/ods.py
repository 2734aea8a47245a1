"""OpenDocument spreadsheets: the sheets with what their cells show, which the file has as text."""

from __future__ import annotations

from collections.abc import Iterator

from ragbase.formats.office.parts import Parts, attribute, feed, local, parser
from ragbase.formats.office.sheets import Cell, Sheet, SheetRow

CONTENT = "content.xml"
CELLS = ("table-cell", "covered-table-cell")
BREAKS = ("tab", "line-break", "s")
VALUES_OF_TEXT = (None, "string")
MOST_REPEATED = 1_000
"""How many equal cells or rows are read that the file has once, with their number."""


def read_ods(parts: Parts) -> tuple[Iterator[Sheet], Iterator[Sheet]]:
    """The sheets that the program shows, and those that it hides. Raises Damaged and TooLarge, then or while they are
    read."""
    return _sheets(parts, are_hidden=False), _sheets(parts, are_hidden=True)


def _sheets(parts: Parts, *, are_hidden: bool) -> Iterator[Sheet]:
    reading = _Reading(are_hidden=are_hidden)
    reader = parser(reading.start, reading.end, reading.text)
    for piece in parts.pieces(CONTENT):
        feed(reader, piece)
        yield from reading.done
        reading.done.clear()
    feed(reader, b"", is_last=True)
    yield from reading.done


class _Reading:
    """The sheets of the content, as the parser finds them. Tables within a sheet's cell are read as its text."""

    def __init__(self, *, are_hidden: bool) -> None:
        self.done: list[Sheet] = []
        self._are_hidden = are_hidden
        self._hidden_styles: set[str] = set()
        self._style = ""
        self._sheet: Sheet | None = None
        self._depth = 0
        self._rows: list[SheetRow] = []
        self._row = 0
        self._repeated_rows = 1
        self._cells: list[Cell] = []
        self._comments: list[str] = []
        self._column = 0
        self._repeated = 1
        self._span = 1
        self._is_text = True
        self._paragraphs: list[str] = []
        self._comment: list[str] | None = None
        self._said: list[str] | None = None
        self._around: list[str] = []

    def start(self, tag: str, said: dict[str, str]) -> None:
        tag = local(tag)
        if tag == "style":
            self._style = attribute(said, "name") or ""
        elif tag == "table-properties" and attribute(said, "display") == "false":
            self._hidden_styles.add(self._style)
        elif tag == "table":
            self._depth += 1
            is_hidden = (attribute(said, "style-name") or "") in self._hidden_styles
            if self._depth == 1 and is_hidden == self._are_hidden:
                self._rows, self._around = [], []
                self._row = 0
                self._sheet = Sheet(attribute(said, "name") or "", self._rows, {}, self._around)
        elif self._sheet is None:
            return
        elif tag == "table-row" and self._depth == 1:
            self._row += 1
            self._repeated_rows = _count(attribute(said, "number-rows-repeated"))
            self._cells, self._comments = [], []
            self._column = 0
        elif tag in CELLS and self._depth == 1:
            self._repeated = _count(attribute(said, "number-columns-repeated"))
            self._span = _count(attribute(said, "number-columns-spanned"))
            self._is_text = attribute(said, "value-type") in VALUES_OF_TEXT
            self._paragraphs = []
        elif tag == "annotation":
            self._comment = []
        elif tag == "p":
            self._said = []
        elif tag in BREAKS and self._said is not None:
            self._said.append(" ")

    def end(self, tag: str) -> None:
        tag = local(tag)
        if tag == "table":
            self._depth -= 1
            if self._depth == 0 and self._sheet is not None:
                self.done.append(self._sheet)
                self._sheet = None
        elif self._sheet is None:
            return
        elif tag == "p" and self._said is not None:
            text = "".join(self._said)
            self._said = None
            if self._comment is not None:
                self._comment.append(text)
            elif self._column >= 0 and self._row:
                self._paragraphs.append(text)
            else:
                self._around.append(text)
        elif tag == "annotation" and self._comment is not None:
            self._comments.append("\n".join(self._comment))
            self._comment = None
        elif tag in CELLS and self._depth == 1:
            self._end_cell()
        elif tag == "table-row" and self._depth == 1:
            self._end_row()

    def text(self, piece: str) -> None:
        if self._said is not None:
            self._said.append(piece)

    def _end_cell(self) -> None:
        text = "\n".join(self._paragraphs)
        if text and not text.isspace():
            for column in range(self._column, self._column + min(self._repeated, MOST_REPEATED)):
                self._cells.append(Cell(column, text, self._is_text))
            if self._span > 1 and self._sheet is not None:
                self._sheet.spans.setdefault(self._row, {})[self._column] = self._column + self._span - 1
        self._column += self._repeated
        self._paragraphs = []

    def _end_row(self) -> None:
        if self._cells or self._comments:
            for number in range(self._row, self._row + min(self._repeated_rows, MOST_REPEATED)):
                self._rows.append(SheetRow(number, self._cells, self._comments if number == self._row else []))
        self._row += self._repeated_rows - 1


def _count(said: str | None) -> int:
    return max(int(said), 1) if said is not None and said.isascii() and said.isdigit() else 1
