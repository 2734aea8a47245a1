"""Titles in plain text: a line with a line of signs under it that is as long."""

from __future__ import annotations

import re
import unicodedata

UNDERLINED = re.compile(
    r"(?:^|\n)(?:[ \t\r]*|[=~^*#-]{3,}+[ \t\r]*)\n(?P<title>[^\s=~^-][^\n]*)\n"
    r"(?P<underline>={3,}+|-{3,}+|~{3,}+|\^{3,}+)[ \t\r]*(?=\n|\Z)"
)
"""After a blank line, or after another such line over the title."""
LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4}
_ATTRIBUTES = re.compile(r"[\[.:|][^\n]*")
"""Lines that AsciiDoc writes above a block: `[source]`, `.Title`, `:name: value`. And the row of a table."""


def is_title(line: str, underline: str) -> bool:
    """Whether these are a title and its underline. Elsewhere, the length of a rule has nothing to do with the text."""
    title = line.rstrip()
    return _ATTRIBUTES.fullmatch(title) is None and abs(_width(title) - len(underline)) <= 1


def _width(title: str) -> int:
    """How many columns the title takes: letters of East Asia take two."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in title)
