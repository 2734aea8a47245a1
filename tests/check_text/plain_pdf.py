"""The words of a PDF: PDFium's raw text of each page, the values of its form, and what is written on it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]


def read_pdf(data: bytes) -> tuple[str, str]:
    """The text, and nothing that may be given beside it."""
    document = pypdfium2.PdfDocument(data)
    form = document.init_forms()
    pages = []
    for page in document:
        text = page.get_textpage()
        pages += [text.get_text_range(), *(_written_on(form, page) if form is not None else ())]
    return "\n".join(pages), ""


def _written_on(form: object, page: object) -> Iterator[str]:
    """Values of fields, but for those whose look is in the text already."""
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            if pdfium.FPDFAnnot_GetFormFieldType(form, annotation) in (
                pdfium.FPDF_FORMFIELD_TEXTFIELD,
                pdfium.FPDF_FORMFIELD_COMBOBOX,
                pdfium.FPDF_FORMFIELD_LISTBOX,
            ):
                yield _text(
                    lambda buffer, size, of=annotation: pdfium.FPDFAnnot_GetFormFieldValue(form, of, buffer, size)
                )
        elif kind == pdfium.FPDF_ANNOT_FREETEXT:
            yield _text(
                lambda buffer, size, of=annotation: pdfium.FPDFAnnot_GetStringValue(of, b"Contents", buffer, size)
            )
        pdfium.FPDFPage_CloseAnnot(annotation)


def _text(read: object) -> str:
    size = read(None, 0)  # type: ignore[operator]  # a call of PDFium
    buffer = ctypes.create_string_buffer(size)
    read(ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)  # type: ignore[operator]  # as above
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")
