"""Tables without rules: cells that only stand below and beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragbase.formats.pdf.columns import Item
from ragbase.formats.pdf.lists import begins_item
from ragbase.formats.pdf.rules import Rule
from ragbase.formats.pdf.segments import SAME_LINE, Segment
from ragbase.formats.pdf.tables import PageTable, cell_text

PROSE_LINES = 4
PROSE_CHARACTERS = 22
"""A column with lines of this length on average, most of them as long as it is wide, is text rather than cells."""
FULL_LINE = 0.7
LIST_ITEMS = 0.3
"""The part of a list's lines that begin its items, at least."""
MAX_COLUMNS = 40


@dataclass(frozen=True, slots=True)
class AlignedTable:
    """A table, and what is above and below its rows."""

    above: list[Item]
    table: PageTable
    below: list[Item]


@dataclass(slots=True)
class _Line:
    baseline: float
    cells: dict[int, list[Segment]]


def aligned_table(parts: list[list[Item]], rules: Sequence[Rule], size: float) -> AlignedTable | None:
    """The table whose columns these parts are; None if they are columns of text."""
    is_not_text = any(isinstance(item, PageTable) for part in parts for item in part)
    if len(parts) > MAX_COLUMNS or is_not_text or sum(map(_is_list, parts)) > 1:
        return None
    lines = _lines(parts)
    full = [index for index, line in enumerate(lines) if len(line.cells) > 1]
    if len(full) < 2:
        return None
    prose = sum(map(_is_prose, parts))
    first, last = full[0], full[-1]
    while last + 1 < len(lines) and lines[last + 1].baseline - lines[last].baseline < 1.4 * size:
        last += 1
    inside = lines[first : last + 1]
    if prose >= 2 or len(full) < (0.3 if prose else 0.5) * len(inside) or (prose and len(full) < 3):
        return None
    if prose and len(parts) == 2 and not _labels(parts, inside):
        return None
    rows = _rows(inside, len(parts), rules, size)
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
    return AlignedTable(_segments(lines[:first]), table, _segments(lines[last + 1 :]))


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
