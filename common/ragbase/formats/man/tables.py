"""Tables of tbl in a manual page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbase.formats.man.roff import NO_TEXT, REQUEST, arguments

SEPARATOR = re.compile(r"tab ?\((.)\)")
RULES = ("_", "=", "")


def read_table(lines: Sequence[str]) -> list[list[str]]:
    """The rows of the lines between `.TS` and `.TE`: options up to a semicolon, the form of the columns up to a full
    stop, then rows. A cell between `T{` and `T}` has several lines."""
    tab = "\t"
    if lines and lines[0].rstrip().endswith(";"):
        if found := SEPARATOR.search(lines[0]):
            tab = found[1]
        lines = lines[1:]
    rows: list[list[str]] = []
    cell: list[str] | None = None
    is_form = any(line.rstrip().endswith(".") for line in lines)
    for line in lines:
        if is_form:
            is_form = not line.rstrip().endswith(".")
            continue
        if cell is None:
            if line.strip() in RULES or line.startswith((".", "'")):
                is_form = line.startswith(".T&")
                continue
            rows.append(line.split(tab))
        elif not line.startswith("T}"):
            cell.append(_text(line))
            continue
        else:
            rows[-1][-1] = " ".join(cell)
            rows[-1].extend(line[2:].split(tab)[1:])
        cell = [] if rows[-1][-1].strip() == "T{" else None
    if cell:
        rows[-1][-1] = " ".join(cell)
    return rows


def _text(line: str) -> str:
    found = REQUEST.match(line)
    if found is None:
        return line
    return "" if found["name"] in NO_TEXT else " ".join(arguments(found["rest"]))
