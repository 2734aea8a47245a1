"""PDF → Markdown with its pages, read by PDFium in a process of its own, since a PDF can break any parser."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ragbase.domain.chunk import Extraction, Page
from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.domain.lane import Lane
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.format import Format
from ragbase.formats.pdf import child_process
from ragbase.formats.pdf.joined_tables import join_tables
from ragbase.formats.sandbox import Crashed, TimedOut, run_sandboxed
from ragbase.formats.signatures import binary_kind

HEADER = b"%PDF-"
HEADER_WITHIN = 1024
"""Bytes of junk that readers accept before the header (ISO 32000-1, Annex H, implementation note 13)."""

HEADER_ALONE = re.compile(rb"(?:\xef\xbb\xbf)?\s*%PDF-\d\.\d\s*?[\r\n]")
"""A text may well speak of %PDF-1.7; only a PDF has it alone on its first line."""

CHILD_PROCESS = Path(child_process.__file__)
LIBRARIES = ("pypdfium2",)

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
        "The PDF broke its reader, or needs more than the {limits.memory_bytes} bytes of memory that one file may take "
        "(the setting extract_memory). Open it in a PDF reader, export it again, in parts if it is huge, and upload "
        "that.",
    ),
    "slow": (
        ErrorCode.TIMEOUT,
        "The PDF could not be read within {limits.timeout_seconds:g} seconds (the setting extract_timeout). Split it "
        "into smaller files.",
    ),
    "no_text": (
        ErrorCode.UNSUPPORTED_FORMAT,
        "The PDF has no text layer: its pages are images, which are not read. Run it through OCR software that adds a "
        "text layer (such as OCRmyPDF) and upload the result.",
    ),
}
"""What each word of the child process, and of this one, means for the document."""

BYTES_PER_CHARACTER = 6
"""The most that a character takes in the child process's JSON, as \\u0001 does."""


def is_certainly_pdf(data: bytes) -> bool:
    return HEADER_ALONE.match(data[:HEADER_WITHIN]) is not None


def check_pdf(data: bytes) -> None:
    """Raises PermanentError (CORRUPT_FILE) for content without a PDF header."""
    if HEADER in data[:HEADER_WITHIN]:
        return
    found = binary_kind(data) or ("empty" if not data else "something else")
    raise PermanentError(
        ErrorCode.CORRUPT_FILE,
        f"The file is named as a PDF, but it has no {HEADER.decode()} header in its first {HEADER_WITHIN} bytes: it is "
        f"{found}. Upload the original PDF, or name the file after what it is.",
    )


def read_pdf(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError with the code that fits, ConfigurationError where the PDF libraries are not installed."""
    missing = [library for library in LIBRARIES if find_spec(library) is None]
    if missing:
        raise ConfigurationError(
            f"Reading PDFs needs {' and '.join(missing)}, which cannot be imported. Install ragbase[pdf]."
        )
    header = max(data.find(HEADER), 0)  # offsets in a PDF count from it
    try:
        answer = json.loads(
            run_sandboxed(
                CHILD_PROCESS,
                data[header:],
                memory_bytes=limits.memory_bytes,
                output_bytes=BYTES_PER_CHARACTER * limits.max_text_characters + 4096,
                seconds=limits.timeout_seconds,
                options=(str(limits.max_text_characters),),
            )
        )
    except Crashed as error:
        raise _failure("crashed", limits) from error
    except TimedOut as error:
        raise _failure("slow", limits) from error
    if "error" in answer:
        raise _failure(answer["error"], limits)
    pages = answer["pages"]
    if not any(pages):
        raise _failure("no_text", limits)
    return _joined(pages)


def _failure(word: str, limits: ExtractionLimits) -> PermanentError:
    code, reason = FAILURES[word]
    return PermanentError(code, reason.format(limits=limits))


def _joined(markdown: Sequence[str]) -> Extraction:
    texts, breaks = join_tables(markdown)
    pages = []
    position = 0
    for number, (text, after) in enumerate(zip(texts, [*breaks, ""], strict=True), start=1):
        pages.append(Page(number, position, position + len(text)))
        position += len(text) + len(after)
    return Extraction("".join(text + after for text, after in zip(texts, [*breaks, ""], strict=True)), tuple(pages))


FORMAT = Format(
    name="pdf",
    extensions=(".pdf",),
    content_types=("application/pdf",),
    lane=Lane.HEAVY,
    version="pdf-v2",
    check=check_pdf,
    read=read_pdf,
    proves=is_certainly_pdf,
)
