"""Columns of text: white goes down between them, with whole lines of text on both sides.

They are found by what all of their lines have in common, and not line by line from the top: a short heading over one
column, or a line that ends early, says nothing about where the columns are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import TypeVar

from ragbase.formats.pdf.document_facts import HEADING_RATIO
from ragbase.formats.pdf.right_to_left import is_right_to_left
from ragbase.formats.pdf.segments import Segment
from ragbase.formats.pdf.tables import PageTable

Item = Segment | PageTable
Thing = TypeVar("Thing")

LINES = 4
"""The least number of lines of text in a column."""
LINE_CHARACTERS = 22
"""What lines of text have on average; those of a table's cells have fewer."""
SHORT_LINE = 12
"""Characters. What is shorter does not tell where a column begins."""
FULL_LINE = 0.7
"""A line of so much of the column's width goes on in the next, as lines of text do."""
FULL_LINES = 0.6
"""The part of a column's lines that are full."""
ALIGNED_LETTERS = 0.3
"""The part of the letters of a side that its aligned lines have, at least."""
BESIDE = 3
"""How many lines of each column stand beside the other, at least."""
ALIGNED = 2.0
"""Points that the beginnings of a column's lines may differ by."""
WHITE = 0.5
"""The least width of the white between columns, in parts of the font size."""
MAX_EDGES = 8
"""How many beginnings of columns are tried, those of the most lines first."""
APART = 1.2
"""White of this height, in parts of the font size, parts a title from columns, though it is no wider than one."""
FAR_APART = 2.5
"""White of this height through both columns parts running lines from them."""
RUNNING_ITEMS = 4
"""As many pieces of lines may be beyond it."""


@dataclass(frozen=True, slots=True)
class Region:
    """What stands between two heights of a page: one part, or columns in the order of reading."""

    parts: tuple[list[Item], ...]


@dataclass(frozen=True, slots=True)
class _Column:
    """What is on one side of the white, and the lines of text there that begin at one place."""

    items: list[Item]
    lines: list[Segment]

    @classmethod
    def of(cls, items: list[Item]) -> _Column:
        lines = [item for item in items if isinstance(item, Segment) and len(item.text) >= SHORT_LINE]
        return cls(items, max(_aligned(lines, attrgetter("left")), key=len, default=[]))

    def is_text(self) -> bool:
        if len(self.lines) < LINES:
            return False
        left, right = self.lines[0].left, max(line.right for line in self.lines)
        full = sum(line.right - left >= FULL_LINE * (right - left) for line in self.lines)
        letters = _letters(self.lines)
        return (
            full >= FULL_LINES * len(self.lines)
            and letters >= LINE_CHARACTERS * len(self.lines)
            and letters >= ALIGNED_LETTERS * _letters(self.items)
        )

    def is_beside(self, other: _Column) -> bool:
        top, bottom = min(line.top for line in other.lines), max(line.bottom for line in other.lines)
        return sum(top <= line.baseline <= bottom for line in self.lines) >= BESIDE


def text_columns(items: Sequence[Item], size: float) -> list[Region] | None:
    """The regions from top to bottom, some of which have two columns; None if there are no columns of text. A column
    may have columns inside."""
    found: list[Region] | None = None
    most = 0
    whites = _whites(items, WHITE * size)
    edges = _edges(items, whites)
    pieces = _cut_at(edges, items, whites) if edges and whites else items
    for edge in edges:
        regions, lines = _divided(pieces, edge, size)
        if lines > most:
            found, most = regions, lines
    return found


def _whites(items: Iterable[Item], width: float) -> dict[int, list[int]]:
    """The lines in which words stand so far apart that columns may part there, by their `id`, with the words before
    which they do. Columns that are close to each other look like one line, but no command draws in both. A line that
    has wide spaces only is stretched."""
    whites: dict[int, list[int]] = {}
    for item in items:
        if not isinstance(item, Segment) or item.words[0].drawn == item.words[-1].drawn:
            continue
        before = item.words[0]
        found = []
        for index, word in enumerate(item.words):
            if word.left - before.right >= width and word.drawn != before.drawn and not word.style.monospaced:
                found.append(index)
            before = word
        if found and 2 * len(found) < len(item.words):
            whites[id(item)] = found
    return whites


def _edges(items: Iterable[Item], whites: Mapping[int, Sequence[int]]) -> list[float]:
    """Where many lines begin, and many end before."""
    lines = [item for item in items if isinstance(item, Segment) and len(item.text) >= SHORT_LINE]
    if len(lines) < 2 * LINES and not whites:
        return []
    lefts = [line.left for line in lines]
    lefts += [line.words[index].left for line in lines for index in whites.get(id(line), ())]
    groups = [group for group in _aligned(lefts, float) if len(group) >= LINES]
    groups.sort(key=len, reverse=True)
    ends = sorted(line.words[whites[id(line)][0] - 1].right if id(line) in whites else line.right for line in lines)
    return [edge for group in groups[: MAX_EDGES + 1] if bisect_right(ends, edge := group[0]) >= LINES]


def _cut_at(edges: Sequence[float], items: Iterable[Item], whites: Mapping[int, Sequence[int]]) -> list[Item]:
    cut: list[Item] = []
    for item in items:
        if not isinstance(item, Segment) or id(item) not in whites:
            cut.append(item)
            continue
        words, begin = item.words, 0
        for index in whites[id(item)]:
            if any(abs(words[index].left - edge) <= ALIGNED for edge in edges):
                cut.append(Segment.of(words[begin:index]))
                begin = index
        cut.append(Segment.of(words[begin:]) if begin else item)
    return cut


def _aligned(things: Iterable[Thing], left: Callable[[Thing], float]) -> list[list[Thing]]:
    """In groups that begin at one place."""
    groups: list[list[Thing]] = []
    for thing in sorted(things, key=left):
        if groups and left(thing) - left(groups[-1][0]) <= ALIGNED:
            groups[-1].append(thing)
        else:
            groups.append([thing])
    return groups


def _letters(items: Iterable[Item]) -> int:
    return sum(len(word.text) + 1 for item in items if isinstance(item, Segment) for word in item.words)


def _divided(items: Sequence[Item], edge: float, size: float) -> tuple[list[Region], int]:
    """The regions that white before `edge` divides into columns, those between them, and how many lines columns have.
    What goes through the white ends the columns."""
    across = [item for item in items if item.left < edge - ALIGNED and item.right > edge - WHITE * size]
    blocks = _heights(across)
    tops = [top for top, _ in blocks]
    stretches: list[list[Item]] = [[] for _ in range(2 * len(blocks) + 1)]  # those of odd index go through the white
    for item in items:
        middle = (item.top + item.bottom) / 2
        above = bisect_right(tops, middle)
        inside = above > 0 and middle <= blocks[above - 1][1]
        stretches[2 * above - inside].append(item)
    regions: list[Region] = []
    rest: list[Item] = []
    count = 0
    for index, stretch in enumerate(stretches):
        before, columns, after = ([], None, []) if index % 2 else _columns(stretch, edge, size)
        if columns is None:
            rest += stretch
            continue
        rest += before
        regions += [Region((rest,))] if rest else []
        regions.append(Region(_in_order(columns)))
        rest = after
        count += sum(len(column.lines) for column in columns)
    return ([*regions, Region((rest,))] if rest else regions), count


def _heights(items: Iterable[Item]) -> list[tuple[float, float]]:
    """The heights, from top to bottom, that the items take."""
    heights: list[tuple[float, float]] = []
    for item in sorted(items, key=attrgetter("top")):
        if heights and item.top <= heights[-1][1]:
            heights[-1] = (heights[-1][0], max(heights[-1][1], item.bottom))
        else:
            heights.append((item.top, item.bottom))
    return heights


def _columns(
    items: list[Item], edge: float, size: float
) -> tuple[list[Item], tuple[_Column, _Column] | None, list[Item]]:
    """The columns on both sides of the white before `edge`, and the running lines above and below them."""
    if len(items) < 2 * LINES:
        return [], None, []
    above, items, below = _running(items, edge, size)
    left = _Column.of([item for item in items if item.left < edge - ALIGNED])
    right = _Column.of([item for item in items if item.left >= edge - ALIGNED])
    if left.is_text() and right.is_text() and left.is_beside(right) and right.is_beside(left):
        return above, (left, right), below
    return [], None, []


def _running(items: list[Item], edge: float, size: float) -> tuple[list[Item], list[Item], list[Item]]:
    """What much white divides from the columns: a title or running lines above, the columns, and what is below."""
    heights = _heights(items)
    whites = [(upper, lower) for (_, upper), (lower, _) in pairwise(heights) if lower - upper > APART * size]
    above: list[Item] = []
    below: list[Item] = []
    for upper, lower in whites:
        over = [item for item in items if item.bottom <= upper]
        if len(over) > RUNNING_ITEMS:
            break
        is_title = all(item.left >= edge - ALIGNED for item in over)  # what is on the left is read first anyway
        if is_title or (lower - upper > FAR_APART * size and not _are_headings(over, edge, size)):
            above = over
    for upper, lower in reversed(whites):
        under = [item for item in items if item.top >= lower]
        if len(under) > RUNNING_ITEMS:
            break
        if lower - upper > FAR_APART * size:
            below = under
    apart = {id(item) for item in (*above, *below)}
    return above, [item for item in items if id(item) not in apart] if apart else items, below


def _are_headings(items: list[Item], edge: float, size: float) -> bool:
    """Whether each of two columns begins with one of them."""
    on_both_sides = {item.left < edge - ALIGNED for item in items} == {True, False}
    return on_both_sides and all(
        isinstance(item, Segment) and (item.bold or item.size > HEADING_RATIO * size) for item in items
    )


def _in_order(columns: tuple[_Column, _Column]) -> tuple[list[Item], ...]:
    """From left to right, or from right to left where the text is written so."""
    lines = [line for column in columns for line in column.lines]
    backwards = sum(is_right_to_left([word.text for word in line.words]) for line in lines) > len(lines) / 2
    left, right = (column.items for column in columns)
    return (right, left) if backwards else (left, right)
