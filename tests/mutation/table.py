"""A mutant, and the table of them. This file imports only the standard library: tests/mutation/draw.py needs it, too,
and runs in an environment of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

DRAWN = "drawn"
"""The result of a mutant that was not tried yet."""
NOT_REACHED = "not reached"
"""No test that ran for the coverage executes the line in its own process."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed line: the `nth` line of `file` (from 0) that equals `before` becomes `after`. Line numbers move with
    every edit above them, so `line` is for readers only."""

    result: str
    """DRAWN, NOT_REACHED, or what tests/mutation/kill.py says."""
    killed_by: str
    file: str
    line: int
    nth: int
    operator: str
    before: str
    after: str

    @property
    def key(self) -> str:
        return "\t".join((self.file, str(self.nth), self.before, self.after))

    def planted(self, source: str) -> str | None:
        """The source with this fault, or None if the line is not there."""
        lines = source.split("\n")
        same = [number for number, line in enumerate(lines) if line == self.before]
        if len(same) <= self.nth:
            return None
        lines[same[self.nth]] = self.after
        return "\n".join(lines)

    def line_in(self, source: str) -> int | None:
        same = [number for number, line in enumerate(source.split("\n"), start=1) if line == self.before]
        return same[self.nth] if len(same) > self.nth else None


_COLUMNS = [field.name for field in fields(Mutant)]
_TEXTS = [name for name in _COLUMNS if name not in ("line", "nth")]


def read(table: Path) -> list[Mutant]:
    with table.open(encoding="utf-8", newline="") as opened:
        rows = csv.DictReader(opened, dialect="excel-tab")
        return [
            Mutant(**{name: row[name] for name in _TEXTS}, line=int(row["line"]), nth=int(row["nth"])) for row in rows
        ]


def write(table: Path, mutants: Iterable[Mutant]) -> None:
    """All or nothing: a run that is stopped here continues from the table before."""
    text = io.StringIO()
    writer = csv.writer(text, dialect="excel-tab", lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(astuple(mutant) for mutant in mutants)
    unfinished = table.with_suffix(".new")
    unfinished.write_text(text.getvalue(), encoding="utf-8")
    unfinished.replace(table)
