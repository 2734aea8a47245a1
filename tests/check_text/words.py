"""The words of a text, and which words of one text another one lacks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
WITHOUT_BLANKS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai, Lao, Burmese, Khmer, Chinese and Japanese: each letter counts as a word. Korean has blanks."""

WORD = re.compile(rf"[{WITHOUT_BLANKS}]|(?:(?![{WITHOUT_BLANKS}])[^\W_])+")
MAY_JOIN = re.compile(r"[^\S\n]*[-\u2010\u2011\x02\ufffe]?[^\S\n]*\n\s*|[^\w\s]{1,3}|_+")
"""What may stand between two parts of one word: the end of a line, or signs without a blank. A blank may not: who joins
words over it has lost it."""

ARABIC = re.compile("[\u0600-\u08ff]")
"""PDFium's raw text has the letters of a ligature in the wrong order, so their order in a word is not compared."""

MOST_PARTS = 4


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    joins: bool
    """Whether the word before it may be its beginning."""


def words(text: str) -> list[Word]:
    """In order, compared without case and form."""
    plain = unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold()
    found: list[Word] = []
    end = 0
    for match in WORD.finditer(plain):
        between = plain[end : match.start()]
        text = "".join(sorted(match[0])) if ARABIC.match(match[0]) else match[0]
        found.append(Word(text, bool(found) and (not between or MAY_JOIN.fullmatch(between) is not None)))
        end = match.end()
    return found


def texts(found: Iterable[Word]) -> list[str]:
    return [word.text for word in found]


def missing(wanted: Sequence[Word], there: Counter[str]) -> list[str]:
    """The words of `wanted` that `there` lacks, each as often as it lacks it. A word may stand in parts on either side.

    Takes what it finds out of `there`.
    """
    left: list[Word | None] = []
    for word in wanted:
        if there[word.text] > 0:
            there[word.text] -= 1
            left.append(None)
        else:
            left.append(word)
    _join(left, there)
    return [word.text for word in left if word is not None and not _split(word.text, there)]


def _join(left: list[Word | None], there: Counter[str]) -> None:
    """Take out the words that are one word in `there`."""
    for start in range(len(left)):
        for end in range(start + MOST_PARTS, start + 1, -1):
            parts = list(_parts(left, start, end))
            joined = "".join(parts)
            if len(parts) == end - start and there[joined] > 0:
                there[joined] -= 1
                left[start:end] = [None] * (end - start)
                break


def _parts(left: Sequence[Word | None], start: int, end: int) -> Iterator[str]:
    for index, word in enumerate(left[start:end]):
        if word is None or (index and not word.joins):
            return
        yield word.text


def _split(word: str, there: Counter[str]) -> bool:
    """Whether `there` has the word in two parts, which are then taken out of it."""
    for cut in range(1, len(word)):
        first, second = word[:cut], word[cut:]
        if there[first] > 0 and there[second] > (first == second):
            there[first] -= 1
            there[second] -= 1
            return True
    return False
