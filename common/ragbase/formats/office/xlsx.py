"""Excel workbooks (Office Open XML): the sheets with what their cells show, read a piece at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragbase.formats.office.number_format import BUILT_IN, GENERAL, Shown, general, shown_by
from ragbase.formats.office.parts import Parts, attribute, feed, local, parse, parser
from ragbase.formats.office.sheets import Cell, Sheet, SheetRow
from ragbase.formats.office.xlsx_beside import column_of, comments_of, spans_of, text_around
from ragbase.formats.unreadable import Damaged

WORKBOOK = "xl/workbook.xml"
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
"""A character that XML cannot have (ECMA-376 part 1, section 22.9.2.19)."""
TRUTH = {"0": "FALSE", "1": "TRUE"}


@dataclass(frozen=True, slots=True)
class _Listed:
    """A sheet as the workbook lists it."""

    name: str
    part: str
    is_hidden: bool


def read_xlsx(parts: Parts) -> tuple[Iterator[Sheet], Iterator[Sheet]]:
    """The sheets that the program shows, and those that it hides. Raises Damaged and TooLarge, then or while they are
    read."""
    main = next(iter(parts.related_of("", "officeDocument")), WORKBOOK)
    if main not in parts:
        raise Damaged("it has no workbook")
    listed, since_1904 = _listed(parts, main)
    texts = _shared(parts, next(iter(parts.related_of(main, "sharedStrings")), ""))
    styles = _styles(parts, next(iter(parts.related_of(main, "styles")), ""), since_1904=since_1904)

    def sheet(one: _Listed) -> Sheet:
        comments = comments_of(parts, one.part)
        return Sheet(
            one.name,
            _rows(parts, one.part, texts, styles, comments),
            spans_of(parts, one.part),
            text_around(parts, one.part),
        )

    return (
        (sheet(one) for one in listed if not one.is_hidden),
        (sheet(one) for one in listed if one.is_hidden),
    )


def _listed(parts: Parts, main: str) -> tuple[list[_Listed], bool]:
    targets = parts.related(main)
    listed: list[_Listed] = []
    dates: list[bool] = []

    def start(tag: str, said: dict[str, str]) -> None:
        if local(tag) == "sheet":
            kind, part = targets.get(attribute(said, "id") or "", ("", ""))
            if part in parts and kind.lower() != "chartsheet":
                listed.append(_Listed(said.get("name", ""), part, said.get("state", "visible") != "visible"))
        elif local(tag) == "workbookPr":
            dates.append(said.get("date1904", "0") in ("1", "true"))

    parse(parts.read(main), start=start)
    return listed, any(dates)


def _shared(parts: Parts, name: str) -> list[str]:
    """The texts that cells name by their numbers. Signs above Japanese letters say only how to pronounce them."""
    texts: list[str] = []
    said: list[str] = []
    is_text = is_sound = False

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal is_text, is_sound
        tag = local(tag)
        if tag == "t":
            is_text = not is_sound
        elif tag == "rPh":
            is_sound = True

    def end(tag: str) -> None:
        nonlocal is_text, is_sound
        tag = local(tag)
        if tag == "t":
            is_text = False
        elif tag == "rPh":
            is_sound = False
        elif tag == "si":
            texts.append(_unescaped("".join(said)))
            said.clear()

    def text(piece: str) -> None:
        if is_text:
            said.append(piece)

    if name in parts:
        reader = parser(start, end, text)
        for piece in parts.pieces(name):
            feed(reader, piece)
        feed(reader, b"", is_last=True)
    return texts


def _unescaped(text: str) -> str:
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _styles(parts: Parts, name: str, *, since_1904: bool) -> list[Shown]:
    """How a number is shown, by the number of a cell's style."""
    codes: dict[int, str] = dict(BUILT_IN)
    formats: list[int] = []
    is_of_cells = False

    def start(tag: str, said: dict[str, str]) -> None:
        nonlocal is_of_cells
        tag = local(tag)
        if tag == "numFmt":
            codes[_number(said.get("numFmtId"))] = said.get("formatCode", GENERAL)
        elif tag == "cellXfs":
            is_of_cells = True
        elif tag == "xf" and is_of_cells:
            formats.append(_number(said.get("numFmtId")))

    def end(tag: str) -> None:
        nonlocal is_of_cells
        if local(tag) == "cellXfs":
            is_of_cells = False

    parse(parts.read(name), start=start, end=end)
    made = {number: shown_by(codes.get(number, GENERAL), since_1904=since_1904) for number in set(formats)}
    return [made[number] for number in formats]


def _number(said: str | None) -> int:
    return int(said) if said is not None and said.isascii() and said.isdigit() else 0


def _rows(
    parts: Parts, name: str, texts: list[str], styles: list[Shown], comments: dict[int, dict[int, str]]
) -> Iterator[SheetRow]:
    reading = _Rows(texts, styles, comments)
    reader = parser(reading.start, reading.end, reading.text)
    for piece in parts.pieces(name):
        feed(reader, piece)
        yield from reading.rows
        reading.rows.clear()
    feed(reader, b"", is_last=True)
    yield from reading.rows
    yield from (SheetRow(number, [], list(comments[number].values())) for number in sorted(comments))


class _Rows:
    """The rows of a sheet, as the parser finds them. A row or a cell without a place follows the one before it."""

    def __init__(self, texts: list[str], styles: list[Shown], comments: dict[int, dict[int, str]]) -> None:
        self.rows: list[SheetRow] = []
        self._texts, self._styles = texts, styles
        self._comments = comments
        self._columns: dict[str, int] = {}
        self._cells: list[Cell] = []
        self._row = 0
        self._column = -1
        self._kind = ""
        self._style = 0
        self._said: list[str] = []
        self._is_value = self._is_sound = False

    def start(self, tag: str, said: dict[str, str]) -> None:
        if tag == "c" or (tag := local(tag)) == "c":
            reference = said.get("r")
            self._column = self._column_of(reference) if reference else self._column + 1
            self._kind = said.get("t", "n")
            self._style = _number(said.get("s"))
            self._said.clear()
        elif tag == "v":
            self._is_value = True
        elif tag == "t":
            self._is_value = not self._is_sound
        elif tag == "row":
            self._row = _number(said.get("r")) or self._row + 1
            self._column = -1
        elif tag == "rPh":
            self._is_sound = True

    def end(self, tag: str) -> None:
        if tag == "v" or (tag := local(tag)) in ("v", "t"):
            self._is_value = False
        elif tag == "c":
            if self._said:
                self._add("".join(self._said))
        elif tag == "row":
            comments = self._comments.pop(self._row, None)
            if self._cells or comments:
                self.rows.append(SheetRow(self._row, self._cells, list(comments.values()) if comments else []))
                self._cells = []
        elif tag == "rPh":
            self._is_sound = False

    def text(self, piece: str) -> None:
        if self._is_value:
            self._said.append(piece)

    def _add(self, value: str) -> None:
        kind = self._kind
        is_text = kind in ("s", "str", "inlineStr")
        if kind == "s":
            number = _number(value.strip())
            shown = self._texts[number] if number < len(self._texts) else ""
        elif is_text:
            shown = _unescaped(value)
        elif kind == "n":
            shown = self._shown(value)
        else:
            shown = TRUTH.get(value, value) if kind == "b" else value
        if shown and not shown.isspace():
            self._cells.append(Cell(self._column, shown, is_text))

    def _shown(self, value: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return value
        if not abs(number) < float("inf"):
            return value
        return self._styles[self._style](number) if self._style < len(self._styles) else general(number)

    def _column_of(self, reference: str) -> int:
        letters = reference.rstrip("0123456789")
        column = self._columns.get(letters)
        if column is None:
            column = self._columns[letters] = column_of(letters)
        return column
