"""Excel workbooks (Office Open XML): the sheets with what their cells show, read a piece at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ragbase.formats.office.number_format import BUILT_IN, GENERAL, Shown, general, shown_by
from ragbase.formats.office.parts import SMALL, Parts, attribute, feed, local, parse, parser
from ragbase.formats.office.sheets import Cell, Sheet, SheetRow
from ragbase.formats.unreadable import Damaged

WORKBOOK = "xl/workbook.xml"
TEXT_AROUND = frozenset(("drawing", "chart", "diagramdata", "chartex"))
"""Kinds of parts of a sheet, and of a drawing, that have text outside of its cells."""

ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
"""A character that XML cannot have (ECMA-376 part 1, section 22.9.2.19)."""
REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
MERGED = re.compile(rb'mergeCell\s[^>]{0,99}?ref="([A-Z]{1,3}[0-9]{1,7}):([A-Z]{1,3}[0-9]{1,7})"')
END_OF_ROWS = re.compile(rb"</(?:\w+:)?sheetData>|<(?:\w+:)?sheetData\s*/>")
TRUTH = {"0": "FALSE", "1": "TRUE"}
LAST_COLUMN = 16_383


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
        comments = _comments(parts, one.part)
        return Sheet(
            one.name,
            _rows(parts, one.part, texts, styles, comments),
            _spans(parts, one.part),
            _around(parts, one.part),
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
            column = self._columns[letters] = _column(letters)
        return column


def _column(letters: str) -> int:
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    return min(max(column - 1, 0), LAST_COLUMN)


def _place(reference: str) -> tuple[int, int] | None:
    """The row, and the column, of a cell."""
    found = REFERENCE.match(reference)
    return (int(found[2]), _column(found[1])) if found else None


def _spans(parts: Parts, name: str) -> dict[int, dict[int, int]]:
    """The merged cells that go over several columns. They stand behind the rows, of which they are needed."""
    rest = b""
    is_behind = False
    for piece in parts.pieces(name):
        if len(rest) > SMALL:
            break
        rest += piece
        if not is_behind:
            found = END_OF_ROWS.search(rest)
            is_behind = found is not None
            rest = rest[found.end() :] if found else rest[-32:]
    spans: dict[int, dict[int, int]] = {}
    for first, last in MERGED.findall(rest if is_behind else b""):
        begin, end = _place(first.decode()), _place(last.decode())
        if begin and end and end[1] > begin[1]:
            spans.setdefault(begin[0], {})[begin[1]] = end[1]
    return spans


def _comments(parts: Parts, name: str) -> dict[int, dict[int, str]]:
    """The comments on cells, by the row and then the column. Of a thread, programs keep a second form for old ones."""
    kinds = {kind.lower(): part for kind, part in parts.related(name).values()}
    tag, texts = ("threadedComment", "text") if "threadedcomment" in kinds else ("comment", "t")
    found: dict[int, dict[int, str]] = {}
    place: tuple[int, int] | None = None
    said: list[str] = []
    is_text = False

    def start(at: str, values: dict[str, str]) -> None:
        nonlocal place, is_text
        if local(at) == tag:
            place = _place(values.get("ref", ""))
            said.clear()
        is_text = local(at) == texts

    def end(at: str) -> None:
        nonlocal is_text
        is_text = False
        if local(at) == tag and place is not None and (text := "".join(said).strip()):
            of_row = found.setdefault(place[0], {})
            of_row[place[1]] = f"{of_row[place[1]]}\n{text}" if place[1] in of_row else text

    def text(piece: str) -> None:
        if is_text:
            said.append(piece)

    parse(
        parts.read(kinds.get(tag.lower() if tag == "threadedComment" else "comments", "")),
        start=start,
        end=end,
        text=text,
    )
    return found


def _around(parts: Parts, name: str) -> Iterator[str]:
    """The paragraphs of text boxes, shapes and titles of charts."""
    for part in [part for kind, part in parts.related(name).values() if kind.lower() in TEXT_AROUND]:
        yield from _paragraphs(parts.read(part))
        for kind, inner in parts.related(part).values():
            if kind.lower() in TEXT_AROUND:
                yield from _paragraphs(parts.read(inner))


def _paragraphs(data: bytes) -> list[str]:
    paragraphs: list[str] = []
    said: list[str] = []
    is_text = False
    skipped = 0

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal is_text, skipped
        skipped += local(tag) == "Fallback"
        is_text = local(tag) == "t" and not skipped

    def end(tag: str) -> None:
        nonlocal is_text, skipped
        is_text = False
        skipped -= local(tag) == "Fallback"
        if local(tag) == "p" and said:
            paragraphs.append("".join(said))
            said.clear()

    def text(piece: str) -> None:
        if is_text:
            said.append(piece)

    handlers: dict[str, Callable[..., None]] = {"start": start, "end": end, "text": text}
    parse(data, **handlers)
    return [paragraph for paragraph in paragraphs if paragraph.strip()]
