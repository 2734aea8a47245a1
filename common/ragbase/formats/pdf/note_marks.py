"""The raised marks of footnotes, which are no part of the words before them, as powers and ordinals are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import ne

RAISED = 0.12
"""In parts of the letters' height: how far, at least, the foot of a raised letter is above the others'."""
STEP = 0.4
"""Points: the least height of a raised letter above the others."""
SMALLER = 0.9
SAMPLE = 50
"""The height of one letter of so many tells the height of the page's text."""

MARK = re.compile(r"\d{1,3}(?:[,;–-]\d{1,3})*|[*†‡§¶‖]{1,3}|[a-z]\Z")
_NOTE = re.compile(r"(?:\A|\n)(\d{1,3}|[*†‡§¶‖]|[a-z])(?=\D)")
_LETTERS_AT_END = re.compile(r"[^\W\d_]+\Z")
_DIGITS_AT_END = re.compile(r"\d+\Z")
_WORD_BEGINS = re.compile(r"[\"'“«(]?[^\W\d_]{3}")
_WITHOUT_BLANKS = re.compile("[\u2e80-\u9fff\uf900-\ufaff\u0e00-\u0eff]")
LONGEST = 100
"""Characters of a word that are looked at."""

_UNITS = "mm cm dm km hm nm µm μm um in ft yd mi px pt au pc мм см дм км м"
_FUNCTIONS = "sin cos tan cot sec csc sinh cosh tanh log ln exp det"
UNITS, FUNCTIONS = frozenset(_UNITS.split()), frozenset(_FUNCTIONS.split())
"""What powers stand behind, though it is longer than one letter."""


def is_note_mark(base: str, mark: str, noted: frozenset[str] = frozenset()) -> bool:
    """Whether a raised `mark` after this text is that of a footnote, and no power, charge or ending.

    `noted` are the marks that notes of the page begin with: they tell where the text alone does not.
    """
    if not base or not MARK.fullmatch(mark):
        return False
    if mark.isalpha():
        return mark in noted
    last = base[-1]
    if last.isdigit():
        digits = _DIGITS_AT_END.search(base[-LONGEST:])
        return digits is not None and len(digits[0]) > 2 and mark in noted
    if last.isalpha():
        return _is_mark_of_word(base, mark, noted)
    return mark in noted or last not in ")]}|/+-−–=°%"


def _is_mark_of_word(base: str, mark: str, noted: frozenset[str]) -> bool:
    if _WITHOUT_BLANKS.match(base[-1]) or not mark[0].isdigit():
        return True
    letters = _LETTERS_AT_END.search(base[-LONGEST:])
    word = letters[0] if letters else base[-1]
    if len(word) == 1 or word.lower() in FUNCTIONS or (word.lower() in UNITS and mark in ("2", "3")):
        return False
    return len(word) > 2 or mark in noted


class Marks:
    """The marks of a page, whose letters have these upper and lower ends."""

    def __init__(self, text: str, tops: Sequence[float], bottoms: Sequence[float]) -> None:
        self._text, self._tops, self._bottoms = text, tops, bottoms
        self._noted: frozenset[str] | None = None
        self._begins: set[int] = set()
        self.uneven = bytes(map(ne, bottoms, islice(bottoms, 1, None)))
        """Of each letter, whether the next one stands higher or lower: words of which none does have no marks."""

    def may_be_in(self, start: int, end: int) -> bool:
        """Whether some letters of a word stand higher than others."""
        bottoms = self._bottoms[start:end]
        return max(bottoms) - min(bottoms) > STEP

    def begins(self, index: int) -> bool:
        """Whether a mark, or what comes after one, begins there, after `cut` has found it."""
        return index in self._begins

    def cut(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """A word, cut before the marks in it and behind them."""
        begin = start
        runs = list(self._runs(start, end)) if self.may_be_in(start, end) else [(start, end)]
        for number, (first, stop) in enumerate(runs):
            mark = self._text[first:stop]
            if number and self._is_raised(runs[number - 1], first):
                if is_note_mark(self._text[begin:first], mark, self._marks_of_notes()):
                    yield begin, first
                    self._begins.add(first)
                    begin = first
            elif not number and self._is_mark_of_note(runs, mark, end):
                yield begin, stop
                self._begins.add(stop)
                begin = stop
        yield begin, end

    def _is_mark_of_note(self, runs: Sequence[tuple[int, int]], mark: str, end: int) -> bool:
        """Whether a word begins with the mark of a note, and its text follows."""
        first, stop = runs[0]
        raised = len(runs) > 1 and self._is_raised(runs[1], first)
        return raised and bool(MARK.fullmatch(mark) and _WORD_BEGINS.match(self._text, stop, end))

    def _runs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Letters beside each other of one height."""
        first = start
        for index in range(start + 1, end):
            before = index - 1
            moved = abs(self._bottoms[index] - self._bottoms[before]) + abs(self._tops[index] - self._tops[before])
            if moved > 0.1 * abs(self._tops[first] - self._bottoms[first]):
                yield first, index
                first = index
        yield first, end

    def _is_raised(self, base: tuple[int, int], index: int) -> bool:
        """Whether the letter is smaller than those of `base`, and higher up."""
        height = self._tops[base[0]] - self._bottoms[base[0]]
        smaller = self._tops[index] - self._bottoms[index] < SMALLER * height
        return smaller and self._bottoms[index] - self._bottoms[base[0]] > RAISED * height

    def _marks_of_notes(self) -> frozenset[str]:
        if self._noted is None:
            self._noted = frozenset(self._find_notes())
        return self._noted

    def _find_notes(self) -> Iterator[str]:
        """The marks at the beginning of lines that are raised, or smaller than most of the page's text."""
        usual = Counter(
            round(self._tops[index] - self._bottoms[index], 1)
            for index in range(0, len(self._tops), SAMPLE)
            if not self._text[index].isspace()
        )
        height = max(usual.items(), key=lambda pair: (pair[1], pair[0]))[0] if usual else 0.0
        for found in _NOTE.finditer(self._text):
            first, after = found.start(1), found.end(1)
            while after < len(self._text) and (self._text[after].isspace() or self._text[after] in ".)"):
                after += 1
            if after < len(self._text):
                of_mark = self._tops[first] - self._bottoms[first]
                of_text = self._tops[after] - self._bottoms[after]
                if of_mark < SMALLER * of_text or of_text < SMALLER * height:
                    yield found[1]
