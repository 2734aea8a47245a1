"""The script that reads one PDF: bytes on stdin, JSON on stdout (see formats/limited_process.py).

Its option is the most characters that the text may have. Its answer is {"pages": [Markdown, …]} or {"error": WORD}, the
words being those of pdf.FAILURES.
"""

from __future__ import annotations

import json
from typing import Any

from ragbase.formats.limited_process import answer

PDFIUM_PASSWORD = 4  # FPDF_ERR_PASSWORD in fpdfview.h
MAX_PAGES = 1_000_000


def read_document(data: bytes, max_characters: str) -> bytes:
    return json.dumps(read_pdf(data, int(max_characters)), ensure_ascii=False).encode()


def read_pdf(data: bytes, max_characters: int) -> dict[str, Any]:
    from liteparse import LiteParse, ParseError

    parser = LiteParse(
        ocr_enabled=False,
        output_format="markdown",
        image_mode="off",
        keep_headers_footers=True,
        max_pages=MAX_PAGES,
        num_workers=1,
        quiet=True,
    )
    try:
        pages = [page.markdown.replace("\0", "") for page in parser.parse(data).pages]
    except ParseError:
        return {"error": _why(data)}
    except BaseException:  # noqa: BLE001 - a panic of the parser and want of memory are the file's doing
        return {"error": "crashed"}
    if sum(map(len, pages)) > max_characters:
        return {"error": "too_much_text"}
    return {"pages": pages}


def _why(data: bytes) -> str:
    """PDFium's own code tells a password from damage; liteparse passes on only words."""
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    try:
        pypdfium2.PdfDocument(data).close()
    except pypdfium2.PdfiumError as error:
        return "password" if error.err_code == PDFIUM_PASSWORD else "corrupt"
    return "corrupt"


if __name__ == "__main__":
    answer(read_document)
