"""The order in which the parts of a page are read: columns from left to right, each from its top to its bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ragbase.formats.pdf.columns import Item, text_columns
from ragbase.formats.pdf.lists import begins_item, with_marks
from ragbase.formats.pdf.rules import Rule
from ragbase.formats.pdf.segments import SAME_LINE, Segment
from ragbase.formats.pdf.tables import PageTable, cell_text

Flow = list[Item]
"""What is read from top to bottom."""

GUTTER = 0.8
"""The least width of the space between columns, in parts of the font size."""
LOOK_BACK = 24
"""How many lines above the place where columns are noticed may belong to them."""
MAX_DEPTH = 3
"""Of columns in columns."""

PROSE_LINES = 4
PROSE_CHARACTERS = 22
"""A column with lines of this length on average, most of them as long as it is wide, is text rather than cells."""
FULL_LINE = 0.7
LIST_ITEMS = 0.3
"""The part of a list's lines that begin its items, at least."""
MAX_COLUMNS = 40
NEARLY = 0.01

Interval = tuple[float, float]


def flows(items: Sequence[Item], rules: Sequence[Rule], depth: int = 0) -> list[Flow]:
    if not items:
        return []
    size = _size(items)
    found: list[Flow] = []
    regions = text_columns(items, size) if depth < MAX_DEPTH else None
    if regions is not None:
        for region in regions:
            for part in region.parts:
                found += flows(part, rules, depth + 1)
        return _joined(found)
    ordered = sorted(with_marks(items), key=lambda item: (item.top, item.left))
    width = GUTTER * size
    for band in (part for whole in _bands(ordered, width) for part in _cut_below_columns(whole, width)):
        gutters = _gutters(band, width)
        parts = _parts(band, gutters) if gutters else [band]
        table = _aligned_table(band, parts, rules) if len(parts) > 1 else None
        if table is not None:
            found += table
        elif len(parts) > 1 and min(map(len, parts)) > 1 and depth < MAX_DEPTH:
            for part in parts:
                found += flows(part, rules, depth + 1)
        else:
            found.append(_by_lines(band))
    return _joined(found)


def _size(items: Sequence[Item]) -> float:
    sizes = [item.size for item in items if isinstance(item, Segment)]
    return median(sizes) if sizes else 10.0


def _bands(items: list[Item], width: float) -> list[list[Item]]:
    """The parts of a region, from top to bottom, each of which has the same columns all through, or none."""
    low, high = min(item.left for item in items), max(item.right for item in items)
    bands: list[list[Item]] = []
    band = _Band((low, high), width)
    for item in items:
        free = _without(band.free, item, width)
        still = band.items and band.between(free, item)
        start = len(band.items)
        if not band.columns and not still and band.items and item.top < band.items[-1].bottom:
            start = _columns_begin(band.items, item, (low, high), width)
        if band.items and (start < len(band.items) or (band.columns and not still) or not free):
            taken = band.items[start:]
            del band.items[start:]
            if band.items:
                bands.append(band.items)
            band = _Band((low, high), width)
            for other in taken:
                band.add(other)
        band.add(item)
    return [*bands, band.items]


class _Band:
    """Items from top to bottom, and what is free beside all of them."""

    def __init__(self, region: Interval, width: float) -> None:
        self.items: list[Item] = []
        self.free = [region]
        self.columns = False
        self._width = width
        self._first, self._last = float("inf"), float("-inf")

    def add(self, item: Item) -> None:
        self.items.append(item)
        self.free = _without(self.free, item, self._width)
        self._first, self._last = min(self._first, item.right), max(self._last, item.left)
        self.columns = bool(_inside(self.free, self._first, self._last))

    def between(self, free: list[Interval], item: Item) -> bool:
        """Whether one of these free intervals would have items on both sides if `item` came."""
        return bool(_inside(free, min(self._first, item.right), max(self._last, item.left)))


def _cut_below_columns(band: list[Item], width: float) -> list[list[Item]]:
    """The band, cut where one of its columns ends and a space goes through the others: what follows is not theirs."""
    parts = _parts(band, _gutters(band, width))
    if len(parts) < 2:
        return [band]
    ends = sorted(max(item.bottom for item in part) for part in parts)
    for end in ends[:-1]:
        above = [item for item in band if item.top < end]
        below = [item for item in band if item.top >= end]
        if below and min(item.top for item in below) - max(item.bottom for item in above) > width:
            return [above, *_cut_below_columns(below, width)]
    return [band]


def _columns_begin(band: list[Item], item: Item, region: Interval, width: float) -> int:
    """Where in `band` columns begin of which `item` is a part; its length if there are none."""
    free = _without([region], item, width)
    begin = len(band)
    taken = [item]
    for index in range(len(band) - 1, max(len(band) - LOOK_BACK, 0) - 1, -1):
        free = _without(free, band[index], width)
        taken.append(band[index])
        if not free:
            break
        if any(_has_two_on_both_sides(taken, gutter) for gutter in _between(free, taken)):
            begin = index
    return begin


def _has_two_on_both_sides(items: list[Item], gutter: Interval) -> bool:
    start, end = gutter
    return (
        sum(item.right <= start + NEARLY for item in items) > 1 and sum(item.left >= end - NEARLY for item in items) > 1
    )


def _without(free: list[Interval], item: Item, width: float) -> list[Interval]:
    rest: list[Interval] = []
    for start, end in free:
        if item.right <= start or item.left >= end:
            rest.append((start, end))
            continue
        if item.left - start >= width:
            rest.append((start, item.left))
        if end - item.right >= width:
            rest.append((item.right, end))
    return rest


def _inside(free: list[Interval], first: float, last: float) -> list[Interval]:
    """Those of the free intervals that are between where a first item ends and a last one begins."""
    return [(start, end) for start, end in free if start >= first - NEARLY and end <= last + NEARLY]


def _between(free: list[Interval], items: list[Item]) -> list[Interval]:
    """Those of the free intervals that have items on both sides."""
    return _inside(free, min(item.right for item in items), max(item.left for item in items)) if free else []


def _gutters(band: list[Item], width: float) -> list[Interval]:
    free: list[Interval] = [(min(item.left for item in band), max(item.right for item in band))]
    for item in band:
        free = _without(free, item, width)
    return _between(free, band)


def _parts(band: list[Item], gutters: list[Interval]) -> list[list[Item]]:
    middles = [(start + end) / 2 for start, end in gutters]
    parts: list[list[Item]] = [[] for _ in range(len(middles) + 1)]
    for item in band:
        parts[sum(item.left > middle for middle in middles)].append(item)
    return [part for part in parts if part]


def _by_lines(band: list[Item]) -> Flow:
    """From top to bottom, and from left to right on each line."""
    ordered: Flow = []
    line: list[Item] = []
    for item in sorted(band, key=_foot):
        if line and _foot(item) - _foot(line[0]) > SAME_LINE * _size([item]):
            ordered += sorted(line, key=lambda piece: piece.left)
            line = []
        line.append(item)
    return ordered + sorted(line, key=lambda piece: piece.left)


def _foot(item: Item) -> float:
    return item.baseline if isinstance(item, Segment) else item.bottom


def _joined(found: list[Flow]) -> list[Flow]:
    """Flows below each other that begin at the same place are one: a long line ended the first, for example."""
    joined: list[Flow] = []
    for flow in found:
        if joined and flow[0].top >= max(item.top for item in joined[-1][-3:]):
            joined[-1] = joined[-1] + flow
        else:
            joined.append(flow)
    return joined


@dataclass(slots=True)
class _Line:
    baseline: float
    cells: dict[int, list[Segment]]


def _aligned_table(band: list[Item], parts: list[list[Item]], rules: Sequence[Rule]) -> list[Flow] | None:
    """The band as a table, with what is above and below its rows; None if its parts are columns of text."""
    if len(parts) > MAX_COLUMNS or any(isinstance(item, PageTable) for item in band) or sum(map(_is_list, parts)) > 1:
        return None
    lines = _lines(parts)
    full = [index for index, line in enumerate(lines) if len(line.cells) > 1]
    if len(full) < 2:
        return None
    prose = sum(map(_is_prose, parts))
    first, last = full[0], full[-1]
    while last + 1 < len(lines) and lines[last + 1].baseline - lines[last].baseline < 1.4 * _size(band):
        last += 1
    inside = lines[first : last + 1]
    if prose >= 2 or len(full) < (0.3 if prose else 0.5) * len(inside) or (prose and len(full) < 3):
        return None
    if prose and len(parts) == 2 and not _labels(parts, inside):
        return None
    rows = _rows(inside, len(parts), rules, _size(band))
    if len(rows) < 2:
        return None
    segments = _segments(inside)
    table = PageTable(
        rows,
        min(segment.left for segment in segments),
        max(segment.right for segment in segments),
        min(segment.top for segment in segments),
        max(segment.bottom for segment in segments),
    )
    return [[*_by_lines(_segments(lines[:first])), table, *_by_lines(_segments(lines[last + 1 :]))]]


def _segments(lines: Sequence[_Line]) -> list[Item]:
    return [segment for line in lines for cell in line.cells.values() for segment in cell]


def _is_prose(part: list[Item]) -> bool:
    segments = [item for item in part if isinstance(item, Segment)]
    if len(segments) < PROSE_LINES:
        return False
    left, right = min(s.left for s in segments), max(s.right for s in segments)
    long = sum(segment.right - segment.left > FULL_LINE * (right - left) for segment in segments)
    letters = sum(len(word.text) + 1 for segment in segments for word in segment.words)
    return long >= 0.6 * len(segments) and letters >= PROSE_CHARACTERS * len(segments)


def _is_list(part: list[Item]) -> bool:
    return sum(isinstance(item, Segment) and begins_item(item) for item in part) >= LIST_ITEMS * len(part)


def _labels(parts: list[list[Item]], lines: list[_Line]) -> bool:
    """Whether each line of the column that is no prose begins a row of the other."""
    labels = next((index for index, part in enumerate(parts) if not _is_prose(part)), 0)
    own = [line for line in lines if labels in line.cells]
    return sum(len(line.cells) > 1 for line in own) >= 0.8 * len(own)


def _lines(parts: list[list[Item]]) -> list[_Line]:
    segments = sorted(
        ((item, column) for column, part in enumerate(parts) for item in part if isinstance(item, Segment)),
        key=lambda pair: pair[0].baseline,
    )
    lines: list[_Line] = []
    for segment, column in segments:
        if not lines or segment.baseline - lines[-1].baseline > SAME_LINE * segment.size:
            lines.append(_Line(segment.baseline, {}))
        lines[-1].cells.setdefault(column, []).append(segment)
    return lines


def _rows(lines: list[_Line], columns: int, rules: Sequence[Rule], size: float) -> list[list[str]]:
    """A row for each line; or for all lines between two rules; a line without its first cell goes on with the row."""
    top, bottom = lines[0].baseline, lines[-1].baseline
    cuts = sorted({round(rule.at) for rule in rules if top < rule.at < bottom})
    by_rules = len(cuts) >= 2 and len(lines) > len(cuts) + 1
    groups: list[list[_Line]] = []
    for line in lines:
        before = groups[-1][-1] if groups else None
        if before is None:
            new = True
        elif by_rules:
            new = any(before.baseline <= cut < line.baseline for cut in cuts)
        else:
            new = 0 in line.cells or line.baseline - before.baseline > 1.6 * size
        if new:
            groups.append([line])
        else:
            groups[-1].append(line)
    return [
        [cell_text([s for line in group for s in line.cells.get(column, [])]) for column in range(columns)]
        for group in groups
    ]
