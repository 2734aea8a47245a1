"""The words of a PDF page: their text, place and style, as PDFium reports them."""

from __future__ import annotations

import ctypes
import re
import sys
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.hyphens import (
    CHINESE_OR_JAPANESE,
    HYPHENS,
    SOFT_HYPHEN,
    has_soft_hyphens,
    without_soft_hyphens,
)
from ragbase.formats.pdf.note_marks import Marks
from ragbase.formats.pdf.pdfium_calls import HANDLE, INT, quick
from ragbase.formats.pdf.right_to_left import (
    BRACKETS,
    RIGHT_TO_LEFT,
    SHAPED,
    as_seen,
    mended,
    read_line,
    share_of_right_to_left,
    without_far_brackets,
)
from ragbase.formats.pdf.styles import Style, Styles

HYPHEN = "\x02"
"""What PDFium makes of a hyphen at the end of a line, with no line break after it. In texts it is U+FFFE."""

ASCENT, DESCENT = 0.75, 0.22
"""How far letters reach above and below their baseline, in parts of their size: about right for all fonts."""

MAX_CHARACTERS = 200_000
"""A page with more has no layout that anybody could read."""

FAR_BRACKET = 0.13
"""The least gap between a bracket and a word that is read as a space, in parts of the letters' height."""
MOSTLY = 0.5
"""The share of letters from right to left above which a word alone on its line is part of such a text."""

_WORD = re.compile(r"[^\s\0\x02]*\x02|[^\s\0\x02]+")
_HYPHEN = re.compile("|".join(HYPHENS))
_SURROGATE = re.compile("[\ud800-\udfff]")
_FLOATS = 4  # of an FS_RECTF: left, top, right, bottom


@dataclass(slots=True)
class Word:
    """`left` to `right` and `baseline` in points; downwards counts up.

    `line` is the number of the line, in the order in which the file draws them. Words of the same `drawn` are drawn by
    one command. `joined` means that no space is before the word; `spaced` that the file has one there, and draws the
    word before by another command. `letters` are where each letter begins and ends, of a word in a script without
    blanks. `drawn_at` is its place on the page, as (left, bottom, right, top) in points that count upwards, if it is
    not where the other numbers say.
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
    letters: Sequence[tuple[float, float]] = ()
    drawn_at: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class PageWords:
    """What stands in the text layer of a page: its text as it is in the file, and its words in the order in which the
    file draws them. A page of too many characters `has_layout` not, and no words."""

    text: str
    words: list[Word]
    styles: Collection[Style] = ()
    has_layout: bool = True


@dataclass(frozen=True, slots=True)
class _Boxes:
    """The sides of each letter's box, in points; upwards counts up."""

    lefts: list[float]
    tops: list[float]
    rights: list[float]
    bottoms: list[float]


_text_object = quick("FPDFText_GetTextObject", HANDLE)
_char_box = quick("FPDFText_GetLooseCharBox", None)
_origin = quick("FPDFText_GetCharOrigin", None)
_is_generated = quick("FPDFText_IsGenerated", INT)
_has_no_letter = quick("FPDFText_HasUnicodeMapError", INT)
_unicode = quick("FPDFText_GetUnicode", ctypes.c_uint)


def read_words(page: object) -> PageWords:
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        return PageWords("", [])
    try:
        reader = _Reader(text_page, pdfium.FPDFText_CountChars(text_page))
        text = reader.text()
        has_layout = reader.count <= MAX_CHARACTERS
        return PageWords(text, reader.words(text) if has_layout else [], reader.styles, has_layout)
    finally:
        pdfium.FPDFText_ClosePage(text_page)


class _Reader:
    def __init__(self, text_page: object, count: int) -> None:
        self._text_page = text_page
        self.count = max(count, 0)
        self._placed: dict[tuple[int, float, float], tuple[Style, float, float]] = {}
        self._styles = Styles()
        self._direction = 0.0
        self._is_shaped = False
        self._has_soft_hyphens = True
        self._numbers = (ctypes.c_double * 2)()
        self._x, self._y = ctypes.byref(self._numbers), ctypes.byref(self._numbers, 8)

    @property
    def styles(self) -> Collection[Style]:
        return self._styles.all

    def words(self, text: str) -> list[Word]:
        boxes = self._boxes()
        self._direction = share_of_right_to_left(text)
        self._is_shaped = bool(SHAPED.search(text))
        self._has_soft_hyphens = has_soft_hyphens(text)
        marks = Marks(text, boxes.tops, boxes.bottoms)
        words: list[Word] = []
        seen: set[tuple[str, int, int]] = set()
        line, last = 0, 0
        for match in _WORD.finditer(text):
            start, end = match.span()
            if text.find("\n", last, start) >= 0 or text[last - 1 : last] == HYPHEN:
                line += 1
            pieces = _pieces(text, start, end, boxes)
            uneven = marks.uneven.find(1, start, end - 1) >= 0
            if len(pieces) > 1 or (uneven and marks.may_be_in(start, end)):
                pieces = self._pieces(pieces, boxes, marks)
            elif self._direction and (text[start] in BRACKETS or text[end - 1] in BRACKETS):
                pieces = _without_far_brackets(text, start, end, boxes)
            for first, stop in pieces:
                is_mark = first > start and marks.begins(first)
                line += first > start and not is_mark
                is_uneven = uneven and marks.uneven.find(1, first, stop - 1) >= 0
                word = self._word(text, first, stop, boxes, line, is_uneven=is_uneven)
                if not word.text:
                    continue
                if is_mark:
                    _put_on_one_line(words[-1], word)
                place = (word.text, round(word.left / 2), round(word.baseline / 2))
                if place in seen and word.text.strip("._-"):  # drawn twice, as a shadow or to look bold
                    continue
                seen.add(place)
                word.joined = first == last and first > 0 and not is_mark
                if words and words[-1].drawn != word.drawn:
                    word.spaced = first > last and not _is_generated(self._text_page, first - 1)
                words.append(word)
                last = stop
        return words

    def _pieces(self, pieces: Sequence[tuple[int, int]], boxes: _Boxes, marks: Marks) -> Sequence[tuple[int, int]]:
        start, end = pieces[0][0], pieces[-1][1]
        style = self._place(_text_object(self._text_page, start) or 0, start, boxes)[0]
        if style.slanted:
            return ((start, end),)  # the letters of a word stand far from each other, as each is higher than the last
        return pieces if style.turn else [part for piece in pieces for part in marks.cut(*piece)]

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

    def _word(self, text: str, start: int, end: int, boxes: _Boxes, line: int, *, is_uneven: bool) -> Word:
        lefts = boxes.lefts[start:end]
        left, right = min(lefts), max(boxes.rights[start:end])
        drawn = _text_object(self._text_page, start) or 0
        style, x, y = self._place(drawn, start, boxes)
        characters = text[start:end].replace(HYPHEN, "-")
        if not characters.isascii():
            characters = _readable(*(self._meant(characters, start, lefts) if self._is_shaped else (characters, lefts)))
            if SOFT_HYPHEN in characters:
                characters = without_soft_hyphens(characters, are_soft=self._has_soft_hyphens)
        elif self._direction:
            characters = as_seen(characters, lefts)
            if self._direction > MOSTLY and text[start - 1 : start] in "\n" and text[end : end + 1] in "\r\n":
                characters, _ = read_line([characters], [])
        if not style.turn:
            word = Word(characters, left, right, -y, style, line, drawn)
        elif style.turn == 180:
            word = Word(characters, -right, -left, y, style, line, drawn)
        else:
            top, bottom = max(boxes.tops[start:end]), min(boxes.bottoms[start:end])
            low, high, at = (bottom, top, x) if style.turn == 90 else (-top, -bottom, -x)
            word = Word(characters, low, high, at, style, line, drawn)
        if is_uneven or style.slanted:
            word.drawn_at = (left, min(boxes.bottoms[start:end]), right, max(boxes.tops[start:end]))
        elif (
            not (characters.isascii() or style.turn)
            and len(characters) == end - start > 1
            and CHINESE_OR_JAPANESE.search(characters)
        ):
            word.letters = list(zip(lefts, boxes.rights[start:end], strict=True))
        return word

    def _meant(self, characters: str, start: int, lefts: list[float]) -> tuple[str, list[float]]:
        """The letters of a word without the codes of glyphs that stand for no letter of their own, which PDFium gives
        as if they were some."""
        is_shaped = SHAPED.search(characters)
        kept = [
            at
            for at, character in enumerate(characters)
            if SHAPED.match(character)
            or not (is_shaped or (character.isalpha() and not character.isascii()))
            or not _has_no_letter(self._text_page, start + at)
        ]
        if len(kept) == len(characters):
            return characters, lefts
        return "".join(characters[at] for at in kept), [lefts[at] for at in kept]

    def _place(self, drawn: int, index: int, boxes: _Boxes) -> tuple[Style, float, float]:
        """The style of a letter, and where it begins. Letters of one command between the same heights are on one
        line."""
        top, bottom = boxes.tops[index], boxes.bottoms[index]
        key = (drawn, top, bottom)
        placed = self._placed.get(key)
        if placed is None or not drawn:
            _origin(self._text_page, index, self._x, self._y)
            placed = self._placed[key] = (self._styles.of(drawn, top - bottom), *self._numbers)
        return placed


def _put_on_one_line(word: Word, mark: Word) -> None:
    """A mark is raised, or what follows it is lower."""
    baseline = max(word.baseline, mark.baseline)
    for one in (word, mark):
        if one.baseline != baseline and one.drawn_at is None:
            size, foot = one.style.size, -one.baseline
            one.drawn_at = (one.left, foot - DESCENT * size, one.right, foot + ASCENT * size)
        one.baseline = baseline


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


def _without_far_brackets(text: str, start: int, end: int, boxes: _Boxes) -> Sequence[tuple[int, int]]:
    far = FAR_BRACKET * abs(boxes.tops[start] - boxes.bottoms[start])
    first, stop = without_far_brackets(text[start:end], boxes.lefts[start:end], boxes.rights[start:end], far)
    cuts = sorted({start, start + first, start + stop, end})
    return list(pairwise(cuts))


def _readable(characters: str, lefts: Sequence[float]) -> str:
    if _SURROGATE.search(characters):
        characters = characters.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return mended(characters, lefts) if RIGHT_TO_LEFT.search(characters) else characters
