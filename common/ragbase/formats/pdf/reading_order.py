"""The order in which the parts of a page are read: columns from left to right, each from its top to its bottom."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ragbase.formats.pdf.aligned_tables import aligned_table
from ragbase.formats.pdf.columns import Item, text_columns
from ragbase.formats.pdf.lists import with_marks
from ragbase.formats.pdf.rules import Rule
from ragbase.formats.pdf.segments import SAME_LINE, Segment

Flow = list[Item]
"""What is read from top to bottom."""

GUTTER = 0.8
"""The least width of the space between columns, in parts of the font size."""
LOOK_BACK = 24
"""How many lines above the place where columns are noticed may belong to them."""
MAX_DEPTH = 3
"""Of columns in columns."""

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
        aligned = aligned_table(parts, rules, _size(band)) if len(parts) > 1 else None
        if aligned is not None:
            found.append([*_by_lines(aligned.above), aligned.table, *_by_lines(aligned.below)])
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
