"""Tables of a page: those with rules, and those whose cells only stand below each other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragbase.formats.pdf.rules import Rule
from ragbase.formats.pdf.segments import Segment, segments_of
from ragbase.formats.pdf.words import Word
from ragbase.formats.pdf.written import joined

TOUCH = 3.0
"""Points. Rules that are so near meet."""
MAX_CELLS = 20_000
FILLED = 0.3
"""The part of a table's cells that have text, at least."""
FILLED_WITH_MERGED = 0.4
"""The same where cells are merged. Each place but one of a merged cell counts as empty: what charts and diagrams draw
makes large cells of many shapes, and little of them has text."""
NO_RECTANGLE = 0.05
"""The part of the letters that may stand in cells of other shapes, as a missing rule makes them."""


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
    words: Sequence[Word], horizontal: Sequence[Rule], vertical: Sequence[Rule]
) -> tuple[list[PageTable], Sequence[Word]]:
    """The tables whose cells have rules around them, and the words that are in none."""
    tables = []
    for grid in _grids(_joined(horizontal), _joined(vertical)):
        left, right, top, bottom = grid.xs[0], grid.xs[-1], grid.ys[0], grid.ys[-1]
        inside: list[Word] = []
        outside: list[Word] = []
        for word in words:
            within = left - 1 <= (word.left + word.right) / 2 <= right + 1 and top <= word.baseline - 1 <= bottom + 1
            (inside if within else outside).append(word)
        rows = _rows(_cells(grid, inside)) if inside else None
        if rows is not None:
            tables.append(PageTable(rows, left, right, top, bottom))
            words = outside
    return tables, words


def _rows(cells: list[_Cell]) -> list[list[str]] | None:
    """The rows of a table, without those and without columns in which no text begins. A merged cell's text stands in
    its first place alone. None if the cells are those of a drawing."""
    filled = [cell for cell in cells if cell.words]
    rows, columns = sorted({cell.row for cell in filled}), sorted({cell.column for cell in filled})
    written = [[""] * len(columns) for _ in rows]
    for cell in filled:
        text = cell_text(segments_of(cell.words))
        written[bisect_left(rows, cell.row)][bisect_left(columns, cell.column)] = text
    places = len(rows) * len(columns)
    merged = any(cell.spans_more_than_one_of(rows, columns) for cell in cells)
    beside = Counter(
        row for cell in filled for row in rows[bisect_left(rows, cell.row) : bisect_right(rows, cell.last_row)]
    )
    full_rows = sum(count >= 2 for count in beside.values())
    if len(columns) < 2 or full_rows < 2 or len(filled) < (FILLED_WITH_MERGED if merged else FILLED) * places:
        return None
    if _letters(cell for cell in filled if not cell.is_rectangle) > NO_RECTANGLE * _letters(filled):
        return None
    return written


def _letters(cells: Iterable[_Cell]) -> int:
    return sum(len(word.text) for cell in cells for word in cell.words)


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


@dataclass(slots=True)
class _Cell:
    """Places of a grid without a rule between them, from its first row and column to its last."""

    row: int
    column: int
    last_row: int
    last_column: int
    places: int
    words: list[Word]

    @property
    def is_rectangle(self) -> bool:
        return self.places == (self.last_row - self.row + 1) * (self.last_column - self.column + 1)

    def spans_more_than_one_of(self, rows: Sequence[int], columns: Sequence[int]) -> bool:
        across = bisect_right(columns, self.last_column) - bisect_left(columns, self.column)
        down = bisect_right(rows, self.last_row) - bisect_left(rows, self.row)
        return across * down > 1


def _cells(grid: _Grid, words: list[Word]) -> list[_Cell]:
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
    cells: dict[int, _Cell] = {}
    for row in range(height):
        for column in range(width):
            cell = cells.setdefault(groups.of(row * width + column), _Cell(row, column, row, column, 0, []))
            cell.column = min(cell.column, column)
            cell.last_row, cell.last_column = row, max(cell.last_column, column)
            cell.places += 1
    for word in words:
        column = min(max(bisect_right(xs, (word.left + word.right) / 2) - 1, 0), width - 1)
        row = min(max(bisect_right(ys, word.baseline - 0.3 * word.style.size) - 1, 0), height - 1)
        cells[groups.of(row * width + column)].words.append(word)
    return list(cells.values())


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


def cell_text(segments: list[Segment]) -> str:
    lines: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda segment: segment.baseline):
        if lines and segment.baseline - lines[-1][0].baseline < 0.35 * segment.size:
            lines[-1].append(segment)
        else:
            lines.append([segment])
    return joined(" ", [piece.text for line in lines for piece in sorted(line, key=lambda piece: piece.left)])
