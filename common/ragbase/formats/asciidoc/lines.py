"""What a line of AsciiDoc is, by how it begins and by the lines beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

HEADING = re.compile(r"(?P<level>={1,6}|#{1,6})[ \t]+(?P<title>\S.*)")
UNDERLINES = "=-~^+"
"""Of titles of two lines, from the outermost on."""
VERBATIM = re.compile(r"-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}(?P<language>[\w+#-]{0,30})")
TRANSPARENT = re.compile(r"={4,}|\*{4,}|_{4,}|--|~{4,}")
TABLE = re.compile(r"(?P<separator>[|,:!])={3,}")
ATTRIBUTES = re.compile(r"\[(?:[\w{,.#\"'%][^\]\n]*|\[[^\]\n]*\])?\]")
ENTRY = re.compile(r":!?(?P<name>\w[\w-]*)!?:(?:[ \t]+(?P<value>.*))?")
BLOCK_MACRO = re.compile(r"(?P<name>[a-z][\w-]{1,20})::(?P<target>[^\s\[]*)\[(?P<attributes>.*)\]")
TITLE = re.compile(r"\.(?P<title>[^\s.].*)")
ADMONITION = re.compile(r"(?P<label>NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(?P<text>.*)")
ADMONITIONS = frozenset(("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"))
ITEM = re.compile(r"(?P<marker>\*{1,5}|-|\.{1,5}|\d{1,9}\.|[a-zA-Z]\.|<(?:\d{1,3}|\.)>)[ \t]+(?P<text>\S.*)")
TERM = re.compile(r"(?P<term>\S.{0,300}?)(?P<marker>:{2,4}|;;)(?:[ \t]+(?P<text>\S.*))?")
AUTHOR = re.compile(r"(?P<author>[^\W\d_][\w .'’-]{1,100}?)(?:[ \t]+<(?P<mail>[^<>\s]+@?[^<>\s]*)>)?(?:;.*)?")
REVISION = re.compile(r"v?[\d.]+\S{0,30},?[ \t]*(?P<date>\d{4}-\d\d-\d\d)?.*|(?P<only>\d{4}-\d\d-\d\d)")
CONDITIONS = frozenset(("ifdef", "ifndef", "endif", "ifeval"))
FILES = frozenset(("include", "image", "video", "audio"))
RULES = frozenset(("'''", "<<<", "---", "***", "* * *", "- - -"))


def is_comment(line: str) -> bool:
    return line.startswith("//") and not line.startswith("///")


def is_title(lines: Sequence[str], at: int) -> bool:
    """Whether the line below this one makes it a title."""
    if at < 0 or at + 1 >= len(lines) or not lines[at] or lines[at][0] in " .[|":
        return False
    title, under = lines[at], lines[at + 1]
    is_line = len(under) > 1 and under[0] in UNDERLINES and under == under[0] * len(under)
    is_first = at == 0 or not lines[at - 1] or lines[at - 1][0] == "["
    return is_line and is_first and abs(len(title) - len(under)) <= 1


def ends_paragraph(line: str) -> bool:
    """Whether a paragraph ends before this line although no blank one stands there."""
    return is_comment(line) or any(
        pattern.fullmatch(line) for pattern in (VERBATIM, TRANSPARENT, TABLE, ATTRIBUTES, BLOCK_MACRO)
    )


def is_list_item(line: str) -> bool:
    return ITEM.fullmatch(line) is not None or term_of(line) is not None


def term_of(line: str) -> re.Match[str] | None:
    """The term that the line begins to explain."""
    return TERM.fullmatch(line) if "::" in line or ";;" in line else None


def ends_item(lines: Sequence[str], at: int) -> bool:
    """Whether the text of an item ends before this line."""
    line = lines[at]
    return not line or line == "+" or is_title(lines, at) or ends_paragraph(line) or is_list_item(line.lstrip())
