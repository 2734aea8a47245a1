"""The straight lines that a PDF page draws: the rules of its tables."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.matrix import IDENTITY, Matrix, matrix_within

THIN = 3.0
"""Points. A filled rectangle that is thinner is drawn as a line."""
MAX_SEGMENTS = 2_000
"""A path of more parts than this is a drawing."""
MAX_RULES = 20_000
"""A page of more lines than this is a drawing."""
MAX_DEPTH = 3
"""Of forms in forms."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A horizontal rule at y = `at` from x = `start` to `end`, or a vertical one with x and y changed. In points;
    downwards counts up."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a page has besides text."""

    horizontal: list[Rule]
    vertical: list[Rule]
    images: bool
    ink: bool
    """Whether anything is drawn or written at all."""


def read_drawing(page: object) -> Drawing:
    drawing = _Reader()
    drawing.read(pdfium.FPDFPage_CountObjects(page), lambda index: pdfium.FPDFPage_GetObject(page, index), IDENTITY, 0)
    if len(drawing.horizontal) + len(drawing.vertical) > MAX_RULES:
        return Drawing([], [], drawing.images, ink=True)
    return Drawing(drawing.horizontal, drawing.vertical, drawing.images, drawing.ink)


class _Reader:
    def __init__(self) -> None:
        self.horizontal: list[Rule] = []
        self.vertical: list[Rule] = []
        self.images = self.ink = False
        self._numbers = [ctypes.c_float() for _ in range(4)]
        self._modes = ctypes.c_int(), ctypes.c_int()

    def read(self, count: int, child: object, outer: Matrix, depth: int) -> None:
        for index in range(count):
            thing = child(index)  # type: ignore[operator]
            kind = pdfium.FPDFPageObj_GetType(thing)
            if kind == pdfium.FPDF_PAGEOBJ_PATH:
                if len(self.horizontal) + len(self.vertical) <= MAX_RULES:
                    self._read_path(thing, outer)
            elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                self.images = self.ink = True
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
                self.read(
                    pdfium.FPDFFormObj_CountObjects(thing),
                    lambda inner, form=thing: pdfium.FPDFFormObj_GetObject(form, inner),
                    matrix_within(thing, outer),
                    depth + 1,
                )
            else:
                self.ink = True

    def _read_path(self, path: object, outer: Matrix) -> None:
        fill, stroke = self._modes
        if not pdfium.FPDFPath_GetDrawMode(path, fill, stroke) or not (fill.value or stroke.value):
            return  # it only clips
        self.ink = True
        count = pdfium.FPDFPath_CountSegments(path)
        if not 2 <= count <= MAX_SEGMENTS:
            return
        if not stroke.value:
            self._read_bounds(path, outer)
            return
        matrix = matrix_within(path, outer)
        x, y = self._numbers[:2]
        before = first = (0.0, 0.0)
        for index in range(count):
            segment = pdfium.FPDFPath_GetPathSegment(path, index)
            pdfium.FPDFPathSegment_GetPoint(segment, x, y)
            point = _moved(matrix, x.value, y.value)
            kind = pdfium.FPDFPathSegment_GetType(segment)
            if kind == pdfium.FPDF_SEGMENT_MOVETO:
                first = point
            elif kind == pdfium.FPDF_SEGMENT_LINETO:
                self._add(before, point)
            before = point
            if pdfium.FPDFPathSegment_GetClose(segment):
                self._add(before, first)

    def _read_bounds(self, path: object, outer: Matrix) -> None:
        left, bottom, right, top = self._numbers
        if pdfium.FPDFPageObj_GetBounds(path, left, bottom, right, top):
            low, high = _moved(outer, left.value, bottom.value), _moved(outer, right.value, top.value)
            if abs(high[1] - low[1]) < THIN:
                middle = (low[1] + high[1]) / 2
                self._add((low[0], middle), (high[0], middle))
            elif abs(high[0] - low[0]) < THIN:
                middle = (low[0] + high[0]) / 2
                self._add((middle, low[1]), (middle, high[1]))

    def _add(self, one: tuple[float, float], other: tuple[float, float]) -> None:
        (x0, y0), (x1, y1) = one, other
        if abs(y0 - y1) < 1 and abs(x0 - x1) > THIN:
            self.horizontal.append(Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1)))
        elif abs(x0 - x1) < 1 and abs(y0 - y1) > THIN:
            self.vertical.append(Rule((x0 + x1) / 2, min(y0, y1), max(y0, y1)))


def _moved(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, -(b * x + d * y + f)
