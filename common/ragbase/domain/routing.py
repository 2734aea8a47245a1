"""Which lane a document takes, and what is refused before any byte is read (document contract, section 5)."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath

from ragbase.domain.errors import ErrorCode, PermanentError

MAX_FILE_SIZE = 50 * 1024 * 1024
"""Bytes. The contract's `maxFileSizeMB`."""

MAX_NOISE_RATIO = 0.8
"""The share of noise in an extracted text above which it is refused. The contract's `maxNoiseRatio`."""


class Format(StrEnum):
    PDF = "pdf"
    JSON = "json"
    TXT = "txt"
    MD = "md"


class Lane(StrEnum):
    FAST = "fast"
    HEAVY = "heavy"


EXTENSIONS = {
    ".pdf": Format.PDF,
    ".json": Format.JSON,
    ".txt": Format.TXT,
    ".text": Format.TXT,
    ".md": Format.MD,
    ".markdown": Format.MD,
}
CONTENT_TYPES = {
    "application/pdf": Format.PDF,
    "application/json": Format.JSON,
    "text/plain": Format.TXT,
    "text/markdown": Format.MD,
}
MIME_TYPES = {format: content_type for content_type, format in CONTENT_TYPES.items()}


def lane_of(format: Format) -> Lane:
    """PDFs take the heavy lane; everything that is text already takes the fast one."""
    return Lane.HEAVY if format is Format.PDF else Lane.FAST


def format_of(name: str, content_type: str = "") -> Format | None:
    """The format that a name promises or, where the name says nothing, that its content type promises."""
    by_name = EXTENSIONS.get(PurePosixPath(name).suffix.lower())
    return by_name or CONTENT_TYPES.get(content_type.partition(";")[0].strip().lower())


def admit(name: str, content_type: str, size: int) -> Format:
    """The format of an object that may be processed.

    Raises PermanentError: FILE_TOO_LARGE above 50 MB, UNSUPPORTED_FORMAT for a kind of file that nothing here reads.
    """
    format = format_of(name, content_type)
    if format is None:
        known = ", ".join(EXTENSIONS)
        raise PermanentError(
            ErrorCode.UNSUPPORTED_FORMAT,
            f"This kind of file is not supported. Supported are {known}; convert the file to one of them.",
        )
    if size > MAX_FILE_SIZE:
        raise PermanentError(
            ErrorCode.FILE_TOO_LARGE,
            f"{size / 1048576:.1f} MB is over the limit of {MAX_FILE_SIZE // 1048576} MB a file. "
            "Split the file into smaller ones.",
        )
    return format
