"""The script that reads one PDF: bytes on stdin, JSON on stdout, limits as arguments (see formats/sandbox.py).

Its last argument is a task in JSON: {"what": "read" or "weigh", "first": N, "last": N, "max_characters": N, "ocr":
{"force": bool, "data": FOLDER, "languages": [CODE, …]} or null}, with pages counted from 1 and 0 for the last one.
The answer to "read" is {"pages": [{"markdown": …, "read": WORD}, …]}, the words being those of PageReading; to "weigh"
it is {"needs_ocr": [bool, …]}; and to both it may be {"error": WORD}, the words being those of pdf.FAILURES.

Of ours it imports only what is next to it, so that it starts fast.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from contextlib import suppress
from typing import Any

PARENT_CHECK_SECONDS = 0.5
PDFIUM_PASSWORD = 4  # FPDF_ERR_PASSWORD in fpdfview.h


def main() -> None:
    parent, memory_bytes, output_bytes = map(int, sys.argv[1:4])
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, output_bytes)
    _limit(resource.RLIMIT_CORE, 0)
    answer = read_pdf(sys.stdin.buffer.read(), json.loads(sys.argv[4]))
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode())


def _end_with(parent: int) -> None:
    """A process whose parent has died is adopted by another."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_SECONDS)
    os._exit(1)


def _limit(kind: int, amount: int) -> None:
    with suppress(ValueError, OSError):  # some systems (macOS) know no limit of the address space
        resource.setrlimit(kind, (amount, amount))


def read_pdf(data: bytes, task: dict[str, Any]) -> dict[str, Any]:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return {"error": "password" if error.err_code == PDFIUM_PASSWORD else "corrupt"}
    if not len(document):
        return {"error": "corrupt"}
    from ragbase.formats.pdf import pages

    return pages.weigh(document, task["ocr"]) if task["what"] == "weigh" else pages.read(document, task)


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        os.abort()  # as the parser itself does
