"""Texts of documents inside of a text of ours, so that none of them can look like what stands around it.

A reader takes them apart by this rule, which docs/mcp.md and the instructions of the server tell:

- A line that begins with "> " is a line of a document, one that begins with ">> " the header row of its table. All
  other lines are ours.
- In a line of ours, whatever comes from a document or a file name stands in double quotation marks.
- A letter that ends a line, turns the direction of writing or is never seen is written as `\\u{…}`, with its number in
  Unicode in hexadecimal digits, and so are quotation marks inside of quotation marks. A backslash in front of `u{` is
  `\\u{5c}`, so that the way back is unique.

JSON needs no frame: its strings end at a quotation mark. It has the same letters as escapes of JSON.
"""

from __future__ import annotations

import json
import re

_LINE = "> "
_HEADER_ROW = ">> "
_QUOTE = '"'

_UNSEEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's controls without tab and line feed, its other line separators, annotations, and what it calls
Default_Ignorable_Code_Point (https://www.unicode.org/Public/16.0.0/ucd/DerivedCoreProperties.txt): marks and overrides
of direction, blanks without a width, fillers and tags. A text may have soft hyphens, joiners and the variants of
Mongolian letters and of emoji: they belong to its spelling. Marks of numbers (U+0600) are seen."""

_VARIANTS = frozenset("\u180b\u180c\u180d\u180f\ufe0e\ufe0f")
"""Python calls them printable."""

_IN_CONTENT = re.compile(rf"\\(?=u\{{)|[{_UNSEEN}]")
_IN_JSON = re.compile(rf"[{_UNSEEN}]")


def sendable(text: str) -> str:
    """The text without half characters, which JSON in UTF-8 cannot hold. Every offset stays right."""
    return text.encode("utf-8", "replace").decode()


def content(text: str) -> str:
    """A document's text, each line marked."""
    return _marked(text, _LINE)


def header_row(text: str) -> str:
    """The header row of the table in whose rows a text begins."""
    return _marked(text, _HEADER_ROW)


def quoted(text: str) -> str:
    """A name, a heading or another word of a document inside of a line of ours."""
    return f'"{line(text).replace(_QUOTE, _escaped(_QUOTE))}"'


def line(text: str) -> str:
    """A text that stays on its line, and hides nothing."""
    return "".join(
        letter if letter.isprintable() and letter not in _VARIANTS else _escaped(letter) for letter in _visible(text)
    )


def json_text(value: object) -> str:
    """JSON to read, a value on each line."""
    written = json.dumps(value, ensure_ascii=False, indent=2)
    return _IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], written)


def _marked(text: str, mark: str) -> str:
    return "\n".join(f"{mark}{one}" for one in _visible(text).split("\n"))


def _visible(text: str) -> str:
    return _IN_CONTENT.sub(lambda found: _escaped(found[0]), sendable(text))


def _escaped(letter: str) -> str:
    return f"\\u{{{ord(letter):x}}}"
