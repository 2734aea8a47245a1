"""Tables that go on over pages, made one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PAGE_BREAK = "\n\n"
ROW_BREAK = "\n"

_ROW = re.compile(r"\|.*\|\Z")
_DELIMITER = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\Z")
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class JoinedPages:
    """The Markdown of pages, what stands after each but the last, the header that each one repeated, and the range of
    each one's own text that is left out."""

    texts: list[str]
    breaks: list[str]
    headers: list[str]
    cuts: list[tuple[int, int]]


def join_tables(pages: Sequence[str]) -> JoinedPages:
    """The pages with their tables that go on as one.

    A table at the very beginning of a page that has as many columns as the one at the very end of the page before it
    goes on with that: its header is left out if it is the same, and a row otherwise. No text of one page moves to
    another.
    """
    texts = list(pages)
    breaks = [PAGE_BREAK] * max(len(texts) - 1, 0)
    headers = [""] * len(texts)
    cuts = [(0, 0)] * len(texts)
    width = _last_table(texts[0]) if texts else None
    for index in range(1, len(texts)):
        lines = texts[index].split("\n")
        if width is not None and _begins_table(lines) and _columns(lines[0]) == width[0]:
            header, rest = lines[0], lines[2:]
            repeats = _same(header, width[1])
            rows = rest if repeats else [header, *rest]
            if rows and rows[0].startswith("|"):
                headers[index] = header if repeats else ""
                rule = len(header) + len(ROW_BREAK)
                cuts[index] = (0 if repeats else rule, rule + len(lines[1]) + len(ROW_BREAK))
                texts[index] = "\n".join(rows)
                breaks[index - 1] = ROW_BREAK
                only_rows = all(row.startswith("|") for row in rows)
                width = width if only_rows else _last_table(texts[index])
                continue
        width = _last_table(texts[index])
    return JoinedPages(texts, breaks, headers, cuts)


def _begins_table(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and bool(_ROW.match(lines[0])) and bool(_DELIMITER.match(lines[1]))


def _last_table(text: str) -> tuple[int, str] | None:
    """The number of columns, and the header, of the table that a page ends with."""
    lines = text.split("\n")
    start = len(lines)
    while start and _ROW.match(lines[start - 1]):
        start -= 1
    return (_columns(lines[start]), lines[start]) if _begins_table(lines[start:]) else None


def _columns(row: str) -> int:
    return len(_PIPE.split(row)) - 2


def _same(header: str, other: str) -> bool:
    return header.split() == other.split()
