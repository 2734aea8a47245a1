"""Whether a row has the names of the columns below it, by how it differs from them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

ROWS, COLUMNS = 50, 50
"""Rows and columns that are compared."""

ALIKE = 0.8
"""Share of a column's values that are numbers, or dates, in a column of such."""

FEW = 2
"""Columns of words in which a row has what other rows have, too. In one, that may be by chance."""

ASCENDING = 3
"""Numbers that are names: so many that ascend from column to column, as they do in few rows below."""

NUMBER = re.compile(r"[-+(]?[$€£¥₹]?[-+]?(?:\d[\d.,'\u00a0\u202f ]*|\.\d+)(?:[eE][-+]?\d+)?\)?\s?[%€$£¥₽]?")
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d.*)?|\d{4}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?")
PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")


def likeness_to_names(row: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """Above 0 for a row that differs from those below it as names do, below 0 for one that is like them, 0 if nothing
    tells."""
    below = below[:ROWS]
    typed = words = 0
    numbers: list[tuple[int, str]] = []
    for place, cell in enumerate(map(str.strip, row[:COLUMNS])):
        values = [other for values in below if place < len(values) and (other := values[place].strip())]
        if not values or not cell:
            continue
        kind, of_column = _kind(cell), _kind_of(values)
        if of_column is None:
            words -= cell in values
        elif kind is None:
            typed += 1
        elif kind != of_column:
            typed += of_column is NUMBER
        elif PLAIN.fullmatch(cell):
            numbers.append((place, cell))
        else:
            typed -= 1
    typed += len(numbers) if _are_names(numbers, below) else -len(numbers)
    if typed > 0 or (typed == 0 and words > -FEW):
        return typed
    return typed + words


def _kind(cell: str) -> re.Pattern[str] | None:
    """None for words."""
    if cell[0].isalpha():
        return None
    return NUMBER if PLAIN.fullmatch(cell) else next((kind for kind in (DATE, NUMBER) if kind.fullmatch(cell)), None)


def _kind_of(values: Sequence[str]) -> re.Pattern[str] | None:
    kinds = Counter(map(_kind, values))
    return next((kind for kind in (NUMBER, DATE) if kinds[kind] >= ALIKE * len(values)), None)


def _are_names(numbers: Sequence[tuple[int, str]], below: Sequence[Sequence[str]]) -> bool:
    """Whether these numbers of a row are years or other numbers in a sequence, unlike those below them."""
    if not numbers:
        return False
    places, cells = [place for place, _ in numbers], [cell for _, cell in numbers]
    others = [[values[place].strip() for place in places if place < len(values)] for values in below]
    if all(map(YEAR.fullmatch, cells)):
        found = [other for values in others for other in values]
        return 2 * sum(YEAR.fullmatch(other) is not None for other in found) < len(found)
    are_neighbours = places == list(range(places[0], places[0] + len(places)))
    is_sequence = places[0] > 0 or len({float(other) - float(one) for one, other in pairwise(cells)}) == 1
    return (
        len(cells) >= ASCENDING
        and are_neighbours
        and is_sequence
        and _ascend(cells)
        and 2 * sum(map(_ascend, others)) < len(others)
    )


def _ascend(cells: Sequence[str]) -> bool:
    numbers = [float(cell) for cell in cells if PLAIN.fullmatch(cell)]
    return len(numbers) == len(cells) and all(one < other for one, other in pairwise(numbers))
