"""What is filled into the forms of a PDF, and written on its pages as free text: it is no part of their text layers."""

from __future__ import annotations

import ctypes
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.page_box import Box, word_box
from ragbase.formats.pdf.styles import Paint, Style
from ragbase.formats.pdf.words import Word

MOST_FIELDS = 2_000
"""Of a page. One with more is no form that anybody fills in."""
MOST_BESIDE = 500
"""How many words of a page are looked at for the label of a field."""
LONGEST_VALUE = 100_000
"""Characters."""
USUAL_SIZE = 10.0
"""Points, of values on a page without text. Others are as large as the text: no value is a heading."""
LETTER_WIDTH, SPACE_WIDTH, LEADING, FOOT = 0.5, 0.28, 1.2, 0.25
"""Of letters, spaces and lines, and how far the baseline is above the foot of a line; in parts of the size."""
CHECKED, UNCHECKED = "☑", "☐"

MULTILINE, PASSWORD = 1 << 12, 1 << 13  # flags of fields (ISO 32000-1, table 228)
NOT_SHOWN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
BOXES = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
CHOICES = (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)


class FormValues:
    """The values of a document that PDFium has opened. Close it before the document."""

    def __init__(self, document: object) -> None:
        self._form: object = None
        if pdfium.FPDF_GetFormType(document) != pdfium.FORMTYPE_NONE:
            self._info = pdfium.FPDF_FORMFILLINFO(version=2)  # PDFium keeps its address
            self._form = pdfium.FPDFDOC_InitFormFillEnvironment(document, self._info)

    def close(self) -> None:
        if self._form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(self._form)
            self._form = None

    def words(self, page: object, words: Sequence[Word]) -> list[Word]:
        """The words of the values on a page with these words, each at its place."""
        count = min(pdfium.FPDFPage_GetAnnotCount(page), MOST_FIELDS)
        if count < 1:
            return []
        if self._form:
            pdfium.FORM_OnAfterLoadPage(page, self._form)  # or else no box is checked
        try:
            values = [value for index in range(count) if (value := self._value(page, index)) is not None]
        finally:
            if self._form:
                pdfium.FORM_OnBeforeClosePage(page, self._form)
        if not values:
            return []
        beside = _Beside(words)
        placed: list[Word] = []
        for number, value in enumerate(values, start=1):
            if not beside.has(value):
                placed += _placed(value, beside, -number)
        return placed

    def _value(self, page: object, index: int) -> _Value | None:
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            return None
        try:
            kind = pdfium.FPDFAnnot_GetSubtype(annotation)
            if kind not in (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT):
                return None
            rect = pdfium.FS_RECTF()
            if pdfium.FPDFAnnot_GetFlags(annotation) & NOT_SHOWN or not pdfium.FPDFAnnot_GetRect(annotation, rect):
                return None
            box = Box(rect.left, rect.bottom, rect.right, rect.top)
            if kind == pdfium.FPDF_ANNOT_FREETEXT:
                text = _string(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents")
                return _Value(text, box, is_multiline=True) if text.strip() else None
            return self._of_field(annotation, box) if self._form else None
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)

    def _of_field(self, annotation: object, box: Box) -> _Value | None:
        form = self._form
        kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
        flags = pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation)
        if kind in BOXES:
            text = self._of_box(annotation)
        elif kind in CHOICES:
            text = self._chosen(annotation) or _string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
        elif kind == pdfium.FPDF_FORMFIELD_TEXTFIELD and not flags & PASSWORD:
            text = _string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
        else:
            return None
        is_multiline = kind == pdfium.FPDF_FORMFIELD_TEXTFIELD and bool(flags & MULTILINE)
        return _Value(text, box, is_multiline) if text.strip() else None

    def _of_box(self, annotation: object) -> str:
        if not pdfium.FPDFAnnot_IsChecked(self._form, annotation):
            return UNCHECKED
        state = _string(pdfium.FPDFAnnot_GetFormFieldExportValue, self._form, annotation)
        return f"{CHECKED} {state}" if any(map(str.isalpha, state)) else CHECKED

    def _chosen(self, annotation: object) -> str:
        form = self._form
        count = max(pdfium.FPDFAnnot_GetOptionCount(form, annotation), 0)
        chosen = [at for at in range(count) if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, at)]
        return ", ".join(
            _string(lambda *rest, at=at: pdfium.FPDFAnnot_GetOptionLabel(form, annotation, at, *rest)) for at in chosen
        )


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    box: Box
    is_multiline: bool


class _Beside:
    """The words of a page by their heights, to find those beside a value."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = sorted(((word_box(word), word) for word in words), key=lambda pair: pair[0].middle[1])
        self._heights = [box.middle[1] for box, _ in self._words]
        sizes = Counter(word.style.size for word in words)
        self.size = sizes.most_common(1)[0][0] if sizes else USUAL_SIZE

    def _between(self, bottom: float, top: float) -> Sequence[tuple[Box, Word]]:
        first = bisect_left(self._heights, bottom)
        return self._words[first : min(bisect_right(self._heights, top), first + MOST_BESIDE)]

    def has(self, value: _Value) -> bool:
        """Whether the page's own text has the value at its place, as in a form that was printed over itself."""
        inside = [
            word.text for box, word in self._between(value.box.bottom, value.box.top) if value.box.holds(*box.middle)
        ]
        wanted = "".join(value.text.removeprefix(CHECKED).split())
        return bool(wanted) and sorted(wanted) == sorted("".join(inside))

    def label(self, value: _Value) -> Word | None:
        """The nearest word on the line of a value."""
        near = [
            (min(abs(box.right - value.box.left), abs(box.left - value.box.right)), index, word)
            for index, (box, word) in enumerate(self._between(value.box.bottom, value.box.top))
            if not word.style.turn and not word.style.slanted
        ]
        return min(near)[2] if near else None


def _placed(value: _Value, beside: _Beside, drawn: int) -> Iterator[Word]:
    """The words of a value, on the line of its label or, of several lines, from the top of its field."""
    box = value.box
    lines = list(_lines(value, beside.size))
    label = beside.label(value) if len(lines) == 1 else None
    size = label.style.size if label is not None else beside.size
    style = Style(size, False, False, False, 0, False, 0, Paint.VISIBLE)
    if label is not None:
        baseline = label.baseline
    elif value.is_multiline:
        baseline = -(box.top - LEADING * size)
    else:
        baseline = -((box.top + box.bottom) / 2 - (0.5 - FOOT) * size)
    for number, words in enumerate(lines):
        left = box.left
        scale = min(1.0, max(box.right - box.left, size) / max(_width(words, size), 1.0))
        for word in words:
            right = left + scale * LETTER_WIDTH * size * len(word)
            yield Word(
                word, left, right, baseline + number * LEADING * size, style, drawn * MOST_FIELDS - number, drawn
            )
            left = right + scale * SPACE_WIDTH * size


def _lines(value: _Value, size: float) -> Iterator[list[str]]:
    """Its words, in lines that are as wide as the field."""
    widest = value.box.right - value.box.left
    for paragraph in value.text.splitlines():
        line: list[str] = []
        for word in paragraph.split():
            if line and value.is_multiline and _width([*line, word], size) > widest:
                yield line
                line = []
            line.append(word)
        if line:
            yield line


def _width(words: Sequence[str], size: float) -> float:
    return size * (LETTER_WIDTH * sum(map(len, words)) + SPACE_WIDTH * max(len(words) - 1, 0))


def _string(read: object, *arguments: object) -> str:
    """What a function of PDFium writes into a buffer, as UTF-16 with a zero at its end."""
    length = read(*arguments, None, 0)  # type: ignore[operator]
    if not 2 < length <= 2 * LONGEST_VALUE:
        return ""
    buffer = (ctypes.c_ushort * (length // 2))()
    read(*arguments, buffer, length)  # type: ignore[operator]
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace")
