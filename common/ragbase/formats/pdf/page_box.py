"""The part of a PDF's page that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.words import Word

LETTER_HEIGHT = 0.7
"""About how high letters are, in parts of their size."""


@dataclass(frozen=True, slots=True)
class Box:
    """In points; upwards counts up, as in the file."""

    left: float
    bottom: float
    right: float
    top: float

    def touches(self, other: Box) -> bool:
        return (
            self.left < other.right and self.right > other.left and self.bottom < other.top and self.top > other.bottom
        )

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.bottom <= y <= self.top

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.top - self.bottom)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2


def around(boxes: Sequence[Box]) -> Box:
    return Box(
        min(box.left for box in boxes),
        min(box.bottom for box in boxes),
        max(box.right for box in boxes),
        max(box.top for box in boxes),
    )


def page_box(page: object) -> Box:
    box = pdfium.FS_RECTF()
    if pdfium.FPDF_GetPageBoundingBox(page, box):
        return Box(box.left, box.bottom, box.right, box.top)
    return Box(0.0, 0.0, pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page))


def word_box(word: Word) -> Box:
    """Where the letters of a word stand on its page, whichever way they are turned."""
    height = LETTER_HEIGHT * word.style.size
    if word.style.turn == 90:
        return Box(word.baseline - height, word.left, word.baseline, word.right)
    if word.style.turn == 180:
        return Box(-word.right, word.baseline - height, -word.left, word.baseline)
    if word.style.turn == 270:
        return Box(-word.baseline, -word.right, -word.baseline + height, -word.left)
    return Box(word.left, -word.baseline, word.right, -word.baseline + height)
