"""How the lines look that give a Markdown text its outline."""

from __future__ import annotations

import re

from ragbase.chunking.html_block import ANY_TAG, BLOCK_TAG, RAW

FENCE = r"(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
_MARKER = r"(?:[-*+]|\d{1,9}[.)])"
_CELL = r"[ \t]*+:?+-++:?+[ \t]*+"
_KINDS = (
    rf"{FENCE}"
    r"|(?P<hashes>#{1,6})(?=[ \t\r\n]|\Z)"
    r"|(?P<underline>=++|-++)[ \t\r]*+$"
    rf"|(?P<delimiter>(?=[^\n]*\|)\|?+{_CELL}(?:\|{_CELL})*+\|?+[ \t\r]*+$)"
    r"|(?P<rule>(?:-[ \t]*+){3,}+\r?$|(?:\*[ \t]*+){3,}+\r?$|(?:_[ \t]*+){3,}+\r?$)"
    rf"|(?P<marker>{_MARKER})(?=[ \t\r\n]|\Z)"
    rf"|(?P<raw>{RAW})"
    rf"|(?P<block_tag>{BLOCK_TAG})"
    rf"|(?P<tag>{ANY_TAG})"
    r"|(?P<container>:{3,}+)(?=[ \t]*+[^\W\d_])"
)
MARK = re.compile(rf"\n(?=[ \t>]*[#`~=\-*+_|:<{{$\d])(?P<prefix>[ \t>]*+)(?:{_KINDS})", re.MULTILINE | re.IGNORECASE)
"""A line that has a meaning: it opens a fence or a list item, is a heading or a rule, underlines a heading or a table's
header. A fence may be at any depth of a list, so its indentation does not matter here, unlike in CommonMark. Each
branch reads a line once, so the scan is linear."""
MARK_IN_LIST = re.compile(rf"\n(?P<prefix>[ \t>]*+)(?:(?P<blank>\r?(?=\n))|{_KINDS})", re.MULTILINE | re.IGNORECASE)
NEXT_LINE = re.compile(r"(?:\n[ \t\r>]*+(?=\n))*+(?P<line>\n)(?P<prefix>[ \t>]*+)")

FENCE_IN_ITEM = re.compile(rf"[ \t]+{FENCE}", re.MULTILINE)
CLOSING_FENCE = re.compile(r"\n[ \t]*+(?P<fence>`{3,}|~{3,})[ \t\r]*+$", re.MULTILINE)
CLOSING_FENCE_IN_QUOTE = re.compile(r"\n(?:(?![ \t]*>)|[ \t>]*+(?P<fence>`{3,}|~{3,})[ \t\r]*+$)", re.MULTILINE)
"""The line that closes a fence, or the first line that is not in its quote."""
FRONT_MATTER = re.compile(r"\n---[ \t\r]*\n(?:[^\n\S]*+\S[^\n]*+\n)*?(?:---|\.\.\.)[ \t\r]*+$", re.MULTILINE)
HEADING_PREFIX = re.compile(r" {0,3}\Z")
_TEMPLATE = r"(?:\{[%{:<][^\n]*[%}>]\}|\{:[^\n]*\})[ \t\r]*$"
_DEFINITION = r"\[[^\[\]\n]+\]:"
PARAGRAPH_LINE = re.compile(rf" {{0,3}}(?![>#|]|:::|\$\$|{_MARKER}(?:\s|\Z)|{_TEMPLATE}|{_DEFINITION})\S", re.MULTILINE)
"""A line that an underline can make a heading: not a quote, a table row, a list item, the edge of an admonition or a
formula, a tag of a template or the definition of a link."""
CONTAINER = re.compile(r"\n[ \t>]*+(?P<colons>:{3,}+)[ \t\r]*+(?P<name>[^\s]?)")
LONGEST_CONTAINER = 20_000
LONGEST_FORMULA = 4_000
"""Characters. In an admonition and in a formula no line is a heading, so one whose end is far away is text."""
HEADER_ROW = re.compile(rf"(?P<prefix>[ \t>]*+)(?:{_MARKER}[ \t]+)*+(?P<row>\S[^\n]*)")
_OTHER = rf"(?:\r?$|#{{1,6}}(?:[ \t\r]|$)|`{{3}}|~{{3}}|{_MARKER}[ \t])"
ROW = re.compile(rf"\n(?![ \t]*+(?:>|{_OTHER}))[^\n]*+", re.MULTILINE)
QUOTED_ROW = re.compile(rf"\n[ \t]*+>(?![ \t>]*+{_OTHER})[^\n]*+", re.MULTILINE)
PIPE = re.compile(r"(?<!\\)\|")
