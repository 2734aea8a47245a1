"""Tables of a page: those with rules, and those whose cells only stand below each other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ragbase.formats.pdf.rules import Rule
from ragbase.formats.pdf.segments import Segment, segments_of
from ragbase.formats.pdf.words import Word

TOUCH = 3.0
"""Points. Rules that are so near meet."""
LONGEST_REPEATED = 60
"""Characters. A merged cell's text stands in each column and row that it spans, unless it is longer."""
MAX_CELLS = 20_000


@dataclass(slots=True)
class PageTable:
    """Rows of cells, and the part of the page that they take."""

    rows: list[list[str]]
    left: float
    right: float
    top: float
    bottom: float


@dataclass(slots=True)
class _Grid:
    xs: list[float]
    ys: list[float]
    horizontal: list[Rule]
    vertical: list[Rule]


def ruled_tables(
    words: list[Word], horizontal: Sequence[Rule], vertical: Sequence[Rule]
) -> tuple[list[PageTable], list[Word]]:
    """The tables whose cells have rules around them, and the words that are in none."""
    tables = []
    for grid in _grids(_joined(horizontal), _joined(vertical)):
        left, right, top, bottom = grid.xs[0], grid.xs[-1], grid.ys[0], grid.ys[-1]
        inside: list[Word] = []
        outside: list[Word] = []
        for word in words:
            within = left - 1 <= (word.left + word.right) / 2 <= right + 1 and top <= word.baseline - 1 <= bottom + 1
            (inside if within else outside).append(word)
        rows = _cells(grid, inside) if inside else []
        if _is_table(rows):
            tables.append(PageTable(rows, left, right, top, bottom))
            words = outside
    return tables, words


def _is_table(rows: list[list[str]]) -> bool:
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    filled = sum(bool(cell) for row in rows for cell in row)
    columns = sum(any(row[column] for row in rows) for column in range(len(rows[0])))
    full_rows = sum(sum(map(bool, row)) >= 2 for row in rows)
    return columns >= 2 and full_rows >= 2 and filled >= 0.3 * len(rows) * len(rows[0])


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """Rules of one line that touch each other, made one."""
    joined: list[Rule] = []
    for rule in _by_line(rules):
        last = joined[-1] if joined else None
        if last is not None and abs(last.at - rule.at) < 1e-6 and rule.start <= last.end + TOUCH:
            joined[-1] = Rule(last.at, last.start, max(last.end, rule.end))
        else:
            joined.append(rule)
    return joined


def _by_line(rules: Sequence[Rule]) -> list[Rule]:
    """In order of their lines, with rules that are almost on one line put on one."""
    snapped = []
    at = float("-inf")
    for rule in sorted(rules, key=lambda rule: rule.at):
        if rule.at - at > TOUCH / 2:
            at = rule.at
        snapped.append(Rule(at, rule.start, rule.end))
    return sorted(snapped, key=lambda rule: (rule.at, rule.start))


def _grids(horizontal: list[Rule], vertical: list[Rule]) -> list[_Grid]:
    """The groups of rules that cross each other."""
    if not horizontal or not vertical:
        return []
    groups = _Groups(len(horizontal) + len(vertical))
    heights = [rule.at for rule in horizontal]
    for index, rule in enumerate(vertical):
        first, last = bisect_right(heights, rule.start - TOUCH), bisect_right(heights, rule.end + TOUCH)
        for other in range(first, last):
            if horizontal[other].start - TOUCH <= rule.at <= horizontal[other].end + TOUCH:
                groups.join(other, len(horizontal) + index)
    members: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate([*horizontal, *vertical]):
        members.setdefault(groups.of(index), ([], []))[index >= len(horizontal)].append(rule)
    grids = []
    for across, down in members.values():
        if len(across) < 2 or not down:
            continue
        xs = _distinct([rule.at for rule in down] + [min(r.start for r in across), max(r.end for r in across)])
        ys = _distinct([rule.at for rule in across] + [min(r.start for r in down), max(r.end for r in down)])
        if len(xs) > 2 and len(ys) > 2 and len(xs) * len(ys) <= MAX_CELLS:
            grids.append(_Grid(xs, ys, across, down))
    return grids


class _Groups:
    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def of(self, index: int) -> int:
        while self._above[index] != index:
            self._above[index] = self._above[self._above[index]]
            index = self._above[index]
        return index

    def join(self, one: int, other: int) -> None:
        self._above[self.of(one)] = self.of(other)


def _distinct(values: list[float]) -> list[float]:
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > TOUCH:
            distinct.append(value)
    return distinct


def _cells(grid: _Grid, words: list[Word]) -> list[list[str]]:
    xs, ys = grid.xs, grid.ys
    width, height = len(xs) - 1, len(ys) - 1
    groups = _Groups(width * height)
    walls, floors = _at(grid.vertical), _at(grid.horizontal)
    for row in range(height):
        for column in range(width):
            here = row * width + column
            if column + 1 < width and not _covered(walls, xs[column + 1], (ys[row] + ys[row + 1]) / 2):
                groups.join(here + 1, here)
            if row + 1 < height and not _covered(floors, ys[row + 1], (xs[column] + xs[column + 1]) / 2):
                groups.join(here + width, here)
    contents: dict[int, list[Word]] = {}
    for word in words:
        column = min(max(bisect_right(xs, (word.left + word.right) / 2) - 1, 0), width - 1)
        row = min(max(bisect_right(ys, word.baseline - 0.3 * word.style.size) - 1, 0), height - 1)
        contents.setdefault(groups.of(row * width + column), []).append(word)
    texts = {key: cell_text(segments_of(inside)) for key, inside in contents.items()}
    rows, written = [], set()
    for row in range(height):
        cells = []
        for column in range(width):
            key = groups.of(row * width + column)
            text = texts.get(key, "")
            cells.append("" if key in written and len(text) > LONGEST_REPEATED else text)
            written.add(key)
        rows.append(cells)
    return _without_empty(rows)


def _at(rules: list[Rule]) -> dict[int, list[Rule]]:
    found: dict[int, list[Rule]] = {}
    for rule in rules:
        found.setdefault(round(rule.at / TOUCH), []).append(rule)
    return found


def _covered(rules: dict[int, list[Rule]], at: float, middle: float) -> bool:
    place = round(at / TOUCH)
    return any(
        abs(rule.at - at) <= TOUCH and rule.start - TOUCH <= middle <= rule.end + TOUCH
        for key in (place - 1, place, place + 1)
        for rule in rules.get(key, ())
    )


def _without_empty(rows: list[list[str]]) -> list[list[str]]:
    """Without rows and columns that have no text, as two rules beside each other make them."""
    rows = [row for row in rows if any(row)]
    if not rows:
        return []
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    rows = [[row[column] for column in kept] for row in rows]
    return [row for index, row in enumerate(rows) if index == 0 or row != rows[index - 1] or len(set(row)) > 1]


def cell_text(segments: list[Segment]) -> str:
    lines: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda segment: segment.baseline):
        if lines and segment.baseline - lines[-1][0].baseline < 0.35 * segment.size:
            lines[-1].append(segment)
        else:
            lines.append([segment])
    return " ".join(piece.text for line in lines for piece in sorted(line, key=lambda piece: piece.left))
