"""The values of a JSON text, of which the large ones are parsed a part at a time: Python's values take up to ten times
the memory of their text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

Object: TypeAlias = "tuple[tuple[str, Value], ...]"
"""The members in order. A key may occur twice, and both values are kept."""
Value: TypeAlias = "Object | LargeObject | list[Value] | LargeList | str | bool | None"
"""A number is the text that stands in the file: no digit is lost, and none is too many."""

LARGE = 64 * 1024
"""Characters of an object or a list that is not parsed as a whole."""

DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=str)
"""Keeps every digit of a number, and both members with one key."""

MEMBERS, NO_MEMBERS = (("", None),), ()
SKIMMER = json.JSONDecoder(
    object_pairs_hook=lambda pairs: MEMBERS if pairs else NO_MEMBERS, parse_int=bool, parse_float=bool
)
"""Parses for the errors and the ends of values, and keeps next to nothing of them."""

BLANKS = re.compile(r"[ \t\n\r]*+")


@dataclass(frozen=True, slots=True)
class LargeList:
    """The items of the list at `start` of a valid text. Each iteration parses them again."""

    text: str
    start: int

    def __iter__(self) -> Iterator[Value]:
        position = _after_blanks(self.text, self.start + 1)
        while self.text[position] != "]":
            item, position = _value(self.text, position)
            yield item
            position = _after_comma(self.text, position)


@dataclass(frozen=True, slots=True)
class LargeObject:
    """The members of the object at `start` of a valid text. Each iteration parses them again."""

    text: str
    start: int

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        position = _after_blanks(self.text, self.start + 1)
        while self.text[position] != "}":
            key, position = DECODER.raw_decode(self.text, position)
            colon = _after_blanks(self.text, position)
            value, position = _value(self.text, _after_blanks(self.text, colon + 1))
            yield key, value
            position = _after_comma(self.text, position)


def parse_json(text: str) -> Value:
    """Raises json.JSONDecodeError for what is not JSON, RecursionError for a nesting that Python cannot read."""
    if len(text) <= LARGE:
        value: Value = DECODER.decode(text)
        return value
    SKIMMER.decode(text)
    return _value(text, _after_blanks(text, 0))[0]


def skim_json(text: str) -> object:
    """The value without most of its content: an object is a tuple, which is empty if it has no members. Raises as
    `parse_json`."""
    return SKIMMER.decode(text)


def _value(text: str, position: int) -> tuple[Value, int]:
    """The value that begins at `position`, and where it ends."""
    if text[position] in "{[":
        end = SKIMMER.raw_decode(text, position)[1]
        if end - position > LARGE:
            return (LargeObject if text[position] == "{" else LargeList)(text, position), end
    value: tuple[Value, int] = DECODER.raw_decode(text, position)
    return value


def _after_comma(text: str, position: int) -> int:
    """Where the next part begins after a part that ends at `position`, or where the bracket is that closes them."""
    position = _after_blanks(text, position)
    return _after_blanks(text, position + 1) if text[position] == "," else position


def _after_blanks(text: str, position: int) -> int:
    found = BLANKS.match(text, position)
    return found.end() if found else position
