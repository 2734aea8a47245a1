"""PDFs for measuring: pages of dense text in two columns, and a page as its picture."""

from __future__ import annotations

import ctypes
import io
import textwrap
from collections.abc import Sequence
from typing import Any

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

PAGES = 200
WIDTH, HEIGHT = 612, 792
"""Points of a page."""
COLUMNS = (50, 312)
"""Where they begin, in points from the left."""
LINES, CHARACTERS = 54, 56
"""Of each column, and at most of each line."""
SIZE, LEADING = 8, 12.5
"""Points: of a letter, and from line to line."""
DOTS = 300
"""Dots an inch of a scan."""


def dense_columns(text: str) -> bytes:
    """A PDF of PAGES pages in two columns, as full as a paper's, which go through the ASCII words of this text."""
    lines = textwrap.wrap(" ".join(word for word in text.split() if word.isascii()), CHARACTERS)
    document = pypdfium2.PdfDocument.new()
    font = pdfium.FPDFText_LoadStandardFont(document.raw, b"Helvetica")
    for number in range(PAGES):
        page = document.new_page(WIDTH, HEIGHT)
        for column, left in enumerate(COLUMNS):
            first = (len(COLUMNS) * number + column) * LINES
            _write(document, page, font, left, [lines[(first + line) % len(lines)] for line in range(LINES)])
        page.gen_content()
    return _saved(document)


def _write(document: Any, page: Any, font: object, left: float, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines):
        written = pdfium.FPDFPageObj_CreateTextObj(document.raw, font, SIZE)
        text = ctypes.create_string_buffer(line.encode("utf-16-le") + b"\0")
        pdfium.FPDFText_SetText(written, ctypes.cast(text, pdfium.FPDF_WIDESTRING))
        pdfium.FPDFPageObj_Transform(written, 1, 0, 0, 1, left, HEIGHT - 50 - LEADING * number)
        pdfium.FPDFPage_InsertObject(page.raw, written)


def as_picture(data: bytes, index: int = 0) -> bytes:
    """A page of a PDF as a scanner would make it: a page that is a grey picture."""
    page = pypdfium2.PdfDocument(data)[index]
    width, height = page.get_size()
    document = pypdfium2.PdfDocument.new()
    picture = pypdfium2.PdfImage.new(document)
    picture.set_bitmap(page.render(scale=DOTS / 72, grayscale=True))
    picture.set_matrix(pypdfium2.PdfMatrix().scale(width, height))
    scan = document.new_page(width, height)
    scan.insert_obj(picture)
    scan.gen_content()
    return _saved(document)


def _saved(document: Any) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()
