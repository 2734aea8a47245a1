"""The Markdown of paragraphs and tables of office documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbase.formats.empty_places import padded_width

STRUCTURE = re.compile(r"(?:#{1,6}(?= )|>|[-*+](?= )|\d{1,9}[.)](?= )|`{3,}|~{3,}|\|)")
"""How a paragraph begins that Markdown takes for more."""


def paragraph_of(text: str) -> str:
    """The text, whose beginning is not taken for a heading, a quotation or a fence. A list stays a list."""
    return f"\\{text}" if STRUCTURE.match(text) and text[0] in "#>`~|" else text


def table_of(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the header. Empty rows, and a table without text, are nothing."""
    filled = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    if not filled:
        return ""
    width, padded = max(map(len, filled)), padded_width(filled)
    lines = [f"| {' | '.join([*row, *[''] * (padded - len(row))])} |" for row in filled]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])
