"""Pictures (PNG, JPEG, TIFF, WebP, GIF, BMP) → the Markdown of what OCR reads in them, in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction, Page, PageReading, PageText
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.ocr import OcrMode
from ragbase.domain.page_range import PageRange
from ragbase.domain.word_boxes import BOXES_PER_CHARACTER, PlacedPage, document_boxes
from ragbase.formats.picture import child_process
from ragbase.formats.reader import Pages, Reader
from ragbase.formats.signatures import binary_kind

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits

CHILD_PROCESS = Path(child_process.__file__)

FAILURES = {
    "never": (
        ErrorCode.UNSUPPORTED_FORMAT,
        "Only OCR reads a picture, and the document's ocrMode is never. Upload it with ocrMode auto.",
    ),
    "no_data": (
        ErrorCode.UNSUPPORTED_FORMAT,
        "Only OCR reads a picture, and there is no folder with the data of its languages here. Open ragbase with the "
        "setting model_folder.",
    ),
    "corrupt": (
        ErrorCode.CORRUPT_FILE,
        "The picture is damaged and cannot be opened. Save it again in the program that made it, and upload that.",
    ),
    "too_large": (
        ErrorCode.FILE_TOO_LARGE,
        "The picture has more than {pixels:,} pixels, which are what {limits.memory_bytes} bytes of memory are enough "
        "for (the setting extract_memory). Save it in a smaller size, or raise the setting.",
    ),
    "too_much_memory": (
        ErrorCode.FILE_TOO_LARGE,
        "To read the picture takes more than the {limits.memory_bytes} bytes of memory that one file may take (the "
        "setting extract_memory). Save it in a smaller size, or raise the setting.",
    ),
    "too_much_text": (
        ErrorCode.FILE_TOO_LARGE,
        "The picture has more than {limits.max_text_characters} characters of text. Split it into smaller files.",
    ),
    "crashed": (
        ErrorCode.CORRUPT_FILE,
        "The picture broke its reader, or needs more than the {limits.memory_bytes} bytes of memory that one file may "
        "take (the setting extract_memory). Save it again in the program that made it, and upload that.",
    ),
    "slow": (
        ErrorCode.TIMEOUT,
        "The picture could not be read within {limits.timeout_seconds:g} seconds (the setting extract_timeout). Save "
        "it in a smaller size, or in parts.",
    ),
    "ocr_failed": (
        ErrorCode.OCR_FAILED,
        "OCR found no text in the picture. If it has text, take it again with larger letters, or upload the document "
        "with its languages as ocrLanguages.",
    ),
    "ocr_data": (
        ErrorCode.OCR_FAILED,
        "Tesseract cannot read the data of languages in {limits.ocr_data}. Delete the files there, so that they are "
        "downloaded again, and retry the document.",
    ),
}
"""What each word of the child process, and of this one, means for the document."""

BYTES_PER_PIXEL = 12
"""What decoding takes: four for its colours, as much again while they are converted, and the rest for OCR."""
BYTES_PER_CHARACTER = 6
"""The most that a character takes in the child process's JSON, as \\u0001 does."""
PAGE_BREAK = "\n\n"

BEGINNINGS = {
    "png": (b"\x89PNG\r\n\x1a\n",),
    "jpeg": (b"\xff\xd8\xff",),
    "tiff": (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
    "gif": (b"GIF87a", b"GIF89a"),
}
"""How files of a format begin. Those of WebP and BMP have a length among their first bytes."""


def _is_webp(data: bytes) -> bool:
    return data.startswith(b"RIFF") and data[8:12] == b"WEBP"


def _is_bmp(data: bytes) -> bool:
    return data.startswith(b"BM") and data[6:10] == bytes(4) and int.from_bytes(data[14:18], "little") in range(12, 125)


def _begins(format: str, data: bytes) -> bool:
    return data.startswith(BEGINNINGS[format])


def _check(format: str, proves: Callable[[bytes], bool], data: bytes) -> None:
    """Raises PermanentError (CORRUPT_FILE) for content that is certainly no picture of this format."""
    if proves(data):
        return
    found = binary_kind(data) or ("empty" if not data else "something else")
    raise PermanentError(
        ErrorCode.CORRUPT_FILE,
        f"The file is named as a picture ({format}), but it is {found}. Upload the original picture, or name the file "
        "after what it is.",
    )


def _reading(limits: ExtractionLimits, config: ProcessingConfig) -> str:
    """Names the languages that are read, as they change the text."""
    from ragbase.formats.pdf import ocr_data

    return "+".join(ocr_data.codes_of(config.ocr_languages))


def _read_or_cut(
    format: str, data: bytes, limits: ExtractionLimits, config: ProcessingConfig
) -> tuple[tuple[PageText, ...], tuple[PageRange, ...]]:
    answer = _ask(format, data, limits, config, {"first": 1, "last": 0, "cut": True})
    return _pages(answer), tuple(PageRange(*part) for part in answer.get("parts", ()))


def _read_pages(
    format: str, data: bytes, limits: ExtractionLimits, config: ProcessingConfig, pages: PageRange | None
) -> tuple[PageText, ...]:
    first, last = (pages.first, pages.last) if pages is not None else (1, 0)
    return _pages(_ask(format, data, limits, config, {"first": first, "last": last, "cut": False}))


def _pages(answer: Mapping[str, Any]) -> tuple[PageText, ...]:
    return tuple(
        PageText(page["markdown"], PageReading(page["read"]), boxes=page["boxes"]) for page in answer.get("pages", ())
    )


def _ask(
    format: str, data: bytes, limits: ExtractionLimits, config: ProcessingConfig, pages: Mapping[str, object]
) -> dict[str, Any]:
    """What the child process answers. Raises PermanentError with the code that fits."""
    from ragbase.formats.child_answer import read_answer
    from ragbase.formats.libraries import OCR, require
    from ragbase.formats.pdf import ocr_data
    from ragbase.formats.sandbox.run import Crashed, TimedOut, run_sandboxed

    if config.ocr_mode is OcrMode.NEVER:
        raise _failure("never", limits)
    require(OCR, format)
    folder = limits.ocr_data
    if folder is None:
        raise _failure("no_data", limits)
    ocr_data.prepare(config.ocr_languages, folder)
    task = {
        **pages,
        "format": format,
        "max_pixels": limits.memory_bytes // BYTES_PER_PIXEL,
        "max_characters": limits.max_text_characters,
        "data": str(folder),
        "languages": ocr_data.codes_of(config.ocr_languages),
    }
    try:
        said = run_sandboxed(
            CHILD_PROCESS,
            data,
            memory_bytes=limits.memory_bytes,
            output_bytes=(BYTES_PER_CHARACTER + BOXES_PER_CHARACTER) * limits.max_text_characters + 4096,
            seconds=limits.timeout_seconds,
            options=(json.dumps(task),),
            readable=(folder,),
        )
    except Crashed as error:
        raise _failure("too_much_memory" if error.wants_memory else "crashed", limits) from error
    except TimedOut as error:
        raise _failure("slow", limits) from error
    answer = read_answer(said)
    if "error" in answer:
        raise _failure(answer["error"], limits)
    return answer


def _failure(word: str, limits: ExtractionLimits) -> PermanentError:
    code, reason = FAILURES[word]
    return PermanentError(code, reason.format(limits=limits, pixels=limits.memory_bytes // BYTES_PER_PIXEL))


def _join(pages: Sequence[PageText], limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError if no page has text, or all have too much."""
    from ragbase.formats.pdf.page_notes import notes_on

    if not any(page.markdown for page in pages):
        raise _failure("ocr_failed", limits)
    placed, boxes = [], []
    position = 0
    for number, page in enumerate(pages, start=1):
        placed.append(Page(number, position, position + len(page.markdown), page.read))
        boxes.append(PlacedPage(number, position, page.boxes))
        position += len(page.markdown) + len(PAGE_BREAK)
    if position > limits.max_text_characters:
        raise _failure("too_much_text", limits)
    return Extraction(
        PAGE_BREAK.join(page.markdown for page in pages),
        tuple(placed),
        notes=tuple(notes_on(pages)),
        boxes=document_boxes(boxes),
    )


def _reader(format: str, proves: Callable[[bytes], bool]) -> Reader:
    return Reader(
        version=f"{format}-v2",
        check=partial(_check, format, proves),
        read=Pages(
            version=_reading,
            read_or_cut=partial(_read_or_cut, format),
            read=partial(_read_pages, format),
            join=_join,
        ),
        proves=proves,
    )


READERS = {
    **{format: _reader(format, partial(_begins, format)) for format in BEGINNINGS},
    "webp": _reader("webp", _is_webp),
    "bmp": _reader("bmp", _is_bmp),
}
"""By the format's name."""
