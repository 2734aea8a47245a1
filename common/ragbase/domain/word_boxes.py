"""Where the words of a document stand on its pages: kept in few bytes beside the text, and read as marks on a page.

A page's boxes are columns of 16-bit numbers, each the difference to what is likely, and packed: some 5 bytes a word.
Those of a document are its version, an index of its pages, and their boxes one after the other. Places are fractions
of the page as it is shown, with its crop and its rotation, from its left and from its top, as units of 1/16,383.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from operator import add, sub
from typing import NamedTuple

UNITS = 16_383
"""What a page's width and height are divided into. Differences fit into 16 bits with their sign."""
VERSION = 1
MOST_BYTES = 12 * 200_000
"""Of a page's unpacked boxes: those of as many words as a page has letters at most (formats/pdf/words.py)."""
LEVEL = 2
"""Of packing: it takes a fifth of the usual time, and 4 % more bytes."""
MOST_INDEX_BYTES = 64 * 1024 * 1024
BOXES_PER_CHARACTER = 2
"""The most that the boxes of words take in the answer of a process that reads a document, in bytes for each character
that the document may have. A page whose boxes no longer fit has none."""

WIDEST_GAP = 3.0
"""Between words that one mark covers, in parts of its height. Cells of a table stand farther apart."""
LEAST_OVERLAP = 0.5
"""Of the lower of two words of one line, in parts of its height."""
OTHER_SIZE = 1.8
"""So many times another's height a word of the same line never is."""

_COLUMNS = 6
_SIZE = struct.Struct("<BI")


class BadBoxes(ValueError):
    """They are damaged, or of another version."""


@dataclass(frozen=True, slots=True)
class PlacedPage:
    """A page whose text begins at `start` of the document's. `cuts` are the ranges of the page's own text that the
    document's leaves out, and `boxes` those of `packed_boxes`, for the page's own text."""

    number: int
    start: int
    boxes: str
    cuts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PageMark:
    """A rectangle on a page, in fractions of the page as it is shown, from its left and from its top. It covers the
    words from `char_start` up to `char_end` of the document's text."""

    left: float
    top: float
    right: float
    bottom: float
    char_start: int
    char_end: int


class _Word(NamedTuple):
    """Its place in the document's text, and its left, upper, right and lower side."""

    start: int
    end: int
    sides: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Columns:
    starts: Sequence[int]
    ends: Sequence[int]
    lefts: Sequence[int]
    tops: Sequence[int]
    rights: Sequence[int]
    bottoms: Sequence[int]


Sides = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]]
"""The left, upper, right and lower sides of words, in units."""


def packed_boxes(starts: Sequence[int], ends: Sequence[int], sides: Sides, *, turn: int = 0) -> str:
    """The boxes of a page's words, in the order of its text, as text: for each word its place in the page's text, and
    its sides on a page that is shown turned clockwise by `turn` quarters. Empty without words, and if one is too far
    from the next for 16 bits."""
    lefts, tops, rights, bottoms = _turned(sides, turn)
    if not starts:
        return ""
    try:
        columns = (
            array("h", map(sub, starts, [0, *ends])),
            array("h", map(sub, ends, starts)),
            array("h", map(sub, lefts, [0, *rights])),
            array("h", map(sub, rights, lefts)),
            array("h", map(sub, tops, [0, *tops])),
            array("h", map(sub, bottoms, tops)),
        )
    except OverflowError:
        return ""
    planes: list[bytes] = []
    for column in columns:
        data = column.tobytes()
        planes += (data[::2], data[1::2])  # most of the upper bytes are alike
    return base64.b64encode(zlib.compress(b"".join(planes), LEVEL)).decode()


def _turned(sides: Sides, turn: int) -> Sides:
    for _ in range(turn):
        left, top, right, bottom = sides
        sides = (_from_end(bottom), left, _from_end(top), right)
    return sides


def _from_end(units: Sequence[int]) -> list[int]:
    return [UNITS - unit for unit in units]


def document_boxes(pages: Iterable[PlacedPage]) -> bytes:
    """The boxes of a document, which `marks_on` reads; empty if no page has any."""
    index: list[list[object]] = []
    parts: list[bytes] = []
    for page in pages:
        try:
            boxes = base64.b64decode(page.boxes, validate=True)
        except (ValueError, TypeError):  # the process that reads files is not trusted
            continue
        if boxes:
            index.append([page.number, page.start, [place for cut in page.cuts for place in cut], len(boxes)])
            parts.append(boxes)
    if not parts:
        return b""
    head = zlib.compress(json.dumps(index, separators=(",", ":")).encode())
    return b"".join((_SIZE.pack(VERSION, len(head)), head, *parts))


def page_starts(boxes: bytes) -> Mapping[int, int]:
    """Where the text of each page that has boxes begins in the document's, by the page's number. Raises BadBoxes."""
    with _reading():
        index, _ = _index(boxes)
        return {number: start for number, start, _, _ in index}


def marks_on(boxes: bytes, page: int, start: int, end: int, breaks: Sequence[int] = ()) -> tuple[PageMark, ...]:
    """What covers the words of the page that stand from `start` up to `end` in the document's text, a rectangle for
    each piece of a line. None goes on over one of the `breaks`, which are places in that text in their order. Raises
    BadBoxes."""
    with _reading():
        found = _page(boxes, page)
    if found is None:
        return ()
    placed, columns = found
    first, last = _within_page(placed, start), _within_page(placed, end)
    chosen = [
        index
        for index, (begin, stop) in enumerate(zip(columns.starts, columns.ends, strict=True))
        if begin < last and stop > first and not _is_cut(placed, begin, stop)
    ]
    words = [
        _Word(
            _in_document(placed, columns.starts[index]),
            _in_document(placed, columns.ends[index]),
            (columns.lefts[index], columns.tops[index], columns.rights[index], columns.bottoms[index]),
        )
        for index in chosen
    ]
    return tuple(_marks(words, breaks))


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, IndexError, struct.error, zlib.error, RecursionError) as error:
        raise BadBoxes(str(error)) from error


def _index(boxes: bytes) -> tuple[list[tuple[int, int, list[int], int]], int]:
    """The number, the start, the cuts and the length of the boxes of each page, and where the boxes begin."""
    version, size = _SIZE.unpack_from(boxes)
    if version != VERSION:
        raise ValueError(f"version {version} of boxes")
    place = _SIZE.size + size
    index = json.loads(_unpacked(boxes[_SIZE.size : place], MOST_INDEX_BYTES))
    return [(int(number), int(start), list(cuts), int(length)) for number, start, cuts, length in index], place


def _page(boxes: bytes, number: int) -> tuple[PlacedPage, _Columns] | None:
    index, place = _index(boxes)
    for its_number, start, cuts, length in index:
        if its_number == number:
            pairs = tuple(zip(cuts[::2], cuts[1::2], strict=True))
            return PlacedPage(number, start, "", pairs), _columns(_unpacked(boxes[place : place + length], MOST_BYTES))
        place += length
    return None


def _unpacked(data: bytes, most: int) -> bytes:
    unpack = zlib.decompressobj()
    said = unpack.decompress(data, most)
    if not unpack.eof:
        raise ValueError("boxes that unpack to too much")
    return said


def _columns(data: bytes) -> _Columns:
    count, rest = divmod(len(data), 2 * _COLUMNS)
    if rest:
        raise ValueError("columns of different lengths")
    numbers = []
    for column in range(_COLUMNS):
        place = 2 * column * count
        pairs = bytearray(2 * count)
        pairs[::2], pairs[1::2] = data[place : place + count], data[place + count : place + 2 * count]
        numbers.append(array("h", bytes(pairs)))
    gaps, lengths, steps, widths, falls, heights = numbers
    ends = list(accumulate(map(add, gaps, lengths)))
    rights = list(accumulate(map(add, steps, widths)))
    tops = list(accumulate(falls))
    return _Columns(
        list(map(sub, ends, lengths)), ends, list(map(sub, rights, widths)), tops, rights, list(map(add, tops, heights))
    )


def _within_page(page: PlacedPage, place: int) -> int:
    """A place of the document's text in the page's own."""
    within = place - page.start
    for start, end in page.cuts:
        if within >= start:
            within += end - start
    return within


def _in_document(page: PlacedPage, within: int) -> int:
    """A place of the page's own text in the document's. What is left out stands where it was cut."""
    place = page.start + within
    for start, end in page.cuts:
        if within > start:
            place -= min(within, end) - start
    return place


def _is_cut(page: PlacedPage, start: int, end: int) -> bool:
    return any(first <= start and end <= last for first, last in page.cuts)


def _marks(words: Iterable[_Word], breaks: Sequence[int]) -> Iterator[PageMark]:
    open_: _Word | None = None
    for word in words:
        if open_ is not None and _goes_on(open_, word, breaks):
            sides = zip((min, min, max, max), open_.sides, word.sides, strict=True)
            left, top, right, bottom = (outer(one, other) for outer, one, other in sides)
            open_ = _Word(open_.start, word.end, (left, top, right, bottom))
            continue
        if open_ is not None:
            yield _mark(open_)
        open_ = word
    if open_ is not None:
        yield _mark(open_)


def _goes_on(open_: _Word, word: _Word, breaks: Sequence[int]) -> bool:
    is_broken = bool(breaks) and bisect_right(breaks, open_.start) != bisect_right(breaks, word.start)
    return not is_broken and _is_same_line(open_.sides, word.sides)


def _is_same_line(one: Sequence[int], other: Sequence[int]) -> bool:
    """A line may run from the top of the page to its bottom, or from there up, and then has tall words."""
    if _follows(one[::2], other[::2], one[1::2], other[1::2]):
        return True
    is_tall = any(box[2] - box[0] < box[3] - box[1] for box in (one, other))
    return is_tall and _follows(one[1::2], other[1::2], one[::2], other[::2])


def _follows(along: Sequence[int], next_: Sequence[int], across: Sequence[int], next_across: Sequence[int]) -> bool:
    """Whether two boxes, from their sides along the line and across it, stand beside each other and are of one size.
    A drop cap is not of the size of its line, and would mark the lines below."""
    low, high = sorted((across[1] - across[0], next_across[1] - next_across[0]))
    overlap = min(across[1], next_across[1]) - max(across[0], next_across[0])
    gap = max(next_[0] - along[1], along[0] - next_[1])
    return overlap > LEAST_OVERLAP * low and high < OTHER_SIZE * low and gap < WIDEST_GAP * low


def _mark(word: _Word) -> PageMark:
    left, top, right, bottom = (round(min(max(side, 0), UNITS) / UNITS, 6) for side in word.sides)
    return PageMark(left, top, right, bottom, word.start, word.end)
