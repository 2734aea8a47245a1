"""Nested values as Markdown: containers become headings and scalars become items, so that the heading path of a passage
says where in the file its values stand. JSON, JSON Lines and tables are read into it."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from typing import NoReturn

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.left_out import LeftOut
from ragbase.formats.json_parts import LargeList, LargeObject, Value
from ragbase.formats.packed import without_packed
from ragbase.formats.text import LINE_END

MAX_DEPTH = 64
"""Levels of nesting. Far beyond any file made for people, and far below what Python's stack takes."""

MAX_INLINE = 100
"""Characters. A list of scalars up to this length is one item of its parent."""

MAX_ITEM = 300
"""Characters. A longer text gets a heading of its own, which every passage of it then shows."""

MAX_LABEL = 80
"""Characters of a name, or of the list's key, in the heading of one of its items: both stand elsewhere in full."""

MAX_HEADING_LEVEL = 6
NAMING_KEYS = ("name", "title", "id")
"""The first of these that an object in a list has tells it from its neighbours in the object's heading."""

PACKED = "binary data in base64"
SURROGATE = re.compile("[\ud800-\udfff]")
STRUCTURE = re.compile(r"[ \t]*(?:[#`~=>-]|$)")
"""How a line begins that Markdown may take for more than a line of a paragraph."""

CONTAINERS = (tuple, LargeObject, list, LargeList)


class OutlinedText:
    """Markdown that grows with each value.

    Its methods raise PermanentError: UNSUPPORTED_FORMAT for nesting over MAX_DEPTH, FILE_TOO_LARGE if the text becomes
    longer than `max_characters`.
    """

    def __init__(self, max_characters: int) -> None:
        self._utf8 = bytearray()
        self._length = 0
        self._is_after_blank = True
        self._max_characters = max_characters
        self._entries = array("q")
        self._in_entry = False
        self._packed: list[str] = []
        self._is_below_heading = False

    @property
    def length(self) -> int:
        """Characters."""
        return self._length

    def extraction(self, notes: tuple[str, ...] = ()) -> Extraction:
        """The text, which is then no longer here."""
        while self._utf8.endswith(b"\n"):
            del self._utf8[-1:]
        text = self._utf8.decode().replace("\0", "\ufffd")  # a NUL is refused by databases
        self._utf8.clear()
        entries = tuple(dict.fromkeys(start for start in self._entries if 0 < start < len(text)))
        left_out = (LeftOut(PACKED, "\n".join(self._packed), shown=False),) if self._packed else ()
        return Extraction(text, entries=entries, notes=notes, left_out=left_out)

    def add(self, value: Value) -> None:
        """A value without a heading: the whole of a file, or what is left after its entries."""
        self._mark()
        self._value(value, ())

    def add_heading(self, text: str) -> None:
        """Of what `add_entry` adds within it. An entry before it has ended."""
        self._mark()
        if not self._is_after_blank:
            self._line("")
        self._line(f"# {text}")
        self._is_below_heading = True

    def add_paragraph(self, text: str) -> None:
        """Outside of all entries."""
        self._mark_below_heading()
        if not self._is_after_blank:
            self._line("")
        self._paragraph(text)

    def add_entry(self, noun: str, number: int, value: Value, *, within: tuple[str, ...] = ()) -> None:
        """One entry of many, under a heading with its number. `within` is the path of headings above it."""
        self._in_entry = True
        self._entry((*within, _item_label(noun, number, value)), value)

    def _value(self, value: Value, path: tuple[str, ...]) -> None:
        if isinstance(value, tuple | LargeObject):
            self._members(lambda: ((_label(key), member) for key, member in value), path)
        elif not isinstance(value, list | LargeList):
            text = self._without_packed(_scalar(value))
            self._paragraph(text) if path else self._item("", text)
        elif all(not isinstance(item, CONTAINERS) and _inline(item) is not None for item in value):
            self._members(lambda: (("", item) for item in value), path)
        else:
            noun = path[-1] if path else "item"
            self._members(
                lambda: ((_item_label(noun, number, item), item) for number, item in enumerate(value, 1)),
                path,
                are_entries=not self._in_entry,
            )

    def _members(
        self, members: Callable[[], Iterable[tuple[str, Value]]], path: tuple[str, ...], *, are_entries: bool = False
    ) -> None:
        """Scalars first: below a nested container's heading they would seem to belong to it."""
        has_nested = False
        if self._length:
            self._line("")
        for label, value in members():
            inline = _inline(value)
            if inline is None:
                has_nested = True
            else:
                self._item(label, inline)
        if len(path) >= MAX_DEPTH and has_nested:
            too_deep()
        for label, value in members() if has_nested else ():
            if _inline(value) is not None:
                continue
            if are_entries:
                self._in_entry = True
                self._entry((*path, label), value)
                self._in_entry = False
            else:
                self._section((*path, label), value)
        if are_entries:
            self._mark()

    def _entry(self, path: tuple[str, ...], value: Value) -> None:
        self._mark_below_heading()
        self._section(path, value)

    def _mark_below_heading(self) -> None:
        """A heading and the first entry below it are one entry: alone, the heading would be a passage."""
        if not self._is_below_heading:
            self._mark()
        self._is_below_heading = False

    def _mark(self) -> None:
        """An entry begins with the next line, or the last one has ended."""
        self._entries.append(self._length)

    def _without_packed(self, text: str) -> str:
        rest, packed = without_packed(text)
        self._packed += packed
        return rest

    def _section(self, path: tuple[str, ...], value: Value) -> None:
        if not self._is_after_blank:
            self._line("")
        self._line(_heading(path))
        if not isinstance(value, CONTAINERS):
            self._line("")
        self._value(value, path)

    def _item(self, label: str, text: str) -> None:
        """A text of several lines is quoted, so that nothing in it can pass for a heading or a fence of ours."""
        bullet = f"- {label}:" if label else "-"
        text = text.strip()
        if "\n" not in text and "\r" not in text:
            self._line(f"{bullet} {text}" if text else bullet)
            return
        self._line(bullet)
        for line in _lines(text):
            self._line(f"  > {line}")

    def _paragraph(self, text: str) -> None:
        """As it is, where Markdown sees no structure in it; else quoted."""
        lines = _lines(text.strip())
        is_plain = not any(STRUCTURE.match(line) for line in lines)
        for line in lines:
            self._line(line if is_plain else f"> {line}")

    def _line(self, line: str) -> None:
        try:
            self._utf8 += line.encode()
        except UnicodeEncodeError:  # an escaped half of a surrogate pair, which no encoding has
            self._utf8 += SURROGATE.sub("\ufffd", line).encode()
        self._utf8 += b"\n"
        self._length += len(line) + 1
        self._is_after_blank = not line
        if self._length > self._max_characters:
            raise PermanentError(
                ErrorCode.FILE_TOO_LARGE,
                f"The file unpacks to more than {self._max_characters} characters of text. "
                "Split it into smaller files.",
            )


def _lines(text: str) -> list[str]:
    return LINE_END.split(text) if "\r" in text else text.split("\n")


def _heading(path: tuple[str, ...]) -> str:
    """Markdown has six levels; a deeper heading names its nearest ancestors itself."""
    level = min(len(path), MAX_HEADING_LEVEL)
    return "#" * level + " " + " › ".join(path[level - 1 :][-3:])


def _inline(value: Value) -> str | None:
    """The text of a scalar, of an empty container, or of a short list of scalars; None for everything else."""
    if not isinstance(value, CONTAINERS):
        text = _scalar(value)
        return text if len(text) <= MAX_ITEM else None
    if not value:
        return "{}" if isinstance(value, tuple) else "[]"
    if not isinstance(value, list) or len(value) > MAX_INLINE or any(isinstance(item, CONTAINERS) for item in value):
        return None
    text = ", ".join(map(_scalar, value))
    return text if len(text) <= MAX_INLINE and "\n" not in text and "\r" not in text else None


def _scalar(value: Value) -> str:
    if isinstance(value, str):
        return value
    return "null" if value is None else str(value).lower()


def _label(key: str) -> str:
    return " ".join(key.split()) or '""'


def _item_label(noun: str, number: int, item: Value) -> str:
    if isinstance(item, tuple | LargeObject):
        names = {key.lower(): value for key, value in item if isinstance(value, str) and value.strip()}
        for key in NAMING_KEYS:
            if key in names:
                if names[key] == str(number):
                    break
                return f"{noun[:MAX_LABEL]} {number}: {_label(names[key])[:MAX_LABEL]}"
    return f"{noun[:MAX_LABEL]} {number}"


def too_deep() -> NoReturn:
    """Raises PermanentError (UNSUPPORTED_FORMAT)."""
    raise PermanentError(
        ErrorCode.UNSUPPORTED_FORMAT,
        f"The file is nested more than {MAX_DEPTH} levels deep. Flatten it and upload it again.",
    )
