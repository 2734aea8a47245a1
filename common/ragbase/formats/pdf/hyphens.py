"""Words that a line's end divides."""

from __future__ import annotations

import re
from collections.abc import Collection

from ragbase.formats.pdf.written import Written, joined, part_of

SOFT_HYPHEN = "\u00ad"
HYPHENS = ("-", "\u2010", SOFT_HYPHEN)

MANY_WORDS = 1_500
"""Different words of a document that is long enough to have both parts of a compound elsewhere."""

_DIVIDED = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_HARD_SOFT_HYPHEN = re.compile(r"(?<![^\W\d_])\u00ad\S|\u00ad(?![^\W\d_]|\s|\Z)")
_FIRST = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")

_ENDINGS = re.compile(
    r"(?:[a-z]{0,2}(?:tions?|sions?|ments?|ness|ing|ings|ed|er|ers|ly|ity|ities|ties|ble|bles|bly|ance|ence|ances|ences"
    r"|tive|tives|ally|ical|cal|ture|tures|ous|ful|less|ism|ist|ists|ation|ations|cies|gies|ries|age|ages|ate|ates|ated"
    r"|ize|ized|ise|ised|es|en|al|ic|ry|cy|gy|ty|sis|tem|tems))\Z"
)
"""What divided English words go on with, and words with a hyphen do not."""

CHINESE_OR_JAPANESE = re.compile(
    "[\u2e80-\u312f\u3190-\u31ff\u3220-\u325f\u3280-\u9fff\uf900-\ufaff\uff00-\uff9f\uffe0-\uffef\U00020000-\U0003ffff]"
)
"""Letters that have no blanks between words. Korean and Thai have some, which mean something."""

LONGEST_WORD = 100
"""Characters. What comes before them need not be looked at, however long the text is."""


def has_soft_hyphens(text: str) -> bool:
    """Whether soft hyphens of a text, if any, are what their name says. Some files have no other name for a hyphen: one
    of them then stands beside a digit or a space."""
    return "-" in text or not _HARD_SOFT_HYPHEN.search(text)


def without_soft_hyphens(word: str, *, are_soft: bool) -> str:
    """Its soft hyphens but the last: that one may divide it at the end of a line."""
    return word[:-1].replace(SOFT_HYPHEN, "") + word[-1:] if are_soft else word.replace(SOFT_HYPHEN, "-")


def words_in(line: str) -> set[str]:
    """The words of a line without those at its ends that may be parts of divided ones."""
    words = _WORDS.findall(line)
    first = 1 if words and words[0][0].islower() else 0
    last = len(words) - line.endswith(HYPHENS)
    return {word.lower() for word in words[first:last]}


def join_lines(before: str, after: str, known: Collection[str]) -> Written:
    """Two lines as one. `known` are words that the document has elsewhere.

    A hyphen at the end of the first is left out if the word without it is known, if the second part can, by its ending,
    be no word of its own, or if a document of many words has neither part. Otherwise it stays: "task-" and "specific"
    must not become one word that nobody looks for.
    """
    if before.endswith(SOFT_HYPHEN):
        return joined("", (part_of(before, 0, len(before) - 1), after))
    divided = _DIVIDED.search(before, max(len(before) - LONGEST_WORD, 0)) if before.endswith(HYPHENS) else None
    first = _FIRST.match(after)
    if divided is None or first is None or not first[0][0].islower():
        between = "" if before.endswith(HYPHENS) or _no_space(before, after) else " "
        return joined(between, (before, after))
    left, right = divided[1].lower(), first[0].lower()
    if f"{left}-{right}" in known and f"{left}{right}" not in known:
        return joined("", (before, after))
    syllable = right not in known and (_ENDINGS.match(right) or (len(known) >= MANY_WORDS and left not in known))
    if f"{left}{right}" in known or syllable:
        return joined("", (part_of(before, 0, len(before) - 1), after))
    return joined("", (before, after))


def _no_space(before: str, after: str) -> bool:
    """Chinese and Japanese have no spaces."""
    return bool(CHINESE_OR_JAPANESE.match(before[-1:]) and CHINESE_OR_JAPANESE.match(after))
