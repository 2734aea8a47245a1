"""The words of a PDF page: their text, place and style, as PDFium reports them."""

from __future__ import annotations

import ctypes
import math
import re
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.hyphens import HYPHENS
from ragbase.formats.pdf.right_to_left import RIGHT_TO_LEFT, mended

HYPHEN = "\x02"
"""What PDFium makes of a hyphen at the end of a line, with no line break after it. In texts it is U+FFFE."""

MAX_CHARACTERS = 200_000
"""A page with more has no layout that anybody could read."""

BOLD_WEIGHT = 600
BOLD_NAME = re.compile(r"bold|black|heavy|demi|medi$|-bd|(?:cm|sf|ec)(?:ss)?bx", re.IGNORECASE)
MONOSPACED_NAME = re.compile(r"mono|courier|consol|typewriter|(?:cm|sf|ec|sl)tt|menlo", re.IGNORECASE)
ITALIC_NAME = re.compile(r"ital|obli|slant|(?:cm|sf|ec)(?:ti|sl)", re.IGNORECASE)
FIXED_PITCH, ITALIC, FORCE_BOLD = 1, 1 << 6, 1 << 18  # font flags (ISO 32000-1, table 123)

_WORD = re.compile(r"[^\s\0\x02]*\x02|[^\s\0\x02]+")
_HYPHEN = re.compile("|".join(HYPHENS))
_SURROGATE = re.compile("[\ud800-\udfff]")
_FLOATS = 4  # of an FS_RECTF: left, top, right, bottom


@dataclass(frozen=True, slots=True)
class Style:
    size: float
    bold: bool
    italic: bool
    monospaced: bool
    turn: int
    """Degrees by which the text is turned against the page, counter-clockwise."""


@dataclass(slots=True)
class Word:
    """`left` to `right` and `baseline` in points; downwards counts up.

    `line` is the number of the line, in the order in which the file draws them. Words of the same `drawn` are drawn by
    one command. `joined` means that no space is before the word; `spaced` that the file has one there, and draws the
    word before by another command.
    """

    text: str
    left: float
    right: float
    baseline: float
    style: Style
    line: int
    drawn: int
    joined: bool = False
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class _Boxes:
    """The sides of each letter's box, in points; upwards counts up."""

    lefts: list[float]
    tops: list[float]
    rights: list[float]
    bottoms: list[float]


def _typed(name: str, result: object, *arguments: object) -> ctypes._FuncPointer:
    """A PDFium function with handles as numbers, which can be compared and kept in tables."""
    return ctypes.CFUNCTYPE(result, *arguments)(_address(name))  # type: ignore[arg-type]


def _quick(name: str, result: object) -> ctypes._FuncPointer:
    """A PDFium function that is called for each letter or word. It takes handles and pointers as ctypes has them, and
    whole numbers as C's int: to check their types would take as long again. It keeps Python's lock, as it returns
    before another thread could use it."""
    return ctypes.PYFUNCTYPE(result)(_address(name))  # type: ignore[arg-type]


def _address(name: str) -> int | None:
    return ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value


_HANDLE, _INT, _POINTER = ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
_text_object = _quick("FPDFText_GetTextObject", _HANDLE)
_char_box = _quick("FPDFText_GetLooseCharBox", None)
_origin = _quick("FPDFText_GetCharOrigin", None)
_is_generated = _quick("FPDFText_IsGenerated", _INT)
_unicode = _quick("FPDFText_GetUnicode", ctypes.c_uint)
_matrix = _typed("FPDFPageObj_GetMatrix", _INT, _HANDLE, _POINTER)
_font_size = _typed("FPDFTextObj_GetFontSize", _INT, _HANDLE, _POINTER)
_font = _typed("FPDFTextObj_GetFont", _HANDLE, _HANDLE)
_font_flags = _typed("FPDFFont_GetFlags", _INT, _HANDLE)
_font_weight = _typed("FPDFFont_GetWeight", _INT, _HANDLE)
_font_name = _typed("FPDFFont_GetBaseFontName", ctypes.c_size_t, _HANDLE, _POINTER, ctypes.c_size_t)


def read_words(page: object) -> list[Word] | str:
    """The words of a page, in the order in which the file draws them; of a page without any layout its text."""
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        return []
    try:
        reader = _PageWords(text_page, pdfium.FPDFText_CountChars(text_page))
        return reader.read() if reader.count <= MAX_CHARACTERS else reader.text()
    finally:
        pdfium.FPDFText_ClosePage(text_page)


class _PageWords:
    def __init__(self, text_page: object, count: int) -> None:
        self._text_page = text_page
        self.count = max(count, 0)
        self._placed: dict[tuple[int, float, float], tuple[Style, float, float]] = {}
        self._styles: dict[tuple[int, int], Style] = {}
        self._fonts: dict[int, tuple[bool, bool, bool]] = {}
        self._numbers = (ctypes.c_double * 2)()
        self._x, self._y = ctypes.byref(self._numbers), ctypes.byref(self._numbers, 8)

    def read(self) -> list[Word]:
        text = self.text()
        boxes = self._boxes()
        words: list[Word] = []
        seen: set[tuple[str, int, int]] = set()
        line, last = 0, 0
        for match in _WORD.finditer(text):
            start, end = match.span()
            if text.find("\n", last, start) >= 0 or text[last - 1 : last] == HYPHEN:
                line += 1
            for first, stop in _pieces(text, start, end, boxes):
                line += first > start
                word = self._word(text, first, stop, boxes, line)
                place = (word.text, round(word.left / 2), round(word.baseline / 2))
                if place in seen and word.text.strip("._-"):  # drawn twice, as a shadow or to look bold
                    continue
                seen.add(place)
                word.joined = first == last and first > 0
                if words and words[-1].drawn != word.drawn:
                    word.spaced = first > last and not _is_generated(self._text_page, first - 1)
                words.append(word)
                last = stop
        return words

    def text(self) -> str:
        """A character for each of PDFium's indexes."""
        count = self.count
        buffer = (ctypes.c_ushort * (2 * count + 2))()
        written = max(pdfium.FPDFText_GetText(self._text_page, 0, count, buffer) - 1, 0)
        text = str(memoryview(buffer)[:written], "utf-16-le", "surrogatepass").replace("\ufffe", HYPHEN)
        if len(text) == count:  # it is not where the halves of a character have an index each
            return text
        read, text_page = _unicode, self._text_page
        return "".join(chr(min(read(text_page, index), sys.maxunicode)) for index in range(count))

    def _boxes(self) -> _Boxes:
        numbers = (ctypes.c_float * (_FLOATS * self.count))()
        pointers = map(ctypes.byref, repeat(numbers), range(0, ctypes.sizeof(numbers), ctypes.sizeof(pdfium.FS_RECTF)))
        deque(map(_char_box, repeat(self._text_page), range(self.count), pointers), maxlen=0)
        return _Boxes(*(numbers[side::_FLOATS] for side in range(_FLOATS)))

    def _word(self, text: str, start: int, end: int, boxes: _Boxes, line: int) -> Word:
        lefts = boxes.lefts[start:end]
        left, right = min(lefts), max(boxes.rights[start:end])
        drawn = _text_object(self._text_page, start) or 0
        style, x, y = self._place(drawn, start, boxes.tops[start], boxes.bottoms[start])
        characters = text[start:end].replace(HYPHEN, "-")
        if not characters.isascii():
            characters = _readable(characters, lefts)
        if not style.turn:
            return Word(characters, left, right, -y, style, line, drawn)
        if style.turn == 180:
            return Word(characters, -right, -left, y, style, line, drawn)
        top, bottom = max(boxes.tops[start:end]), min(boxes.bottoms[start:end])
        if style.turn == 90:
            return Word(characters, bottom, top, x, style, line, drawn)
        return Word(characters, -top, -bottom, -x, style, line, drawn)

    def _place(self, drawn: int, index: int, top: float, bottom: float) -> tuple[Style, float, float]:
        """The style of a letter, and where it begins. Letters of one command between the same heights are on one
        line."""
        key = (drawn, top, bottom)
        placed = self._placed.get(key)
        if placed is None or not drawn:
            _origin(self._text_page, index, self._x, self._y)
            placed = self._placed[key] = (self._style(drawn, top - bottom), *self._numbers)
        return placed

    def _style(self, handle: int, height: float) -> Style:
        key = (handle, round(2 * height))
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._style_of(handle, height)
        return style

    def _style_of(self, handle: int, height: float) -> Style:
        matrix, number = (ctypes.c_float * 6)(), ctypes.c_float(0)
        size, turn, face = 0.0, 0, (False, False, False)
        if handle and _matrix(handle, ctypes.addressof(matrix)) and _font_size(handle, ctypes.addressof(number)):
            a, b, c, d = matrix[:4]
            size = abs(number.value) * math.hypot(c, d)
            turn = round(math.degrees(math.atan2(b, a)) / 90) % 4 * 90
            face = self._font_style(_font(handle) or 0)
        if turn in (90, 270):
            height = size  # the box is that of the turned letter
        if not 0.5 * size <= height <= 2.5 * size and height > 0:
            size = (
                height / 1.15
            )  # drawn in a form that is scaled; fonts' boxes are about this much higher than the size
        return Style(round(2 * min(max(size, 1.0), 1000.0)) / 2, *face, turn)

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


def _pieces(text: str, start: int, end: int, boxes: _Boxes) -> Sequence[tuple[int, int]]:
    """The word from `start` to `end`, cut where the next letter is far away: PDFium leaves out some spaces, and the
    line's end after a hyphen."""
    lefts, tops, rights, bottoms = boxes.lefts, boxes.tops, boxes.rights, boxes.bottoms
    height = abs(tops[start] - bottoms[start])
    wide = abs(rights[end - 1] - lefts[start]) > 0.75 * (end - start) * height
    if end - start < 2 or (not wide and not _HYPHEN.search(text, start, end - 1)):
        return ((start, end),)
    pieces = []
    begin = start
    for index in range(start + 1, end):
        gap = max(lefts[index] - rights[index - 1], lefts[index - 1] - rights[index])
        fall = abs(bottoms[index] - bottoms[index - 1])
        if (gap > 0.6 * height and fall < height) or (text[index - 1] in HYPHENS and max(gap, fall) > 0.6 * height):
            pieces.append((begin, index))
            begin = index
    return (*pieces, (begin, end))


def _readable(characters: str, lefts: Sequence[float]) -> str:
    if _SURROGATE.search(characters):
        characters = characters.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return mended(characters, lefts) if RIGHT_TO_LEFT.search(characters) else characters
