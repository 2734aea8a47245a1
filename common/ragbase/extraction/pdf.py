"""PDF → Markdown with its pages, read by liteparse in a process of its own, since a PDF can break any parser."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ragbase.domain.chunk import Extraction, Page
from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.extraction.detection import PDF_HEADER
from ragbase.extraction.limits import ExtractionLimits
from ragbase.extraction.sandbox import Crashed, TimedOut, run_sandboxed

WORKER = Path(__file__).with_name("pdf_worker.py")
LIBRARIES = ("liteparse", "pypdfium2")

FAILURES = {
    "password": (
        ErrorCode.PASSWORD_PROTECTED,
        "The PDF can only be opened with a password. Remove the password and upload it again.",
    ),
    "corrupt": (
        ErrorCode.CORRUPT_FILE,
        "The PDF is damaged and cannot be opened. Open it in a PDF reader, export it again and upload that.",
    ),
    "too_much_text": (
        ErrorCode.FILE_TOO_LARGE,
        "The PDF unpacks to more than {limits.max_text_characters} characters of text. Split it into smaller files.",
    ),
    "crashed": (
        ErrorCode.CORRUPT_FILE,
        "The PDF broke its reader, or needs more than the {limits.pdf_memory_bytes} bytes of memory that one file may "
        "take. Open it in a PDF reader, export it again, in parts if it is huge, and upload that.",
    ),
    "slow": (
        ErrorCode.TIMEOUT,
        "The PDF could not be read within {limits.pdf_timeout_seconds:g} seconds. Split it into smaller files.",
    ),
    "no_text": (
        ErrorCode.UNSUPPORTED_FORMAT,
        "The PDF has no text layer: its pages are images, which are not read. Run it through OCR software that adds a "
        "text layer (such as OCRmyPDF) and upload the result.",
    ),
}
"""What each word of the worker's, and of ours, means for the document."""

PAGE_BREAK = "\n\n"
EMPTY_FENCE = re.compile(r"^```\w*\n\s*```$", re.MULTILINE)
"""What liteparse makes of a page of nothing but images."""

BYTES_PER_CHARACTER = 6
"""The most that a character takes in the worker's JSON, as \\u0001 does."""


def pdf_to_markdown(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError with the code that fits, ConfigurationError where the PDF libraries are not installed."""
    missing = [library for library in LIBRARIES if find_spec(library) is None]
    if missing:
        raise ConfigurationError(
            f"Reading PDFs needs {' and '.join(missing)}, which cannot be imported. Install ragbase[pdf]."
        )
    header = max(data.find(PDF_HEADER), 0)  # liteparse wants it first; offsets in a PDF count from it
    try:
        answer = json.loads(
            run_sandboxed(
                WORKER,
                data[header:],
                memory_bytes=limits.pdf_memory_bytes,
                output_bytes=BYTES_PER_CHARACTER * limits.max_text_characters + 4096,
                seconds=limits.pdf_timeout_seconds,
                options=(str(limits.max_text_characters),),
            )
        )
    except Crashed as error:
        raise _failure("crashed", limits) from error
    except TimedOut as error:
        raise _failure("slow", limits) from error
    if "error" in answer:
        raise _failure(answer["error"], limits)
    pages = [EMPTY_FENCE.sub("", markdown).strip() for markdown in answer["pages"]]
    if not any(pages):
        raise _failure("no_text", limits)
    return _joined(pages)


def _failure(word: str, limits: ExtractionLimits) -> PermanentError:
    code, reason = FAILURES[word]
    return PermanentError(code, reason.format(limits=limits))


def _joined(markdown: Sequence[str]) -> Extraction:
    pages = []
    position = 0
    for number, text in enumerate(markdown, start=1):
        pages.append(Page(number, position, position + len(text)))
        position += len(text) + len(PAGE_BREAK)
    return Extraction(PAGE_BREAK.join(markdown), tuple(pages))
