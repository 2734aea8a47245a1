"""A text as it is searched. Letters that nobody sees, and the markup of raised and lowered ones, split no word.

The text of a document keeps them, because offsets count its characters. This is for what is embedded, for terms, and
for questions.
"""

from __future__ import annotations

import re

NEVER_SEEN = (
    r"\u00ad\u034f\u061c\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060\u2065-\u206f\ufe00-\ufe0f\ufeff"
    r"\U000e0000-\U000e01ef"
)
"""Soft hyphen, grapheme joiner, marks of direction, blanks without a width, byte order mark, tags, and what chooses one
of several shapes of a letter: Unicode's Default_Ignorable_Code_Point without joiners, operators and fillers. For a
class of a regular expression, as the next one."""

JOINERS = r"\u200c\u200d"

_JOINING = rf"\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\u2600-\u27bf\ufe0f\U0001f000-\U0001faff{JOINERS}"
"""After Arabic, Indic and related letters, and in emoji, a joiner is a part of the spelling."""

_ANY_INVISIBLE = re.compile(rf"[{NEVER_SEEN}{JOINERS}]")
_INVISIBLE = re.compile(rf"[{NEVER_SEEN}]+|(?<![{_JOINING}])[{JOINERS}]+")
_BROKEN_LINE = re.compile(r"(?<=\w)\u00ad[ \t]*\r?\n[ \t]*(?=\w)")

_LOWERED = re.compile(
    r"(?<=[^\W_])<sub>([^<>\s]{1,8})</sub>|(?<=[^\W\d_])~([0-9A-Za-z+-]{1,8})~(?!~)",
    re.IGNORECASE,
)
"""`H<sub>2</sub>O` and, as in Pandoc's Markdown, `H~2~O`."""

_RAISED = re.compile(
    r"(?<![^\W_])([^\W\d_]{1,3}|\d{1,4}(?=(?:\^|<sup>)(?:[a-z]{2}|[aeo][<^])))"
    r"(?:<sup>([^<>\s]{1,4})</sup>|\^([0-9A-Za-z+-]{1,4})\^|\^(\d{1,2})(?![\w^]))",
    re.IGNORECASE,
)
"""`m<sup>2</sup>`, `m^2^`, `m^2`, `5<sup>th</sup>`. After a longer word it is the mark of a footnote; 10^6 is not 106,
and 2^n not 2n."""


def searched_text(text: str) -> str:
    """What is embedded of a text, and analysed for the index."""
    return with_small_letters(without_invisible(text))


def without_invisible(text: str) -> str:
    """The text without letters that nobody sees, as it is shown, too."""
    if text.isascii() or not _ANY_INVISIBLE.search(text):
        return text
    return _INVISIBLE.sub("", _BROKEN_LINE.sub("", text))


def with_small_letters(text: str) -> str:
    """The text with raised and lowered letters in their word."""
    has_tags = "<" in text and ("<su" in text or "<SU" in text)
    if has_tags or "~" in text:
        text = _LOWERED.sub(_joined, text)
    if has_tags or "^" in text:
        text = _RAISED.sub(_joined, text)
    return text


def _joined(match: re.Match[str]) -> str:
    return "".join(filter(None, match.groups()))
