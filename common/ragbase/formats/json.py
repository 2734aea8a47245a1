"""JSON as Markdown: containers become headings and scalars become items, so that the heading path of a passage says
where in the file its values stand."""

from __future__ import annotations

import json
from typing import NoReturn, TypeAlias

from ragbase.domain.chunk import Extraction
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.lane import Lane
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.format import FIRST_VERSION, Format
from ragbase.formats.text import check_text_file, decode_within

MAX_DEPTH = 64
"""Levels of nesting. Far beyond any file made for people, and far below what Python's stack takes."""

MAX_INLINE = 100
"""Characters. A list of scalars up to this length is one item of its parent."""

MAX_LABEL = 80
"""Characters of a key that a heading shows."""

MAX_HEADING_LEVEL = 6
NAMING_KEYS = ("name", "title", "id")
"""The first of these that an object in a list has tells it from its neighbours in the object's heading."""

Object: TypeAlias = "tuple[tuple[str, Json], ...]"
"""The members in order. A key may occur twice, and both values are kept."""
Json: TypeAlias = "Object | list[Json] | str | bool | None"
"""A number is the text that stands in the file: no digit is lost, and none is too many."""


def read_json_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """One JSON value, or JSON Lines, as Markdown. Raises PermanentError, as `decode_within` and `json_to_markdown`."""
    text = decode_within(data, limits)
    return Extraction(json_to_markdown(text, limits.max_text_characters) if text.strip() else text)


def json_to_markdown(text: str, max_characters: int) -> str:
    """Render one JSON value, or JSON Lines.

    Raises PermanentError: CORRUPT_FILE for what is not JSON, UNSUPPORTED_FORMAT for nesting over MAX_DEPTH,
    FILE_TOO_LARGE if the result is longer than `max_characters`.
    """
    rendering = _Rendering(max_characters)
    rendering.value(_parse(text), ())
    rendered = "\n".join(rendering.lines).strip("\n")
    # The standard library takes escaped lone surrogates, which no encoding can write; a NUL is refused by databases.
    return rendered.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def _parse(text: str) -> Json:
    decoder = json.JSONDecoder(object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=str)
    try:
        try:
            value: Json = decoder.decode(text)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
            return _parse_lines(text, decoder, error)
    except json.JSONDecodeError as error:
        raise PermanentError(
            ErrorCode.CORRUPT_FILE,
            f"The file is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}. "
            "Correct it there and upload it again.",
        ) from error
    except RecursionError:
        _too_deep()
    return value


def _parse_lines(text: str, decoder: json.JSONDecoder, as_one_value: json.JSONDecodeError) -> Json:
    """One value a line. Where only the first line is one, the error is that of the file as one value."""
    values: list[Json] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values.append(decoder.decode(line))
        except json.JSONDecodeError as error:
            if not values[1:]:
                raise as_one_value from error
            raise json.JSONDecodeError(error.msg, text, _line_start(text, number) + error.pos) from error
    return values


def _line_start(text: str, number: int) -> int:
    return sum(len(line) + 1 for line in text.split("\n")[: number - 1])


class _Rendering:
    """The lines so far."""

    def __init__(self, max_characters: int) -> None:
        self.lines: list[str] = []
        self._max_characters = max_characters
        self._room = max_characters

    def value(self, value: Json, path: tuple[str, ...]) -> None:
        if isinstance(value, tuple):
            self._members([(_label(key), member) for key, member in value], path)
        elif not isinstance(value, list):
            self._item("", _scalar(value))
        elif any(isinstance(item, tuple | list) for item in value):
            noun = path[-1] if path else "item"
            self._members([(_item_label(noun, number, item), item) for number, item in enumerate(value, 1)], path)
        else:
            self._members([("", item) for item in value], path)

    def _members(self, members: list[tuple[str, Json]], path: tuple[str, ...]) -> None:
        """Scalars first: below a nested container's heading they would seem to belong to it."""
        nested = []
        self._line("")
        for label, value in members:
            inline = _inline(value)
            if inline is None:
                nested.append((label, value))
            else:
                self._item(label, inline)
        if len(path) >= MAX_DEPTH and nested:
            _too_deep()
        for label, value in nested:
            inner = (*path, label)
            if self.lines[-1]:
                self._line("")
            self._line(_heading(inner))
            self.value(value, inner)

    def _item(self, label: str, text: str) -> None:
        """A text of several lines is quoted, so that nothing in it can pass for a heading or a fence of ours."""
        bullet = f"- {label}:" if label else "-"
        lines = text.strip().splitlines()
        if not lines[1:]:
            self._line(" ".join((bullet, *lines)))
            return
        self._line(bullet)
        for line in lines:
            self._line(f"  > {line}")

    def _line(self, line: str) -> None:
        self.lines.append(line)
        self._room -= len(line) + 1
        if self._room < 0:
            raise PermanentError(
                ErrorCode.FILE_TOO_LARGE,
                f"The JSON file unpacks to more than {self._max_characters} characters of text. "
                "Split it into smaller files.",
            )


def _heading(path: tuple[str, ...]) -> str:
    """Markdown has six levels; a deeper heading names its nearest ancestors itself."""
    level = min(len(path), MAX_HEADING_LEVEL)
    return "#" * level + " " + " › ".join(path[level - 1 :][-3:])


def _inline(value: Json) -> str | None:
    """The text of a scalar, of an empty container, or of a short list of scalars; None for everything else."""
    if not isinstance(value, tuple | list):
        return _scalar(value)
    if not value:
        return "{}" if isinstance(value, tuple) else "[]"
    if isinstance(value, tuple) or len(value) > MAX_INLINE or any(isinstance(item, tuple | list) for item in value):
        return None
    text = ", ".join(map(_scalar, value))
    return text if len(text) <= MAX_INLINE and "\n" not in text else None


def _scalar(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "null" if value is None else str(value).lower()


def _label(key: str) -> str:
    return " ".join(key.split())[:MAX_LABEL] or '""'


def _item_label(noun: str, number: int, item: Json) -> str:
    if isinstance(item, tuple):
        names = {key: value for key, value in item if key in NAMING_KEYS and isinstance(value, str) and value.strip()}
        for key in NAMING_KEYS:
            if key in names:
                return f"{noun[:MAX_LABEL]} {number}: {_label(names[key])}"
    return f"{noun[:MAX_LABEL]} {number}"


def _too_deep() -> NoReturn:
    raise PermanentError(
        ErrorCode.UNSUPPORTED_FORMAT,
        f"The JSON file is nested more than {MAX_DEPTH} levels deep. Flatten it and upload it again.",
    )


FORMAT = Format(
    name="json",
    extensions=(".json",),
    content_types=("application/json",),
    lane=Lane.FAST,
    version=FIRST_VERSION,
    check=check_text_file,
    read=read_json_file,
)
