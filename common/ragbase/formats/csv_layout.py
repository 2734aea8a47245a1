"""Where the table begins in a file of separated values, and what separates them.

The data decide: how many values the rows have, and how a row differs from those below it. No word is looked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from ragbase.formats.csv_names import likeness_to_names
from ragbase.formats.csv_rows import Dialect, Lines, rows_of
from ragbase.formats.text import LINE_END

DELIMITERS = ",;\t|"
"""In the order in which they are taken where two fit equally well."""

LOOK_ROWS = 200
FITS = 0.5
"""Share of the rows with as many values as the first one, from which on the first one is a row of the table."""

CONSISTENT = 0.75
"""Share of the rows below a header that have as many values as it."""

MIN_COLUMNS = 2
MOST_ABOVE = 30
"""Rows above a header."""

MIN_NAMES = 3
"""A header of words that has fewer names may be a title with a comma in it, if the rows have more values."""

SEPARATOR_LINE = re.compile(r'\ufeff?"?sep=(.|\t)"?[ \t;,]*[\r\n]*\Z', re.IGNORECASE)
"""With this line, a spreadsheet says what separates the values of the rest."""

COMMENT = re.compile(r"\s*(?:#|//|%|!)")
QUOTE_AFTER_BLANK = re.compile(r' +"')

Row = tuple[int, list[str]]
"""The line at which it begins, and its values."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`above` is how many rows stand above the table; `has_names` says whether its first row has the names."""

    dialect: Dialect
    above: int = 0
    has_names: bool = True


def layout_of(lines: Sequence[str], delimiter: str | None = None) -> Layout:
    """The layout of a file that begins with these lines. A delimiter that is None is found, too."""
    dialect, rows = _best(lines, delimiter or DELIMITERS, _fit)
    if _fit(rows)[0] < FITS:
        dialect, rows = _best(lines, delimiter or DELIMITERS, _fit_of_most)
    return _begin(dialect, rows)


def dialect_of(lines: Sequence[str]) -> Dialect:
    """The one that cuts most rows into as many cells as the first one has, and into the most cells."""
    return _best(lines, DELIMITERS, _fit)[0]


def separator_in(line: str) -> str | None:
    """The delimiter that this line names and does nothing else; None if it is any other line."""
    found = SEPARATOR_LINE.match(line)
    return found[1] if found else None


def _best(
    lines: Sequence[str], delimiters: str, fit: Callable[[Sequence[Row]], tuple[float, int]]
) -> tuple[Dialect, list[Row]]:
    """The dialect that fits best, and the first rows in it."""
    delimiters = "".join(one for one in delimiters if any(one in line for line in lines)) or delimiters[0]
    tables = {dialect: _first_rows(lines, dialect) for dialect in map(Dialect, delimiters)}
    best = max(tables, key=lambda dialect: fit(tables[dialect]))
    if any(' "' in line for line in lines) and any(
        QUOTE_AFTER_BLANK.match(value) for _, values in tables[best] for value in values
    ):
        after = {dialect: _first_rows(lines, dialect) for dialect in (Dialect(one, True) for one in delimiters)}
        other = max(after, key=lambda dialect: fit(after[dialect]))
        if fit(after[other])[0] >= fit(tables[best])[0]:
            return other, after[other]
    return best, tables[best]


def _first_rows(lines: Iterable[str], dialect: Dialect) -> list[Row]:
    rows = islice(rows_of(Lines((), iter(lines)), dialect), LOOK_ROWS)
    return [(line, values) for line, values, _ in rows]


def _fit(rows: Sequence[Row]) -> tuple[float, int]:
    widths = [len(values) for _, values in rows]
    if not widths or widths[0] == 1:
        return (0.0, 0)
    return (Counter(widths)[widths[0]] / len(widths), widths[0])


def _fit_of_most(rows: Sequence[Row]) -> tuple[float, int]:
    """As `_fit`, but for the most common of all numbers of values."""
    width = _width(rows)
    return (sum(len(values) == width for _, values in rows) / len(rows), width) if width > 1 else (0.0, 0)


def _width(rows: Sequence[Row]) -> int:
    """How many values most rows have. Rows with one say nothing, if there are others."""
    widths = Counter(len(values) for _, values in rows)
    if len(widths) > 1:
        del widths[1]
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _begin(dialect: Dialect, rows: Sequence[Row]) -> Layout:
    width = _width(rows)
    start = next((place for place, row in enumerate(rows[: MOST_ABOVE + 1]) if _is_row(row[1], width)), None)
    if start is None or (start and start + 1 == len(rows)) or not _is_consistent(rows[start:], width):
        return Layout(dialect)
    first, below = rows[start][1], [values for _, values in rows[start + 1 :]]
    likeness = likeness_to_names(first, below)
    if start == 0:
        later = _names_below_a_gap(rows)
        return Layout(dialect, above=later) if later else Layout(dialect, has_names=likeness >= 0)
    line, above = rows[start - 1]
    is_alone = start == 1 and rows[start][0] - line == 1
    if likeness < 0:
        names = _names_above(rows[: start + 1], below, width)
        if names is not None or is_alone:
            return Layout(dialect, above=names or 0)
    if likeness == 0 and is_alone and abs(len(above) - width) <= 1 and not _is_comment(above):
        is_title = len(above) < MIN_NAMES if _filled(above) > 1 else len(above) == 1 or width >= MIN_NAMES
        return Layout(dialect, above=start if is_title else 0)
    return Layout(dialect, above=start, has_names=likeness >= 0)


def _names_below_a_gap(rows: Sequence[Row]) -> int | None:
    """The place of names that stand below a blank line, under rows that are as wide and have no names of their own."""
    for place in range(1, min(len(rows), MOST_ABOVE + 1)):
        (line, above), (next_line, values) = rows[place - 1], rows[place]
        if next_line - line > 1 + sum(map(_line_ends, above)):
            below = [others for _, others in rows[place + 1 :]]
            block = [others for _, others in rows[1:place]]
            is_table = len(block) > 1 and likeness_to_names(rows[0][1], block) > 0
            return place if not is_table and likeness_to_names(values, below) > 0 else None
    return None


def _line_ends(value: str) -> int:
    return len(LINE_END.findall(value)) if "\n" in value or "\r" in value else 0


def _names_above(rows: Sequence[Row], below: Sequence[Sequence[str]], width: int) -> int | None:
    """The place of the names where the last of these rows is like those below it: names may be one more or one less."""
    places = [
        place for place, (_, values) in enumerate(rows[:-1]) if _filled(values) > 1 and abs(len(values) - width) <= 1
    ]
    surest = (place for place in reversed(places) if likeness_to_names(rows[place][1], below) > 0)
    return next(surest, len(rows) - 2 if len(rows) - 2 in places else None)


def _is_row(values: Sequence[str], width: int) -> bool:
    """Whether it has as many values as most rows, and more than a title that a spreadsheet filled up with blanks. The
    names of the rows themselves often have no name."""
    if len(values) != width or _is_comment(values):
        return False
    return width == 1 or _filled(values) > max(1, width // 2 - 1) or (width == MIN_COLUMNS and not values[0].strip())


def _is_comment(values: Sequence[str]) -> bool:
    return COMMENT.match(values[0]) is not None


def _filled(values: Sequence[str]) -> int:
    return sum(bool(value) and not value.isspace() for value in values)


def _is_consistent(rows: Sequence[Row], width: int) -> bool:
    return sum(len(values) == width for _, values in rows) >= CONSISTENT * len(rows)
