"""Text that knows which words of its page stand in it.

Each step from words to Markdown makes its text from the texts before with the functions here, and so carries the words
along. What another operation of `str` makes is plain: it has no words, and never wrong ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, Union

PlacedWord: TypeAlias = tuple[int, int, Any]
"""Where a word begins and ends in a text, and the word: one of a text layer, or what OCR says of one."""
Piece: TypeAlias = tuple[int, Union["Written", Sequence[PlacedWord]], int, int]
"""What stands at a place of a text: the part of another from its start up to its end, or words of this text."""


class Written(str):
    """`pieces` are in the order of the text."""

    __slots__ = ("pieces",)
    pieces: Sequence[Piece]


def written(text: str, words: Sequence[PlacedWord]) -> Written:
    new = Written(text)
    new.pieces = ((0, words, 0, len(text)),) if words else ()
    return new


def joined(between: str, texts: Iterable[str]) -> Written:
    """As `str.join`."""
    parts = list(texts)
    new = Written(between.join(parts))
    pieces: list[Piece] = []
    place = 0
    for part in parts:
        if isinstance(part, Written):
            pieces.append((place, part, 0, len(part)))
        place += len(part) + len(between)
    new.pieces = pieces
    return new


def part_of(text: str, start: int, end: int | None = None) -> Written:
    """As `text[start:end]`, for places in the text; at its end without `end`."""
    end = len(text) if end is None else end
    new = Written(text[start:end])
    new.pieces = ((0, text, start, end),) if isinstance(text, Written) else ()
    return new


def with_single_blanks(text: str) -> Written:
    """As `" ".join(text.split())`."""
    split = text.split()
    if isinstance(text, Written) and " ".join(split) == text:
        return text
    found, place = [], 0
    for piece in split:
        place = text.index(piece, place)
        found.append(part_of(text, place, place + len(piece)))
        place += len(piece)
    return joined(" ", found)


def without_blanks_around(text: str) -> Written:
    """As `str.strip`."""
    start = len(text) - len(text.lstrip())
    return part_of(text, start, max(start, len(text.rstrip())))


def replaced(pattern: re.Pattern[str], new: str, text: str) -> Written:
    """As `re.sub`, with a text that is taken as it is."""
    parts: list[str] = []
    place = 0
    for match in pattern.finditer(text):
        parts += (part_of(text, place, match.start()), new)
        place = match.end()
    if not parts and isinstance(text, Written):
        return text
    return joined("", [*parts, part_of(text, place)])


def words_in(text: str) -> list[PlacedWord]:
    """The words of a text, in its order, with where they stand in it."""
    if not isinstance(text, Written):
        return []
    found: list[PlacedWord] = []
    _add_words(text, 0, 0, len(text), found)
    return found


def _add_words(text: Written, shift: int, first: int, last: int, found: list[PlacedWord]) -> None:
    """Those of the text from `first` up to `last`. `shift` is added to their places."""
    for place, piece, start, end in text.pieces:
        moved = place - start
        low, high = max(start, first - moved), min(end, last - moved)
        if low >= high:
            continue
        moved += shift
        if isinstance(piece, Written):
            _add_words(piece, moved, low, high, found)
        elif low == 0 and high >= piece[-1][1]:
            found += [(begin + moved, stop + moved, word) for begin, stop, word in piece]
        else:
            found += [
                (max(begin, low) + moved, min(stop, high) + moved, word)
                for begin, stop, word in piece
                if begin < high and stop > low
            ]
