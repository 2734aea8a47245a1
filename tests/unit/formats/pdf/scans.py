"""Scanned PDFs: pages that are pictures, drawn by PDFium from pages of text."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pytest

from ragbase.config import load_config
from ragbase.domain.errors import PermanentError
from ragbase.formats.pdf import ocr_data
from tests.unit.formats.pdf.pdf_files import Line, pdf, pdf_file

DOTS = 150
"""Dots an inch: as coarse as scans are, and quick to read."""
WIDTH, HEIGHT = 612, 360
"""Points of a page: a part of a sheet is enough for a few lines."""


def ocr_folder() -> Path:
    """The folder with the data of English and Vietnamese. Skips where it cannot be had, but not in CI."""
    folder = ocr_data.folder_in(load_config().model_folder)
    try:
        ocr_data.prepare(("en", "vi"), folder)
    except PermanentError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(error.reason)
    return folder


def scan(*pages: Sequence[Line], turn: int = 0) -> bytes:
    """A PDF of pictures of these pages, each turned by so many degrees."""
    return pdf_of_pictures(*([picture(page, turn)] for page in pages))


def picture(lines: Sequence[Line], turn: int = 0) -> tuple[int, int, bytes]:
    """What a scanner sees of the upper part of a page: its width and height in pixels, and a grey byte for each."""
    document = pypdfium2.PdfDocument(pdf(lines))
    page = document[0]
    page.set_cropbox(0, 792 - HEIGHT, WIDTH, 792)
    bitmap = page.render(scale=DOTS / 72, grayscale=True, rotation=turn)
    rows = bytes(bitmap.buffer)
    width, height, stride = bitmap.width, bitmap.height, bitmap.stride
    return width, height, b"".join(rows[at : at + width] for at in range(0, stride * height, stride))


def pdf_of_pictures(*pages: Sequence[tuple[int, int, bytes] | bytes]) -> bytes:
    """A PDF whose pages show pictures, over the whole page, and content streams (font F1 is there)."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for parts in pages:
        pictures: list[bytes] = []
        content = b""
        box = (WIDTH, HEIGHT)
        for part in parts:
            if isinstance(part, bytes):
                content += part + b"\n"
                continue
            width, height, pixels = part
            box = (width * 72 // DOTS, height * 72 // DOTS)
            data = zlib.compress(pixels)
            objects.append(
                b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray "
                b"/Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (width, height, len(data), data)
            )
            pictures.append(b"/I%d %d 0 R" % (len(objects), len(objects)))
            content += b"q %d 0 0 %d 0 0 cm /I%d Do Q\n" % (*box, len(objects))
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources << /Font << /F1 3 0 R >> "
            b"/XObject << %s >> >> /Contents %d 0 R >>" % (*box, b" ".join(pictures), len(objects))
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    return pdf_file(objects)
