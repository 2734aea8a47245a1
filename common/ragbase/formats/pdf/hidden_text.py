"""Words of a page that nobody sees. They are left out, because they can hide instructions to a model."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.matrix import IDENTITY, Matrix, matrix_within
from ragbase.formats.pdf.page_box import Box, around, word_box
from ragbase.formats.pdf.styles import Paint
from ragbase.formats.pdf.words import PageWords, Word

LIGHT = 0xF0
"""The least red, green and blue of letters that a white page hides."""
WIDEST_TINY = 1.0
"""Points a letter. A tiny word that is wider is drawn in a form that is scaled."""
ALIKE = 20
"""Of 255: the most by which what is drawn where a word stands differs, if the word cannot be seen."""
MAX_DEPTH = 3
"""Of forms in forms."""
MAX_OBJECTS = 50_000
MAX_PIXELS = 2_000
"""Of the sides of the picture in which a line is looked for."""
SCALE = 1.5
"""Its pixels a point."""
MOST_BOXES = 1_000
"""How many places of a kind are compared with words."""
MAX_BYTES = 1_000_000
"""Of the picture of a text, that are looked at."""
MOST_LINES = 40
"""How many lines of a page are looked for. The others are as their colours say."""


def split_hidden(document: object, page: object, found: PageWords, box: Box) -> tuple[list[Word], list[Word]]:
    """The words that can be seen, and the others."""
    words = found.words
    if not words or _are_plain(found, box):
        return words, []
    suspects = [index for index, word in enumerate(words) if _is_suspect(word, box)]
    hidden = set(_hidden(document, page, words, suspects, box))
    seen = [word for index, word in enumerate(words) if index not in hidden]
    return seen, [words[index] for index in sorted(hidden)]


def _are_plain(found: PageWords, box: Box) -> bool:
    """Whether all words are upright on the page, in dark letters: so are those of most pages."""
    if any(style.turn or style.paint is not Paint.VISIBLE or _is_light(style.colour) for style in found.styles):
        return False
    words = found.words
    baselines = list(map(attrgetter("baseline"), words))
    is_within = (
        box.left < min(map(attrgetter("left"), words))
        and max(map(attrgetter("right"), words)) < box.right
        and -box.top < min(baselines)
        and max(baselines) < -box.bottom
    )
    return bool(is_within)


def _is_suspect(word: Word, box: Box) -> bool:
    style = word.style
    if style.paint is not Paint.VISIBLE or _is_light(style.colour):
        return True
    if not style.turn and box.left < word.left and word.right < box.right and box.bottom < -word.baseline < box.top:
        return False
    return not word_box(word).touches(box)


def _is_light(colour: int) -> bool:
    return colour >= LIGHT << 16 and colour >> 8 & 255 >= LIGHT and colour & 255 >= LIGHT


def _hidden(document: object, page: object, words: Sequence[Word], suspects: Sequence[int], box: Box) -> Iterator[int]:
    painted: _Painted | None = None
    light: list[int] = []
    layer: list[int] = []
    drawn_dark: dict[int, bool] = {}
    for index in suspects:
        word = words[index]
        style, place = word.style, word_box(word)
        if not place.touches(box) or style.paint is Paint.CLEAR or _is_tiny(word):
            yield index
            continue
        if style.paint is Paint.TINY:
            continue
        painted = painted or _painted(page)
        if style.paint is Paint.CLIP:
            if not any(dark.holds(*place.middle) for dark in painted.dark):
                yield index
        elif style.paint is Paint.NONE:
            if not any(picture.holds(*place.middle) for picture in painted.pictures):
                layer.append(index)
        elif not any(dark.holds(*place.middle) for dark in painted.dark):
            if any(white.holds(*place.middle) for white in painted.white):
                light.append(index)
                continue
            if word.drawn not in drawn_dark:
                drawn_dark[word.drawn] = _is_drawn_dark(document, page, word.drawn)
            if not drawn_dark[word.drawn]:
                yield index
    if layer and not (painted and painted.anything and all(word.style.paint is Paint.NONE for word in words)):
        yield from layer  # where all words are like this, they say what is drawn, be it in pieces or as outlines
    yield from _unseen(page, words, light)


def _is_tiny(word: Word) -> bool:
    return word.style.paint is Paint.TINY and word.right - word.left <= WIDEST_TINY * len(word.text)


def _unseen(page: object, words: Sequence[Word], light: Sequence[int]) -> Iterator[int]:
    """Those of the words in light letters that the page does not show."""
    lines: dict[int, list[int]] = {}
    for index in light:
        lines.setdefault(words[index].line, []).append(index)
    for number, indexes in enumerate(lines.values()):
        if number >= MOST_LINES or not _shows(page, around([word_box(words[index]) for index in indexes])):
            yield from indexes


@dataclass(slots=True)
class _Painted:
    """What a page paints besides text: the places of its pictures, of all that is not white, and of what is white,
    as far as PDFium can tell: it calls a gradient white. And whether it paints at all."""

    pictures: list[Box]
    dark: list[Box]
    white: list[Box]
    anything: bool = False
    objects: int = 0

    def largest(self) -> _Painted:
        """Without the small things: there is no word on them, and there may be very many."""

        def of(boxes: list[Box]) -> list[Box]:
            return sorted(boxes, key=lambda box: box.area, reverse=True)[:MOST_BOXES]

        return _Painted(of(self.pictures), of(self.dark), of(self.white), self.anything)


def _painted(page: object) -> _Painted:
    painted = _Painted([], [], [])
    _add(painted, pdfium.FPDFPage_CountObjects(page), lambda at: pdfium.FPDFPage_GetObject(page, at), IDENTITY, 0)
    return painted.largest()


def _add(painted: _Painted, count: int, child: object, outer: Matrix, depth: int) -> None:
    for number in range(count):
        painted.objects += 1
        if painted.objects > MAX_OBJECTS:
            return
        thing = child(number)  # type: ignore[operator]
        kind = pdfium.FPDFPageObj_GetType(thing)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
            _add(
                painted,
                pdfium.FPDFFormObj_CountObjects(thing),
                lambda at, form=thing: pdfium.FPDFFormObj_GetObject(form, at),
                matrix_within(thing, outer),
                depth + 1,
            )
        elif kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
            painted.anything = True
            place = _bounds(thing, outer)
            painted.dark.append(place)
            if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                painted.pictures.append(place)
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            painted.anything = True
            if _is_filled(thing):
                (painted.white if _is_white(thing) else painted.dark).append(_bounds(thing, outer))


def _is_filled(path: object) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    return bool(pdfium.FPDFPath_GetDrawMode(path, fill, stroke) and fill.value)


def _is_white(path: object) -> bool:
    colour = [ctypes.c_uint() for _ in range(4)]
    return bool(pdfium.FPDFPageObj_GetFillColor(path, *colour)) and all(one.value >= LIGHT for one in colour[:3])


def _bounds(thing: object, outer: Matrix) -> Box:
    sides = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(thing, *sides):
        return Box(0, 0, 0, 0)
    left, bottom, right, top = (side.value for side in sides)
    a, b, c, d, e, f = outer
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _is_drawn_dark(document: object, page: object, text_object: int) -> bool:
    """Whether a text that PDFium calls white is drawn in a gradient."""
    handle = ctypes.cast(ctypes.c_void_p(text_object), pdfium.FPDF_PAGEOBJECT)
    bitmap = pdfium.FPDFTextObj_GetRenderedBitmap(document, page, handle, 1.0)
    if not bitmap:
        return False
    try:
        size = min(pdfium.FPDFBitmap_GetStride(bitmap) * pdfium.FPDFBitmap_GetHeight(bitmap), MAX_BYTES)
        address = ctypes.cast(pdfium.FPDFBitmap_GetBuffer(bitmap), ctypes.c_void_p).value
        pixels = ctypes.string_at(address, size) if address else b""
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return any(  # blue, green, red and how opaque; what is half clear is multiplied by it or not
        min(pixels[at : at + 3]) < LIGHT // 2 for at in range(0, len(pixels) - 3, 4) if pixels[at + 3] > ALIKE * 5
    )


def _shows(page: object, place: Box) -> bool:
    """Whether anything is to be seen at this place of the page as it is drawn."""
    width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    whole = max(round(width * SCALE), 1), max(round(height * SCALE), 1)
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for corner in ((place.left, place.bottom), (place.right, place.top)):
        pdfium.FPDF_PageToDevice(page, 0, 0, *whole, 0, *corner, x, y)
        corners.append((x.value, y.value))
    (x0, y0), (x1, y1) = corners
    left, top = min(x0, x1), min(y0, y1)
    across, down = min(abs(x1 - x0) + 1, MAX_PIXELS), min(abs(y1 - y0) + 1, MAX_PIXELS)
    bitmap = pdfium.FPDFBitmap_CreateEx(across, down, pdfium.FPDFBitmap_Gray, None, 0)
    if not bitmap:
        return True
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, across, down, 0xFFFFFFFF)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, -left, -top, *whole, 0, pdfium.FPDF_GRAYSCALE)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        address = ctypes.cast(pdfium.FPDFBitmap_GetBuffer(bitmap), ctypes.c_void_p).value
        pixels = ctypes.string_at(address, stride * down) if address else b""
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    shades = [pixels[row * stride : row * stride + across] for row in range(down)]
    return not all(shades) or max(map(max, shades)) - min(map(min, shades)) > ALIKE
