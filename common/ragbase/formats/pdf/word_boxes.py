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
    words = words_in(text)
    if not words or page.right <= page.left or page.top <= page.bottom:
        return ""
    if any(word.letters for _, _, word in words):
        words = list(_with_letters_apart(words))
    left, bottom, right, top = zip(*[_sides(word) for _, _, word in words], strict=True)
    across, up = UNITS / (page.right - page.left), UNITS / (page.top - page.bottom)
    sides = (
        _units(left, page.left, across),
        _units(top, page.top, -up),
        _units(right, page.left, across),
        _units(bottom, page.top, -up),
    )
    return packed_boxes([start for start, _, _ in words], [end for _, end, _ in words], sides, turn=turn)


def _units(places: Sequence[float], zero: float, scale: float) -> list[int]:
    """What is outside of the page, if anything, stands at its edge."""
    units = [int((place - zero) * scale + 0.5) for place in places]
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
    if word.drawn_at is not None:
        return word.drawn_at
    style, baseline = word.style, word.baseline
    above, below, turn = ASCENT * style.size, DESCENT * style.size, style.turn
    if not turn:
        return word.left, -baseline - below, word.right, -baseline + above
    if turn == 90:
        return baseline - above, word.left, baseline + below, word.right
    if turn == 180:
        return -word.right, baseline - above, -word.left, baseline + below
    return -baseline - below, -word.right, -baseline + above, -word.left
