"""How the letters of a PDF page look: their size, face, direction and colour."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from ragbase.formats.pdf.pdfium_calls import HANDLE, INT, POINTER, typed

BOLD_WEIGHT = 600
BOLD_NAME = re.compile(r"bold|black|heavy|demi|medi$|-bd|(?:cm|sf|ec)(?:ss)?bx", re.IGNORECASE)
MONOSPACED_NAME = re.compile(r"mono|courier|consol|typewriter|(?:cm|sf|ec|sl)tt|menlo", re.IGNORECASE)
ITALIC_NAME = re.compile(r"ital|obli|slant|(?:cm|sf|ec)(?:ti|sl)", re.IGNORECASE)
FIXED_PITCH, ITALIC, FORCE_BOLD = 1, 1 << 6, 1 << 18  # font flags (ISO 32000-1, table 123)

FILL = 0
STROKES = (1, 5)
INVISIBLE, CLIP = 3, 7  # text render modes (ISO 32000-1, table 106)
LEAST_ALPHA = 8
"""Of 255. Less cannot be seen."""
LEAST_SIZE = 1.0
"""Points. Nobody can read smaller letters."""
LEAST_SLANT = 4.0
"""Degrees. A scan that lies not quite straight is turned by less."""


class Paint(Enum):
    """Whether anybody can see the letters, as far as their own style says it."""

    VISIBLE = "visible"
    NONE = "none"
    """They are placed and not painted, as the text over the picture of a scan is."""
    CLIP = "clip"
    """They are holes through which something else is seen."""
    CLEAR = "clear"
    """They are painted without any colour."""
    TINY = "tiny"
    """They are too small to be seen."""


@dataclass(frozen=True, slots=True)
class Style:
    size: float
    bold: bool
    italic: bool
    monospaced: bool
    turn: int
    """Degrees by which the text is turned against the page, counter-clockwise, to the nearest right angle."""
    slanted: bool
    """Whether it is not at a right angle to the page."""
    colour: int
    """Of its letters, as 0xRRGGBB."""
    paint: Paint


_matrix = typed("FPDFPageObj_GetMatrix", INT, HANDLE, POINTER)
_font_size = typed("FPDFTextObj_GetFontSize", INT, HANDLE, POINTER)
_font = typed("FPDFTextObj_GetFont", HANDLE, HANDLE)
_font_flags = typed("FPDFFont_GetFlags", INT, HANDLE)
_font_weight = typed("FPDFFont_GetWeight", INT, HANDLE)
_render_mode = typed("FPDFTextObj_GetTextRenderMode", INT, HANDLE)
_fill_colour = typed("FPDFPageObj_GetFillColor", INT, HANDLE, POINTER, POINTER, POINTER, POINTER)
_stroke_colour = typed("FPDFPageObj_GetStrokeColor", INT, HANDLE, POINTER, POINTER, POINTER, POINTER)
_font_name = typed("FPDFFont_GetBaseFontName", ctypes.c_size_t, HANDLE, POINTER, ctypes.c_size_t)


class Styles:
    """The styles of a page's text objects, each read once."""

    def __init__(self) -> None:
        self._styles: dict[tuple[int, int], Style] = {}
        self._fonts: dict[int, tuple[bool, bool, bool]] = {}
        self._colour = [ctypes.c_uint() for _ in range(4)]
        self._channels = [ctypes.addressof(channel) for channel in self._colour]

    @property
    def all(self) -> Collection[Style]:
        """Those that were asked for."""
        return self._styles.values()

    def of(self, handle: int, height: float) -> Style:
        """Of the letters of one text object that are so high."""
        key = (handle, round(2 * height))
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._style_of(handle, height)
        return style

    def _style_of(self, handle: int, height: float) -> Style:
        matrix, number = (ctypes.c_float * 6)(), ctypes.c_float(0)
        size, turn, slanted, face = 0.0, 0, False, (False, False, False)
        if handle and _matrix(handle, ctypes.addressof(matrix)) and _font_size(handle, ctypes.addressof(number)):
            a, b, c, d = matrix[:4]
            size = abs(number.value) * math.hypot(c, d)
            angle = math.degrees(math.atan2(b, a))
            turn = round(angle / 90) % 4 * 90
            slanted = abs(angle - 90 * round(angle / 90)) > LEAST_SLANT
            face = self._font_style(_font(handle) or 0)
        if turn in (90, 270):
            height = size  # the box is that of the turned letter
        if not 0.5 * size <= height <= 2.5 * size and height > 0:
            size = (
                height / 1.15
            )  # drawn in a form that is scaled; fonts' boxes are about this much higher than the size
        colour, paint = self._painted(handle, size)
        return Style(round(2 * min(max(size, 1.0), 1000.0)) / 2, *face, turn, slanted, colour, paint)

    def _painted(self, handle: int, size: float) -> tuple[int, Paint]:
        mode = _render_mode(handle) if handle else FILL
        get_colour = _stroke_colour if mode in STROKES else _fill_colour
        if not handle or not get_colour(handle, *self._channels):
            return 0, Paint.VISIBLE
        red, green, blue, alpha = (channel.value for channel in self._colour)
        paint = Paint.TINY if size < LEAST_SIZE else Paint.VISIBLE
        if mode in (INVISIBLE, CLIP):
            paint = Paint.NONE if mode == INVISIBLE else Paint.CLIP
        elif alpha < LEAST_ALPHA:
            paint = Paint.CLEAR
        return red << 16 | green << 8 | blue, paint

    def _font_style(self, font: int) -> tuple[bool, bool, bool]:
        if font not in self._fonts:
            name = ctypes.create_string_buffer(256)
            _font_name(font, ctypes.addressof(name), len(name))
            words, flags = name.value.decode("latin-1"), max(_font_flags(font), 0)
            bold = bool(BOLD_NAME.search(words)) or _font_weight(font) >= BOLD_WEIGHT or bool(flags & FORCE_BOLD)
            mono = bool(MONOSPACED_NAME.search(words)) or bool(flags & FIXED_PITCH)
            italic = bool(ITALIC_NAME.search(words)) or bool(flags & ITALIC)
            self._fonts[font] = (bold, italic, mono)
        return self._fonts[font]
