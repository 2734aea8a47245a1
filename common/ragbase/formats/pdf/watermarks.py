"""Words that are stamped across the pages of a document, behind or over their text, and those along their sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbase.formats.pdf.directions import styles_of
from ragbase.formats.pdf.page_box import Box, word_box
from ragbase.formats.pdf.styles import Style
from ragbase.formats.pdf.words import Word

LEAST_PAGES = 2
ON = 0.5
"""The share of the sampled pages that a watermark is on, and the least number of them."""
LARGE = 2.0
"""Times the size of the text."""
PALE = 0xA0
"""The least red, green and blue of pale letters."""
MIDDLE = 0.2
"""The part of a page's height, at its top and bottom, that has titles rather than watermarks."""
SIDE = 0.09
"""The part of a page's width, at its left and right, that turned running lines stand in."""
PLACE = 8.0
"""Points. Words at one place differ by less."""

Key = tuple[str, int, bool, int, int]


@dataclass(frozen=True, slots=True)
class Watermarks:
    words: frozenset[Key] = frozenset()
    sides: Mapping[Key, int] | None = None
    """Turned words at the sides of pages, with the first sampled page that has it: it stays there."""
    body_size: float = 0.0

    def split(self, words: list[Word], box: Box) -> tuple[list[Word], list[Word]]:
        """The words of a page that are watermarks, and the others."""
        if not self.words:
            return [], words
        stamped: list[Word] = []
        others: list[Word] = []
        for word in words:
            is_one = _may_be_watermark(word, box, self.body_size) and _key(word) in self.words
            (stamped if is_one else others).append(word)
        return stamped, others

    def is_running(self, word: Word, box: Box, index: int) -> bool:
        if not self.sides or not word.style.turn:
            return False
        return _is_at_side(word, box) and self.sides.get(_key(word), index) != index


def find_watermarks(pages: Mapping[int, tuple[Sequence[Word], Box]], body_size: float) -> Watermarks:
    """What is stamped on some pages of a document, by the pages' indexes."""
    stamped: dict[Key, set[int]] = defaultdict(set)
    turned: dict[Key, set[int]] = defaultdict(set)
    for index, (words, box) in pages.items():
        unusual = {id(style) for style in styles_of(words) if _is_unusual(style, body_size)}
        for word in words if unusual else ():
            if id(word.style) not in unusual:
                continue
            if _may_be_watermark(word, box, body_size):
                stamped[_key(word)].add(index)
            elif word.style.turn and _is_at_side(word, box):
                turned[_key(word)].add(index)
    often = max(LEAST_PAGES, ON * len(pages))
    return Watermarks(
        frozenset(key for key, found in stamped.items() if len(found) >= often),
        {key: min(found) for key, found in turned.items() if len(found) >= max(often, LEAST_PAGES + 1)},
        body_size,
    )


def _key(word: Word) -> Key:
    return word.text, word.style.turn, word.style.slanted, round(word.left / PLACE), round(word.baseline / PLACE)


def _is_unusual(style: Style, body_size: float) -> bool:
    return style.slanted or bool(style.turn) or (style.size >= LARGE * body_size and _is_pale(style))


def _is_pale(style: Style) -> bool:
    return style.colour >> 16 >= PALE and style.colour >> 8 & 255 >= PALE and style.colour & 255 >= PALE


def _may_be_watermark(word: Word, box: Box, body_size: float) -> bool:
    """A slanted word is large or pale: small dark ones are the heads of a table's columns. A straight one is both."""
    is_large, is_pale = word.style.size >= LARGE * body_size, _is_pale(word.style)
    if word.style.slanted:
        return is_large or is_pale
    _, y = word_box(word).middle
    edge = MIDDLE * (box.top - box.bottom)
    return is_large and is_pale and box.bottom + edge < y < box.top - edge


def _is_at_side(word: Word, box: Box) -> bool:
    x, _ = word_box(word).middle
    edge = SIDE * (box.right - box.left)
    return x < box.left + edge or x > box.right - edge
