"""Tables of separated values as Markdown: each row is an entry, with the header's names in it.

`open_table` reads the rows of a file of any size, one after the other.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, BinaryIO

from ragbase.formats.csv_layout import LOOK_ROWS, Layout, dialect_of, layout_of, separator_in
from ragbase.formats.csv_rows import Dialect, Lines, rows_of
from ragbase.formats.decode import FileEncoding, beginning, encoding_of
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

LOOK = 64 * 1024
"""Characters at the beginning that decide the delimiter."""

MIN_ROWS, MIN_COLUMNS = 4, 3
"""A text with fewer rows or columns of equal size may be no table."""

MAX_NAME = 60
"""Characters of a header's name in a text that is a table for certain."""

LONGEST_NAME = 200
"""Characters of a header's name that each row repeats. The whole name is shown once."""

INVALID = re.compile("[\udc80-\udcff]")
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
NUMBER = re.compile(r"[-+]?\d[\d.,]*%?")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. `number` counts from 1, without the header and blank lines; `line` is where it begins in the
    file, from 1. `cells` are pairs of a header's name and a value, as they stand in the file.

    `problem` says, for a person, why the row is not as the header wants it; None if it is.
    """

    number: int
    line: int
    cells: tuple[tuple[str, str], ...]
    problem: str | None = None


@dataclass(slots=True)
class Table:
    """The rows of a table, which are read as they are asked for. `above` is what stands above it, a line each."""

    headers: tuple[str, ...]
    delimiter: str
    notes: tuple[str, ...]
    rows: Iterator[Row]
    above: tuple[str, ...] = ()


def open_table(file: BinaryIO, *, delimiter: str | None = None, encoding: str | None = None) -> Table:
    """The table in a file that can seek, whose first row has the headers. What is None is detected.

    The file has to stay open while rows are read, and is closed after the last one.

    Raises PermanentError if the file is no text.
    """
    found = encoding_of(file) if encoding is None else FileEncoding(encoding)
    return _table(_lines_of(file, found), delimiter, found.notes)


def _lines_of(file: BinaryIO, encoding: FileEncoding) -> Iterator[str]:
    from ragbase.formats.guess_encoding import TCVN3, decode_as

    if encoding.name == TCVN3:
        with io.TextIOWrapper(file, "latin-1", newline="") as lines:
            yield from (decode_as(line.encode("latin-1"), TCVN3) for line in lines)
        return
    others = encoding.others
    name = "utf-8-sig" if encoding.name == "utf-8" else encoding.name
    with io.TextIOWrapper(file, name, "surrogateescape" if others else "replace", newline="") as lines:
        for line in lines:
            if others is not None and not line.isascii() and INVALID.search(line):
                yield others.read(line.encode("utf-8", "surrogateescape")).replace("\0", "\ufffd")
            else:
                yield line.replace("\0", "\ufffd")


def _table(lines: Iterator[str], delimiter: str | None, notes: tuple[str, ...], *, find: bool = False) -> Table:
    """With `find`, the names need not be in the first row."""
    look: list[str] = []
    size = 0
    for line in lines:
        look.append(line)
        size += len(line)
        if size >= LOOK:
            break
    source = Lines(look, lines)
    if delimiter is None and look and (named := separator_in(look[0])):
        next(source)
        look, delimiter = look[1:], named
    given = Dialect(delimiter) if delimiter else None
    layout = layout_of(look, delimiter) if find else Layout(given or dialect_of(look))
    parsed = rows_of(source, layout.dialect)
    above = tuple(
        ", ".join(cell.strip() for cell in cells if cell.strip()) for _, cells, _ in islice(parsed, layout.above)
    )
    headers: tuple[str, ...] = ()
    for row in parsed:
        headers = _names(row[1] if layout.has_names else [""] * len(row[1]))
        if not layout.has_names:
            parsed = chain([row], parsed)
        break
    return Table(headers, layout.dialect.delimiter, (*notes, *_notes(layout)), _rows(parsed, headers), above)


def _notes(layout: Layout) -> Iterator[str]:
    if layout.above:
        rows = "row stands" if layout.above == 1 else f"{layout.above} rows stand"
        yield f"The first {rows} above the table, and {'is' if layout.above == 1 else 'are'} read as text."
    if not layout.has_names:
        yield (
            "No row has the names of the columns: the first one is like those below it. They are called column 1, "
            "column 2 and so on. If it has the names, write them in other words than the values, and upload the file "
            "again."
        )


def _names(cells: list[str]) -> tuple[str, ...]:
    """A column without a name is named after its place."""
    return tuple(" ".join(cell.split()) or f"column {place}" for place, cell in enumerate(cells, start=1))


def _rows(parsed: Iterator[tuple[int, list[str], str | None]], headers: tuple[str, ...]) -> Iterator[Row]:
    width = len(headers)
    for number, (line, cells, problem) in enumerate(parsed, start=1):
        count = len(cells)
        if count == width and problem is None:
            yield Row(number, line, tuple(zip(headers, cells, strict=True)))
            continue
        names = (*headers[:count], *(f"column {place}" for place in range(width + 1, count + 1)))
        unfit = f"it has {count} values, but the header has {width} names"
        yield Row(number, line, tuple(zip(names, cells, strict=True)), problem or unfit)


def read_csv_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError: as `decode_within`, and FILE_TOO_LARGE where the text becomes too long."""
    decoded = decode_within(data, limits)
    table = _table((line[0] for line in LINE.finditer(decoded.text)), None, decoded.notes, find=True)
    from ragbase.formats.outlined import OutlinedText

    text = OutlinedText(limits.max_text_characters)
    starts = array("q")
    problems = 0
    example = ""
    if table.above:
        text.add_paragraph("\n".join(table.above))
    unused = dict.fromkeys(table.headers)
    long_names = [name for name in table.headers if len(name) > LONGEST_NAME]
    if long_names:
        text.add((("names of columns in full", ", ".join(long_names)),))
    for row in table.rows:
        cells = tuple(cell for cell in row.cells if cell[1] and not cell[1].isspace())
        shown = tuple((name[:LONGEST_NAME], value) for name, value in cells) if long_names else cells
        starts.append(text.length)
        text.add_entry("row", row.number, shown)
        if unused:
            for name, _ in cells:
                unused.pop(name, None)
        if row.problem is not None:
            problems += 1
            example = example or f"Row {row.number} (line {row.line}): {row.problem}"
    starts.append(text.length)
    if unused:
        text.add((("columns without values", ", ".join(unused)),))
    others = f", and {problems - 1} more rows" if problems > 1 else ""
    del decoded  # there is room for one text, not for two
    notes = (*table.notes, f"{example}{others}.") if problems else table.notes
    return replace(text.extraction(notes), rows=starts)


def is_table(data: bytes, delimiters: str) -> bool:
    """Whether the beginning is a header and rows that all have as many cells as it has."""
    text = beginning(data, LOOK)
    return any(_fits_all(_whole_lines(text, is_cut=len(data) > LOOK), delimiter) for delimiter in delimiters)


def _whole_lines(text: str, *, is_cut: bool) -> Iterator[str]:
    lines = (line[0] for line in LINE.finditer(text))
    return (line for line, _ in pairwise(lines)) if is_cut else lines


def _fits_all(lines: Iterator[str], delimiter: str) -> bool:
    """Most texts are told from a table by their first lines, so no more of them is read."""
    rows = (cells for _, cells, _ in islice(rows_of(Lines((), lines), Dialect(delimiter)), LOOK_ROWS))
    names = next(rows, [])
    if len(names) < MIN_COLUMNS or len(set(names)) < len(names) or not all(map(_is_name, names)):
        return False
    count = 0
    for cells in rows:
        if len(cells) != len(names):
            return False
        count += 1
    return count >= MIN_ROWS


def _is_name(cell: str) -> bool:
    return 0 < len(cell.strip()) <= MAX_NAME and not NUMBER.fullmatch(cell.strip())


def is_csv(data: bytes) -> bool:
    return is_table(data, ",;")


READER = Reader(
    version="csv-v3",
    check=check_text_file,
    read=read_csv_file,
    proves=is_csv,
)
