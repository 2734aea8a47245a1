"""The rows of a file of separated values, as its lines give them."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MAX_CELL = csv.field_size_limit()
"""Characters. A cell that is longer began, most likely, with a quotation mark that nothing closes."""

MAX_UNCLOSED = 100
"""Rows with such a mark after which quotation marks are characters like others in the rest of the file: each of them
costs a look at MAX_CELL characters."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the values of a row are separated. `has_blanks` says that blanks follow the delimiter, so that a quotation
    mark behind them opens a cell, too."""

    delimiter: str
    has_blanks: bool = False


class Lines:
    """Lines that can be taken back, and the number of the one that comes next."""

    def __init__(self, ahead: Iterable[str], rest: Iterator[str]) -> None:
        self._ahead, self._rest = deque(ahead), rest
        self.next = 1
        self.taken: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._ahead.popleft() if self._ahead else next(self._rest)
        self.taken.append(line)
        self.next += 1
        return line

    def take_back(self) -> str:
        """All lines since the last row but the first of them, which is returned."""
        self._ahead.extendleft(reversed(self.taken[1:]))
        self.next -= len(self.taken) - 1
        return self.taken[0]


def rows_of(lines: Lines, dialect: Dialect) -> Iterator[tuple[int, list[str], str | None]]:
    """The line at which each row begins, its values, and what is wrong with it. Blank lines are no rows."""
    delimiter, has_blanks = dialect.delimiter, dialect.has_blanks
    unclosed = 0
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=has_blanks, strict=True)
    while True:
        lines.taken.clear()
        start = lines.next
        problem = None
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            unclosed += len(lines.taken) > 1
            line = lines.take_back()
            values = line.rstrip("\r\n").split(delimiter)
            problem = f"its quotation marks are wrong, or a cell is over {MAX_CELL} characters ({error})"
            if unclosed > MAX_UNCLOSED:
                reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
            else:
                reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=has_blanks, strict=True)
        if any(value and not value.isspace() for value in values):
            yield start, values, problem
