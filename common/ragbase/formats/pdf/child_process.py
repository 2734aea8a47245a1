"""The script that reads one PDF: bytes on stdin, JSON on stdout (see formats/sandbox/answer.py).

Its option is a task in JSON: {"first": N, "last": N, "cut": bool, "max_characters": N, "ocr": {"force": bool, "data":
FOLDER or null, "languages": [CODE, …]} or null}, with pages counted from 1 and 0 for the last one. Without the folder,
OCR is weighed, but reads nothing. The answer is {"pages": [{"markdown": …, "read": WORD, "left_out": [{"what": …,
"text": …, "shown": bool}, …], "boxes": …}, …]}, the words being those of PageReading, and the boxes those of
domain/word_boxes.py; {"parts": [[FIRST, LAST], …]} if the document
may be cut and is long enough; or {"error": WORD}, the words being those of pdf.FAILURES.
"""

from __future__ import annotations

import gc
import json
from typing import Any

from ragbase.formats.sandbox.answer import answer

PDFIUM_PASSWORD = 4  # FPDF_ERR_PASSWORD in fpdfview.h


def read_document(data: bytes, task: str) -> bytes:
    gc.disable()  # what the pages leave has no circles: looking for them takes a tenth of the time
    return json.dumps(read_pdf(data, json.loads(task)), ensure_ascii=False).encode()


def read_pdf(data: bytes, task: dict[str, Any]) -> dict[str, Any]:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return {"error": "password" if error.err_code == PDFIUM_PASSWORD else "corrupt"}
    if not len(document):
        return {"error": "corrupt"}
    from ragbase.formats.pdf import pages

    return pages.read(document, task)


if __name__ == "__main__":
    answer(read_document)
