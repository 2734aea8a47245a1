"""Which lines belong to a list item, by their indentation."""

from __future__ import annotations

from dataclasses import dataclass

TAB = 4
"""Columns from one tab stop to the next (CommonMark, section 2.2)."""


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A list item whose end is not read yet. Its content begins `offset` columns after `depth` quote marks."""

    index: int
    depth: int
    offset: int

    def holds(self, prefix: str) -> bool:
        """Whether a line that begins with `prefix`, and continues no paragraph, is in this item."""
        if not self.depth and ">" not in prefix:
            return columns(prefix, 0) >= self.offset
        quotes = prefix.split(">", self.depth + 1)
        return len(quotes) > self.depth and columns(quotes[self.depth], self.depth) >= self.offset


def columns(blanks: str, depth: int) -> int:
    """The width of the blanks after the last of `depth` quote marks. One blank belongs to the mark."""
    width = len(blanks.expandtabs(TAB)) if "\t" in blanks else len(blanks)
    return max(width - 1, 0) if depth else width
