"""Where the words of a page's Markdown stand on the page as it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.domain.word_boxes import UNITS, packed_boxes
from ragbase.formats.pdf.page_box import Box
from ragbase.formats.pdf.words import ASCENT, DESCENT, Word
from ragbase.formats.pdf.written import PlacedWord, words_in

Sides = tuple[float, float, float, float]
"""Left, bottom, right and top, in points; upwards counts up."""


def shown_turn(page: object) -> int:
    """By how many quarters, clockwise, a page is turned when it is shown."""
    turn: int = pdfium.FPDFPage_GetRotation(page)
    return max(turn, 0)


def boxes_of(text: str, page: Box, turn: int) -> str:
    """The boxes of a page's text, packed. `turn` is that of `shown_turn`."""
    placed = words_in(text)
    if not placed or page.right <= page.left or page.top <= page.bottom:
        return ""
    if not text.isascii() and any(word.letters for _, _, word in placed):
        placed = list(_with_letters_apart(placed))
    starts, ends, words = zip(*placed, strict=True)
    left, top = page.left, page.top
    across, up = UNITS / (page.right - left), UNITS / (top - page.bottom)
    # Column by column, and heights once for each line: a page has a thousand words, and a document hundreds of pages.
    lefts = [int((word.left - left) * across + 0.5) for word in words]
    rights = [int((word.right - left) * across + 0.5) for word in words]
    tops, bottoms = _heights(words, top, up)
    for index, word in enumerate(words):
        if word.drawn_at is not None or word.style.turn:
            sides = _sides(word)
            lefts[index], rights[index] = (int((sides[side] - left) * across + 0.5) for side in (0, 2))
            bottoms[index], tops[index] = (int((top - sides[side]) * up + 0.5) for side in (1, 3))
    return packed_boxes(starts, ends, (_within(lefts), _within(tops), _within(rights), _within(bottoms)), turn=turn)


def _heights(words: Sequence[Word], top: float, up: float) -> tuple[list[int], list[int]]:
    """The upper and the lower sides of words that run to the right, in units from the top of the page."""
    tops: list[int] = []
    bottoms: list[int] = []
    style, baseline, above, below = None, 0.0, 0, 0
    for word in words:
        if word.baseline != baseline or word.style is not style:
            style, baseline = word.style, word.baseline
            above = int((top + baseline - ASCENT * style.size) * up + 0.5)
            below = int((top + baseline + DESCENT * style.size) * up + 0.5)
        tops.append(above)
        bottoms.append(below)
    return tops, bottoms


def _within(units: list[int]) -> list[int]:
    """What is outside of the page, if anything, stands at its edge."""
    if min(units) < 0 or max(units) > UNITS:
        return [min(max(unit, 0), UNITS) for unit in units]
    return units


def _with_letters_apart(words: Sequence[PlacedWord]) -> Iterator[PlacedWord]:
    """A text without blanks is cited from any letter on."""
    for start, end, word in words:
        if not word.letters or end - start != len(word.letters):
            yield start, end, word
            continue
        for index, (left, right) in enumerate(word.letters):
            yield (
                start + index,
                start + index + 1,
                Word(word.text[index], left, right, word.baseline, word.style, word.line, word.drawn),
            )


def _sides(word: Word) -> Sides:
    """Of a word that does not run to the right, or is drawn elsewhere."""
    if word.drawn_at is not None:
        return word.drawn_at
    style, baseline = word.style, word.baseline
    above, below = ASCENT * style.size, DESCENT * style.size
    if style.turn == 90:
        return baseline - above, word.left, baseline + below, word.right
    if style.turn == 180:
        return -word.right, baseline - above, -word.left, baseline + below
    return -baseline - below, -word.right, -baseline + above, -word.left
