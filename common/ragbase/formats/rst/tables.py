"""Tables of reStructuredText. What has cells over several columns or rows is no table of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

GRID_BORDER = re.compile(r"\+(?:[-=]{1,}\+)+")
SIMPLE_BORDER = re.compile(r"=+(?: +=+)+|={2,}")
SPAN = re.compile(r"-[- ]*")
Rows = list[list[str]]


def grid_end(lines: Sequence[str], start: int) -> int:
    """The line after a grid table that begins at `start`."""
    end = start
    while end < len(lines) and lines[end].startswith(("+", "|")):
        end += 1
    return end


def simple_end(lines: Sequence[str], start: int) -> int | None:
    """The line after a simple table that begins at `start`; None if no border ends it. A border ends the table if a
    blank line, or none, follows it; one that has ended the head of the table does not."""
    borders = 0
    for index in range(start + 1, len(lines)):
        if SIMPLE_BORDER.fullmatch(lines[index]):
            borders += 1
            if index + 1 == len(lines) or not lines[index + 1]:
                return index + 1
            if borders > 1:
                return None
        elif lines[index].startswith(".. "):
            return None
    return None


def read_grid(lines: Sequence[str]) -> tuple[Rows, bool] | None:
    """The rows of a grid table, and whether the first is its header; None if a cell goes over columns or rows."""
    edges = [index for index, sign in enumerate(lines[0]) if sign == "+"]
    if not GRID_BORDER.fullmatch(lines[0]) or not GRID_BORDER.fullmatch(lines[-1]):
        return None
    rows: Rows = []
    cells: list[list[str]] | None = None
    has_header = False
    for line in lines[1:]:
        if line.startswith("+"):
            if not GRID_BORDER.fullmatch(line) or [at for at, sign in enumerate(line) if sign == "+"] != edges:
                return None
            if cells is not None:
                rows.append([" ".join(filter(None, cell)) for cell in cells])
            cells = None
            has_header = has_header or ("=" in line and len(rows) == 1)
            continue
        if len(line) != edges[-1] + 1 or any(line[edge] != "|" for edge in edges):
            return None
        if cells is None:
            cells = [[] for _ in edges[1:]]
        for cell, left, right in zip(cells, edges, edges[1:], strict=False):
            cell.append(line[left + 1 : right].strip())
    return rows, has_header


def read_simple(lines: Sequence[str]) -> tuple[Rows, bool] | None:
    """The rows of a simple table, and whether the first is its header; None if a cell goes over columns."""
    starts = [found.start() for found in re.finditer("=+", lines[0])]
    ends = [found.end() for found in re.finditer("=+", lines[0])]
    rows: Rows = []
    has_header = False
    for line in lines[1:-1]:
        if SIMPLE_BORDER.fullmatch(line):
            if has_header or not rows:
                return None
            has_header = True
            rows = [[" ".join(filter(None, column)) for column in zip(*rows, strict=True)]]
            continue
        if not line:
            continue
        if SPAN.fullmatch(line) or any(line[end:start].strip() for end, start in zip(ends, starts[1:], strict=False)):
            return None
        cells = [line[start:end].strip() for start, end in zip(starts, [*starts[1:], len(line)], strict=True)]
        if not cells[0] and rows and not (has_header and len(rows) == 1):
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
        else:
            rows.append([cell if cell != "\\" else "" for cell in cells])
    return (rows, has_header) if rows else None


def read_list(lines: Sequence[str]) -> Rows | None:
    """The rows of a list whose items are lists: `* - first cell`, `  - second cell`."""
    rows: Rows = []
    row_mark = next((found[1] for line in lines if (found := re.match(r"([*+-]) +[*+-](?: |$)", line))), None)
    if row_mark is None:
        return None
    column = 0
    for line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if not text:
            continue
        if not indent and text.startswith(row_mark):
            inner = text[1:].lstrip()
            column = len(text) - len(inner)
            rows.append([])
            text, indent = inner, column
        if not rows or not indent:
            return None
        if indent == column and (text in {"-", "*", "+"} or text.startswith(("- ", "* ", "+ "))):
            rows[-1].append(text[1:].strip())
        elif rows[-1]:
            rows[-1][-1] = f"{rows[-1][-1]} {text}".strip()
        else:
            return None
    return rows
