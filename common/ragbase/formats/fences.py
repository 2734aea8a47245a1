"""Where the fenced blocks of code are in a Markdown text, for readers that look for something outside of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARK = re.compile(r"```+|~~~+")


def fenced_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each block begins and ends, in order. One that is not closed is none."""
    opening, start, line_end = "", 0, 0
    for mark in MARK.finditer(text):
        if mark.start() < line_end:
            continue
        line = max(text.rfind("\n", line_end, mark.start()) + 1, line_end)
        line_end = text.find("\n", mark.end()) % (len(text) + 1)
        if text[line : mark.start()].strip():
            continue
        after = text[mark.end() : line_end].strip()
        if not opening:
            if "`" not in after:
                opening, start = mark[0], line
        elif mark[0].startswith(opening) and not after:
            yield start, mark.end()
            opening = ""
