"""PDF → Markdown with its pages, read by PDFium in a process of its own, since a PDF can break any parser."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbase.domain.errors import ErrorCode, MissingExtra, PermanentError
from ragbase.domain.extraction import Extraction, Page, PageReading, PageText
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.left_out import LeftOut
from ragbase.domain.ocr import OcrMode
from ragbase.domain.page_range import PageRange
from ragbase.domain.word_boxes import BOXES_PER_CHARACTER, PlacedPage, document_boxes
from ragbase.extras import bring, install_command, is_on_demand
from ragbase.formats.pdf import child_process
from ragbase.formats.reader import Pages, Reader
from ragbase.formats.signatures import binary_kind

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits

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
    "blank": (
        ErrorCode.UNSUPPORTED_FORMAT,
        "The PDF has no text: its pages are blank. Export it again from where it was made, and upload that.",
    ),
    "unread": (
        ErrorCode.UNSUPPORTED_FORMAT,
        "The PDF has no text layer that can be read: its pages are pictures or drawings, or its fonts do not say which "
        "letters they show, and OCR was not applied. OCR reads them where the extra ocr is installed "
        "(`ragbase doctor` shows the command), unless the document's ocrMode is never.",
    ),
    "unread_pages": (
        ErrorCode.OCR_FAILED,
        "Pages of the PDF are pictures or drawings, and OCR, which reads them, could not be installed here. Connect to "
        "the internet and retry the document, or upload it with ocrMode never to read its other pages.",
    ),
    "no_ocr": (
        ErrorCode.OCR_FAILED,
        "The document's ocrMode is force, but OCR is not installed here. Install the extra ocr (`ragbase doctor` shows "
        "the command), and retry the document, or upload it with ocrMode auto.",
    ),
    "ocr_failed": (
        ErrorCode.OCR_FAILED,
        "OCR found no text on the pages, though they show something. If they have text, scan them again with at least "
        "300 dots an inch, or upload the document with its languages as ocrLanguages.",
    ),
    "ocr_data": (
        ErrorCode.OCR_FAILED,
        "Tesseract cannot read the data of languages in {limits.ocr_data}. Delete the files there, so that they are "
        "downloaded again, and retry the document.",
    ),
}
"""What each word of the child process, and of this one, means for the document."""

REPEATED_HEADER = "the repeated header of a table that goes on"

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


def reading_of(limits: ExtractionLimits, config: ProcessingConfig) -> str:
    """Names how the pages are read: from their text layers alone, or by OCR too."""
    if not _has_ocr(limits, config):
        return "text"
    from ragbase.formats.pdf import ocr_data

    return f"{config.ocr_mode}-{'+'.join(ocr_data.codes_of(config.ocr_languages))}"


def read_or_cut(
    data: bytes, limits: ExtractionLimits, config: ProcessingConfig
) -> tuple[tuple[PageText, ...], tuple[PageRange, ...]]:
    """All pages; or, of a long document, none, and the parts that it is read in. Raises as `read_pages`."""
    answer = _read(data, limits, config, {"first": 1, "last": 0, "cut": True})
    return _pages(answer), tuple(PageRange(*part) for part in answer.get("parts", ()))


def read_pages(
    data: bytes, limits: ExtractionLimits, config: ProcessingConfig, pages: PageRange | None
) -> tuple[PageText, ...]:
    """Raises PermanentError with the code that fits, MissingExtra where the PDF libraries are not installed."""
    first, last = (pages.first, pages.last) if pages is not None else (1, 0)
    return _pages(_read(data, limits, config, {"first": first, "last": last, "cut": False}))


def _read(
    data: bytes, limits: ExtractionLimits, config: ProcessingConfig, pages: Mapping[str, object]
) -> dict[str, Any]:
    """The answer of the child process, which has the data of OCR's languages if it needs them."""
    from ragbase.formats.pdf import ocr_data

    task = {**pages, "max_characters": limits.max_text_characters}
    ocr, folder = _ocr(limits, config), limits.ocr_data
    if ocr is None and config.ocr_mode is OcrMode.FORCE:
        raise _failure("no_ocr", limits)
    if ocr is not None and folder is not None and not _is_ocr_ready(config, folder):
        answer = None
        if config.ocr_mode is OcrMode.AUTO:  # most PDFs need no OCR, and so neither its library nor data
            answer = _ask(data, limits, {**task, "ocr": {**ocr, "data": None}})
            if all(page.read is not PageReading.UNREAD for page in _pages(answer)):
                return answer
        if not bring("ocr"):
            raise _failure(_without_ocr(answer), limits)
        ocr_data.prepare(config.ocr_languages, folder)
    return _ask(data, limits, {**task, "ocr": ocr})


def _is_ocr_ready(config: ProcessingConfig, folder: Path) -> bool:
    from ragbase.formats.pdf import ocr_data

    return ocr_data.is_installed() and ocr_data.are_prepared(config.ocr_languages, folder)


def _without_ocr(answer: Mapping[str, Any] | None) -> str:
    """Why a PDF fails that needs OCR, which could not be brought. What is read of it without would stay: a reindex
    takes it for the text of a PDF that needs none."""
    if answer is None:
        return "no_ocr"
    return "unread_pages" if any(page.markdown for page in _pages(answer)) else "unread"


def _has_ocr(limits: ExtractionLimits, config: ProcessingConfig) -> bool:
    return config.ocr_mode is not OcrMode.NEVER and limits.ocr_data is not None and is_on_demand("ocr")


def _ocr(limits: ExtractionLimits, config: ProcessingConfig) -> dict[str, Any] | None:
    """What the child process has to know of OCR; None without OCR."""
    if not _has_ocr(limits, config):
        return None
    from ragbase.formats.pdf import ocr_data

    languages = ocr_data.codes_of(config.ocr_languages)
    return {"force": config.ocr_mode is OcrMode.FORCE, "data": str(limits.ocr_data), "languages": languages}


def _pages(answer: Mapping[str, Any]) -> tuple[PageText, ...]:
    return tuple(
        PageText(
            page["markdown"],
            PageReading(page["read"]),
            tuple(LeftOut(**text) for text in page["left_out"]),
            page["boxes"],
        )
        for page in answer.get("pages", ())
    )


def _ask(data: bytes, limits: ExtractionLimits, task: Mapping[str, Any]) -> dict[str, Any]:
    """What the child process answers. Raises as `read_pages`."""
    from ragbase.formats.child_answer import read_answer
    from ragbase.formats.sandbox.run import Crashed, TimedOut, run_sandboxed

    require_libraries()
    try:
        said = run_sandboxed(
            CHILD_PROCESS,
            from_header(data),
            memory_bytes=limits.memory_bytes,
            output_bytes=(BYTES_PER_CHARACTER + BOXES_PER_CHARACTER) * limits.max_text_characters + 4096,
            seconds=limits.timeout_seconds,
            options=(json.dumps(task),),
            readable=() if limits.ocr_data is None else (limits.ocr_data,),
        )
    except Crashed as error:
        raise _failure("crashed", limits) from error
    except TimedOut as error:
        raise _failure("slow", limits) from error
    answer = read_answer(said)
    if "error" in answer:
        raise _failure(answer["error"], limits)
    return answer


def require_libraries() -> None:
    """Raises MissingExtra where the PDF libraries are not installed."""
    missing = [library for library in LIBRARIES if find_spec(library) is None]
    if missing:
        raise MissingExtra(
            f"Reading PDFs needs {' and '.join(missing)}, which cannot be imported. Install the extra pdf with: "
            f"{install_command('pdf')}"
        )


def from_header(data: bytes) -> bytes:
    """A PDF without the junk before its header: offsets in it count from there."""
    return data[max(data.find(HEADER), 0) :]


def _failure(word: str, limits: ExtractionLimits) -> PermanentError:
    code, reason = FAILURES[word]
    return PermanentError(code, reason.format(limits=limits))


def join_pages(pages: Sequence[PageText], limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError if no page has text, or all have too much."""
    from ragbase.formats.pdf.joined_tables import join_tables
    from ragbase.formats.pdf.page_notes import left_out_on, notes_on

    if not any(page.markdown for page in pages):
        raise _failure(_why_no_text({page.read for page in pages}), limits)
    joined = join_tables([page.markdown for page in pages])
    pages = [_with_header_left_out(page, header) for page, header in zip(pages, joined.headers, strict=True)]
    placed: list[Page] = []
    boxes: list[PlacedPage] = []
    written: list[str] = []
    position = 0
    for number, (page, text, after) in enumerate(zip(pages, joined.texts, [*joined.breaks, ""], strict=True), start=1):
        placed.append(Page(number, position, position + len(text), page.read))
        cut = joined.cuts[number - 1]
        boxes.append(PlacedPage(number, position, page.boxes, (cut,) if any(cut) else ()))
        written += (text, after)
        position += len(text) + len(after)
    if position > limits.max_text_characters:
        raise _failure("too_much_text", limits)
    return Extraction(
        "".join(written),
        tuple(placed),
        notes=tuple(notes_on(pages)),
        left_out=tuple(left_out_on(pages)),
        boxes=document_boxes(boxes),
    )


def _with_header_left_out(page: PageText, header: str) -> PageText:
    if not header:
        return page
    cells = header.replace("|", " ").split()
    return replace(page, left_out=(*page.left_out, LeftOut(REPEATED_HEADER, " ".join(cells))))


def _why_no_text(read: set[PageReading]) -> str:
    if PageReading.OCR_FAILED in read:
        return "ocr_failed"
    if PageReading.UNREAD in read:
        return "unread"
    return "corrupt" if PageReading.DAMAGED in read else "blank"


READER = Reader(
    version="pdf-v4",
    check=check_pdf,
    read=Pages(version=reading_of, read_or_cut=read_or_cut, read=read_pages, join=join_pages),
    proves=is_certainly_pdf,
)
