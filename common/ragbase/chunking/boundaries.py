"""Where a text may be cut: the best place within a window of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

BLOCK = re.compile(r"\n[ \t\r>]*\n")
ITEM = re.compile(r"\n(?=[ \t>]*(?:[-*+]|\d{1,9}[.)])\s)")
SENTENCE = re.compile(r"""[.!?…]["'”’»)\]*_`]*\s+|[。！？；]["'”’」』）]*""")
LINE = re.compile(r"\n")
WORD = re.compile(r"\s+")
WORD_START = re.compile(r"(?<=\s)\S")
SENTENCE_OR_LINE = re.compile(rf"(?:\n|{SENTENCE.pattern})\s*")
PLACES = (BLOCK, ITEM, SENTENCE, LINE, WORD)
"""From the best to the worst."""

LONGEST_CLUSTER = 32
"""Characters. How far a cut may move so that a grapheme (a letter and its accents, a joined emoji) stays whole."""


def best_cut(text: str, low: int, high: int, is_free: Callable[[int], bool]) -> int:
    """The best place to cut, from `low` to `high`, both included.

    In this order: between blocks, list items, sentences, lines, words. `is_free` says whether a place may be cut at
    all; `high` may. If there is no such place, the cut is at `high`.
    """
    for pattern in PLACES:
        for cut in reversed([match.end() for match in pattern.finditer(text, low, high)]):
            if is_free(cut):
                return cut
    return whole_grapheme(text, high, low)


def piece_cut(text: str, low: int, high: int) -> int:
    """The best place to cut a line of code or a table's row, from `low` to `high`: between words, if there are any in
    the second half."""
    words = [match.end() for match in WORD.finditer(text, (low + high) // 2, high)]
    return words[-1] if words else whole_grapheme(text, high, low)


def overlap_start(text: str, low: int, cut: int) -> int:
    """Where the passage after `cut` begins, so that it repeats the end of the one before: at `low` (above 0) or later.

    At the first sentence or line, else at the first word; at `cut` if there is nothing to repeat.
    """
    for boundary in SENTENCE_OR_LINE.finditer(text, low - 1, cut):
        if low <= boundary.end() < cut:
            return boundary.end()
    word = WORD_START.search(text, low, cut)
    if word:
        return word.start()
    if text[low:cut].isascii():  # one long word, such as a hash: half of it means nothing
        return cut
    for start in range(low, min(low + LONGEST_CLUSTER, cut)):
        if not text[start].isspace() and not _joined(text[start - 1], text[start]):
            return start
    return cut


def whole_grapheme(text: str, position: int, low: int) -> int:
    """`position`, or a little before it (never at or before `low`) if a cut there would split a grapheme."""
    for cut in range(position, max(low, position - LONGEST_CLUSTER, 0), -1):
        if not _joined(text[cut - 1], text[cut]):
            return cut
    return position


def _joined(before: str, after: str) -> bool:
    return (
        after in "\u200d\ufe0f"
        or before == "\u200d"
        or (before, after) == ("\r", "\n")
        or unicodedata.category(after)[0] == "M"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
    )
