"""Where a text may be cut: the best place within a window of it."""

from __future__ import annotations

import re
import unicodedata

from ragbase.chunking.outline import Outline

BLOCK = re.compile(r"\n[ \t\r>]*\n")
ITEM = re.compile(r"\n(?=[ \t>]*(?:[-*+|]|\d{1,9}[.)])\s)")
SENTENCE = re.compile(r"""[.!?…]["'”’»)\]*_`]*\s+|[。！？；]["'”’」』）]*""")
WORD = re.compile(r"\s+")
WORD_START = re.compile(r"(?<=\s)\S")
SENTENCE_OR_LINE = re.compile(rf"(?:\n|{SENTENCE.pattern})\s*")
PROSE = (BLOCK, ITEM, SENTENCE)

LONGEST_CLUSTER = 32
"""Characters. How far a cut may move so that a grapheme (a letter and its accents, a joined emoji) stays whole."""


def best_cut(text: str, low: int, high: int, outline: Outline) -> int:
    """The best place to cut, from `low` to `high`, both included.

    In this order: between blocks, list items or table rows, sentences, lines, words. If `high` is inside a block of
    code: between its lines or words. If there is no such place, the cut is at `high`.
    """
    if outline.fence_around(high) is None:
        fence_end = outline.fence_end_before(high)
        low = max(low, fence_end)
        for pattern in PROSE:
            cuts = [match.end() for match in pattern.finditer(text, low, high)]
            if cuts:
                return cuts[-1]
        if fence_end == low:
            return fence_end
    line = text.rfind("\n", low, high) + 1
    if line:
        return line
    words = [match.end() for match in WORD.finditer(text, low, high)]
    return words[-1] if words else _whole_grapheme(text, high, low)


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


def _whole_grapheme(text: str, position: int, low: int) -> int:
    """`position`, or a little before it (never before `low`) if a cut there would split a grapheme."""
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
