"""Parts of an Excel sheet other than values: merged cells, comments, and text outside of cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ragbase.formats.office.parts import SMALL, Parts, local, parse

TEXT_AROUND = frozenset(("drawing", "chart", "diagramdata", "chartex"))
"""Kinds of parts of a sheet, and of a drawing, that have text outside of its cells."""

REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
MERGED = re.compile(rb'mergeCell\s[^>]{0,99}?ref="([A-Z]{1,3}[0-9]{1,7}):([A-Z]{1,3}[0-9]{1,7})"')
END_OF_ROWS = re.compile(rb"</(?:\w+:)?sheetData>|<(?:\w+:)?sheetData\s*/>")
LAST_COLUMN = 16_383


def column_of(letters: str) -> int:
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    return min(max(column - 1, 0), LAST_COLUMN)


def place_of(reference: str) -> tuple[int, int] | None:
    """The row, and the column, of a cell."""
    found = REFERENCE.match(reference)
    return (int(found[2]), column_of(found[1])) if found else None


def spans_of(parts: Parts, name: str) -> dict[int, dict[int, int]]:
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
        begin, end = place_of(first.decode()), place_of(last.decode())
        if begin and end and end[1] > begin[1]:
            spans.setdefault(begin[0], {})[begin[1]] = end[1]
    return spans


def comments_of(parts: Parts, name: str) -> dict[int, dict[int, str]]:
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
            place = place_of(values.get("ref", ""))
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


def text_around(parts: Parts, name: str) -> Iterator[str]:
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
