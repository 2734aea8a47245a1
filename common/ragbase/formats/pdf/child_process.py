"""The script that reads one PDF: bytes on stdin, JSON on stdout (see formats/limited_process.py).

Its option is the most characters that the text may have. Its answer is {"pages": [Markdown, …]} or {"error": WORD}, the
words being those of pdf.FAILURES.
"""

from __future__ import annotations

import json
from typing import Any

from ragbase.formats.limited_process import answer

PDFIUM_PASSWORD = 4  # FPDF_ERR_PASSWORD in fpdfview.h


def read_document(data: bytes, max_characters: str) -> bytes:
    return json.dumps(read_pdf(data, int(max_characters)), ensure_ascii=False).encode()


def read_pdf(data: bytes, max_characters: int) -> dict[str, Any]:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    from ragbase.formats.pdf.text_layer import read_pages

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return {"error": "password" if error.err_code == PDFIUM_PASSWORD else "corrupt"}
    pages = []
    length = 0
    for page in read_pages(document.raw, 1, len(document)):
        pages.append(page.markdown)
        length += len(page.markdown)
        if length > max_characters:
            return {"error": "too_much_text"}
    return {"pages": pages}


if __name__ == "__main__":
    answer(read_document)
