"""Padding of tables: the blanks and dashes that only make the columns of a table as wide in the file as each other.

They are a part of the text, because offsets count its characters. They say nothing, so they are neither counted when a
text is measured nor embedded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

_PIPE = "|"
_BLANKS = re.compile(r"(?<=\|)[^\S\r\n]{2,}+|(?<=[^\s|])[^\S\r\n]{2,}+(?=\||\r?\Z)")
"""Blanks of a line after or before a pipe or at its end, but not at its beginning: those indent it."""
_RULE = re.compile(r"[\s>|:-]*+")
_DASHES = re.compile(r"-{4,}+")
_SHORTEST_RULE = 3

COUNTED = 64
"""One in so many characters of padding counts, so that a piece of a text has a longest length whatever its padding."""


def padding(text: str) -> Iterator[tuple[int, int]]:
    """Where the padding of tables begins and ends, in order. One blank of each cell and three dashes stay."""
    pipe = text.find(_PIPE)
    while pipe >= 0:
        start, end = text.rfind("\n", 0, pipe) + 1, text.find("\n", pipe)
        if end < 0:
            end = len(text)
        if "  " in (line := text[start:end]) or "----" in line or "\t" in line or not line.isascii():
            yield from _in_line(text, start, end)
        pipe = text.find(_PIPE, end)


def without_padding(text: str) -> str:
    spans = list(padding(text))
    if not spans:
        return text
    places = (0, *chain.from_iterable(spans), len(text))
    return "".join([text[start:end] for start, end in zip(places[::2], places[1::2], strict=True)])


def _in_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    blanks = [_rest(run, 1) for run in _BLANKS.finditer(text, start, end)]
    if _RULE.fullmatch(text, start, end) is None:
        yield from blanks
    else:
        dashes = (_rest(run, _SHORTEST_RULE) for run in _DASHES.finditer(text, start, end))
        yield from sorted((*blanks, *dashes))


def _rest(run: re.Match[str], shown: int) -> tuple[int, int]:
    """What is not counted of a run of one character, of which `shown` are."""
    return run.start() + shown + (run.end() - run.start() - shown) // COUNTED, run.end()
