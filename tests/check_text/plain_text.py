"""What a plain reader of a format finds in a file: all of its words, without a thought of what they are for.

These readers are independent of ragbase's: they share no code with them and, but for PDFium, no library.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.check_text.plain_html import read_html
from tests.check_text.plain_markup import MARKS, without_marks
from tests.check_text.plain_office import READERS as OFFICE
from tests.check_text.plain_pdf import read_pdf


@dataclass(frozen=True, slots=True)
class PlainText:
    """`text` has every word that a person can see. `also` has words that a reader may give, too, and as often as it
    likes: addresses of links, names of columns, keys."""

    text: str
    also: str = ""


def _as_western(error: UnicodeError) -> tuple[str, int]:
    """What is not UTF-8, as Windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("western", _as_western)


def decoded(data: bytes) -> str:
    """By the mark, or as UTF-8; what is neither is Windows-1252."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8-sig", "western")


def _lines(data: bytes) -> PlainText:
    return PlainText(decoded(data))


def _markup(data: bytes, format: str) -> PlainText:
    return PlainText(*without_marks(decoded(data), format))


HEAD_LINES = 10
"""Lines that may have the names of the columns, which a reader gives again with each row, as it gives its number."""


FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
NOTHING = re.compile(r"^.*:[ \t]*(?:null|~)?[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


def _markdown(data: bytes) -> PlainText:
    """A key of front matter that has nothing says nothing."""
    text = FRONT_MATTER.sub(lambda front: NOTHING.sub("", front[0]), decoded(data))
    return PlainText(*without_marks(text, "md"))


def _table(data: bytes) -> PlainText:
    text = decoded(data)
    lines = text.splitlines()
    numbers = " ".join(map(str, range(1, len(lines) + 1)))
    return PlainText(text, " ".join([*lines[:HEAD_LINES], numbers, "row column empty", *_named(lines)]))


def _named(lines: list[str]) -> Iterator[str]:
    """The values that name a row, which may stand in its heading, too."""
    head = max(lines[:HEAD_LINES], key=lambda line: len(re.findall("[,;\t|]", line)), default="")
    delimiter = max(",;\t|", key=head.count)
    names = [name.strip().strip('"').casefold() for name in head.split(delimiter)]
    place = next((names.index(name) for name in NAMING if name in names), None)
    for row in csv.reader(lines, delimiter=delimiter) if place is not None else ():
        yield row[place] if place is not None and place < len(row) else ""


def _json(data: bytes) -> PlainText:
    return _values(json.loads(decoded(data)))


def _json_lines(data: bytes) -> PlainText:
    read = []
    for line in decoded(data).splitlines():
        try:
            read.append(_values(json.loads(line)))
        except ValueError:
            read.append(PlainText(line))
    numbers = " ".join(map(str, range(len(read) + 1)))
    return PlainText("\n".join(one.text for one in read), "\n".join([*(one.also for one in read), numbers]))


NAMING = ("name", "title", "id")
"""Keys and columns whose value may stand in the heading of an entry, too."""


def _values(value: Any) -> PlainText:
    texts: list[str] = []
    keys: list[str] = []
    open_ = [value]
    while open_:
        one = open_.pop()
        if isinstance(one, dict):
            keys += [*one, *(str(text) for key, text in one.items() if key.lower() in NAMING)]
            open_ += reversed(one.values())
        elif isinstance(one, list):
            open_ += reversed(one)
        elif one is not None:
            texts.append(str(one).lower() if isinstance(one, bool) else str(one))
    return PlainText("\n".join(texts), " ".join([*keys, "item null empty", *map(str, range(len(texts) + 1))]))


NO_WORDS = re.compile(r"\x1b\[[0-9;]*m|attachment:\S+")
"""Colours of a terminal, and names of pictures in a cell."""


def _notebook(data: bytes) -> PlainText:
    return PlainText(NO_WORDS.sub(" ", "\n".join(_cells(json.loads(decoded(data))))), "python code cell output text")


def _cells(notebook: Any) -> Iterator[str]:
    """Sources, and what they printed. Pictures are not text."""
    for sheet in notebook.get("worksheets", [notebook]):
        for cell in sheet.get("cells", ()):
            yield _together(cell.get("source", cell.get("input", "")))
            for output in cell.get("outputs", ()):
                yield _together(output.get("text", ""))
                said = output.get("data", {})
                yield _together(said.get("text/plain", said.get("text/markdown", "")))
                yield _together(output.get("traceback", ""))


def _together(lines: Any) -> str:
    return "".join(lines) if isinstance(lines, list) else str(lines)


READERS: dict[str, Callable[[bytes], PlainText]] = {
    "pdf": lambda data: PlainText(*read_pdf(data)),
    "html": lambda data: PlainText(*read_html(data)),
    "json": _json,
    "jsonl": _json_lines,
    "ipynb": _notebook,
    "csv": _table,
    "tsv": _table,
    **{format: partial(_markup, format=format) for format in MARKS},
    "md": _markdown,
    **{name: lambda data, read=read: PlainText(*read(data)) for name, read in OFFICE.items()},  # type: ignore[misc]  # mypy cannot infer a lambda's default
}
"""By ragbase's name of the format. Every other text is its lines."""

WITHOUT = frozenset(("rtf", "doc", "ppt", "xls", "msg", "image"))
"""Formats that have no plain reader here."""


def plain_text(data: bytes, format: str) -> PlainText | None:
    """None for a format without a plain reader. Raises ValueError and others for a file that it cannot read."""
    if format in WITHOUT:
        return None
    return READERS.get(format, _lines)(data)
