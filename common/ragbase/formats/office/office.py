"""Word, PowerPoint and Excel documents, OpenDocument texts, books (EPUB), Rich Text and e-mails → Markdown.

xberg reads them in a process of its own, since a document can break any parser. It runs no macro and fetches nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction, Page
from ragbase.domain.left_out import LeftOut
from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.file_types import OFFICE_CONTENT_TYPES, READ_WITHOUT_LIBRARY
from ragbase.formats.office import child_process
from ragbase.formats.office.containers import STREAMS, has_entry, is_compound, is_old, is_zip, says_mimetype
from ragbase.formats.reader import Reader, never
from ragbase.formats.signatures import binary_kind
from ragbase.formats.text import check_text_file

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits

CHILD_PROCESS = Path(child_process.__file__)

FAILURES = {
    "password": (
        ErrorCode.PASSWORD_PROTECTED,
        "The document can only be opened with a password. Remove the password and upload it again.",
    ),
    "corrupt": (
        ErrorCode.CORRUPT_FILE,
        "The document is damaged and cannot be opened. Open it in the program that made it, save it again and upload "
        "that.",
    ),
    "too_much_text": (
        ErrorCode.FILE_TOO_LARGE,
        "The document has more than {limits.max_text_characters} characters of text. Split it into smaller documents.",
    ),
    "unpacks_too_far": (
        ErrorCode.FILE_TOO_LARGE,
        "The document unpacks to more than {limits.memory_bytes} bytes, the memory that one file may take (the setting "
        "extract_memory). Split it into smaller documents, or raise the setting.",
    ),
    "over_limit": (
        ErrorCode.FILE_TOO_LARGE,
        "The document is larger, or more deeply nested, than its reader takes ({said}). Split it into smaller "
        "documents.",
    ),
    "too_much_memory": (
        ErrorCode.FILE_TOO_LARGE,
        "To read the document takes more than the {limits.memory_bytes} bytes of memory that one file may take (the "
        "setting extract_memory). Split it into smaller documents, or raise the setting.",
    ),
    "crashed": (
        ErrorCode.CORRUPT_FILE,
        "The document broke its reader, or needs more than the {limits.memory_bytes} bytes of memory that one file may "
        "take (the setting extract_memory). Open it in the program that made it, save it again and upload that.",
    ),
    "slow": (
        ErrorCode.TIMEOUT,
        "The document could not be read within {limits.timeout_seconds:g} seconds (the setting extract_timeout). Split "
        "it into smaller documents.",
    ),
}
"""What each word of the child process, and of this one, means for the document."""

VERSIONS = dict.fromkeys(("ods", "odp", *STREAMS), "v1")
"""Of the formats that have not changed since they were added."""

PAGE_BREAK = "\n\n"
BYTES_PER_CHARACTER = 6
"""The most that a character takes in the child process's JSON, as \\u0001 does."""

RTF = b"{\\rtf"
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
"""The stream of an encrypted document, which is kept as an old one is ([MS-OFFCRYPTO], section 2.3.4.4)."""


def _is_package(data: bytes) -> bool:
    return is_zip(data) and has_entry(data, "[Content_Types].xml")


def _has_main_part(main_part: str, data: bytes) -> bool:
    return _is_package(data) and has_entry(data, main_part)


def _is_rtf(data: bytes) -> bool:
    return data.startswith(RTF)


def _check(name: str, may_be: Callable[[bytes], bool], data: bytes) -> None:
    """Raises PermanentError for content that is certainly no file of this format."""
    if may_be(data):
        return
    if is_compound(data):
        if ENCRYPTED_PACKAGE in data:
            raise PermanentError(*FAILURES["password"])
        raise PermanentError(
            ErrorCode.UNSUPPORTED_FORMAT,
            f"The file is named as {name}, but it is {binary_kind(data)}. Save it in the format {name}, and upload "
            "that.",
        )
    found = binary_kind(data) or ("empty" if not data else "something else")
    raise PermanentError(
        ErrorCode.CORRUPT_FILE,
        f"The file is named as {name}, but it is {found}, or its end is missing. Upload the original document, or name "
        "the file after what it is.",
    )


def _check_old(name: str, data: bytes) -> None:
    if not is_compound(data):
        _check(name, is_compound, data)
    if ENCRYPTED_PACKAGE in data:
        raise PermanentError(*FAILURES["password"])


def _read(format: str, data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError with the code that fits."""
    from ragbase.formats.child_answer import read_answer
    from ragbase.formats.libraries import OFFICE, require
    from ragbase.formats.sandbox.run import Crashed, TimedOut, run_sandboxed

    if format not in READ_WITHOUT_LIBRARY:
        require(OFFICE, format)
    try:
        answer = read_answer(
            run_sandboxed(
                CHILD_PROCESS,
                data,
                memory_bytes=limits.memory_bytes,
                output_bytes=BYTES_PER_CHARACTER * limits.max_text_characters + 4096,
                seconds=limits.timeout_seconds,
                options=(format, str(limits.max_text_characters), str(limits.memory_bytes)),
            )
        )
    except Crashed as error:
        raise _failure("too_much_memory" if error.wants_memory else "crashed", limits) from error
    except TimedOut as error:
        raise _failure("slow", limits) from error
    if "error" in answer:
        raise _failure(answer["error"], limits, answer.get("said", ""))
    return _joined(answer)


def _failure(word: str, limits: ExtractionLimits, said: str = "") -> PermanentError:
    code, reason = FAILURES[word]
    return PermanentError(code, reason.format(limits=limits, said=said))


def _joined(answer: dict[str, Any]) -> Extraction:
    pages = [page.replace("\0", "\ufffd").strip() for page in answer["pages"]]
    placed = []
    position = 0
    for number, text in enumerate(pages if len(pages) > 1 else (), start=1):
        placed.append(Page(number, position, position + len(text)))
        position += len(text) + len(PAGE_BREAK)
    return Extraction(
        PAGE_BREAK.join(pages),
        tuple(placed),
        entries=tuple(answer["entries"]),
        metadata=DocumentMetadata.of(title=answer["title"]),
        notes=tuple(answer["notes"]),
        left_out=tuple(LeftOut(*left_out) for left_out in answer["left_out"]),
    )


def _reader(name: str, *, check: Callable[[bytes], None], proves: Callable[[bytes], bool] = never) -> Reader:
    return Reader(version=f"{name}-{VERSIONS.get(name, 'v2')}", check=check, read=partial(_read, name), proves=proves)


def _ooxml(name: str, main_part: str) -> Reader:
    return _reader(name, check=partial(_check, name, _is_package), proves=partial(_has_main_part, main_part))


def _with_mimetype(name: str) -> Reader:
    proves = partial(says_mimetype, content_type=OFFICE_CONTENT_TYPES[name][0])
    return _reader(name, check=partial(_check, name, is_zip), proves=proves)


def _old(name: str) -> Reader:
    return _reader(name, check=partial(_check_old, name), proves=partial(is_old, name))


READERS = {
    "docx": _ooxml("docx", "word/document.xml"),
    "pptx": _ooxml("pptx", "ppt/presentation.xml"),
    "xlsx": _ooxml("xlsx", "xl/workbook.xml"),
    "epub": _with_mimetype("epub"),
    "odt": _with_mimetype("odt"),
    "ods": _with_mimetype("ods"),
    "odp": _with_mimetype("odp"),
    "rtf": _reader("rtf", check=partial(_check, "rtf", _is_rtf), proves=_is_rtf),
    "eml": _reader("eml", check=check_text_file),
    **{name: _old(name) for name in STREAMS},
}
"""By the format's name."""
