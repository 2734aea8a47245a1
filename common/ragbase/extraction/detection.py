"""What a file really is: its content is asked, whatever its name promised."""

from __future__ import annotations

import re

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.routing import Format

PDF_HEADER = b"%PDF-"
PDF_HEADER_WITHIN = 1024
"""Bytes of junk that readers accept before the header (ISO 32000-1, Annex H, implementation note 13)."""

TEXT_THAT_IS_PDF = re.compile(rb"(?:\xef\xbb\xbf)?\s*%PDF-\d\.\d\s*?[\r\n]")
"""A text may well speak of %PDF-1.7; only a PDF has it alone on its first line."""

OFFICE_OR_ZIP = "a ZIP archive or an Office document (docx, xlsx, pptx)"
SIGNATURES = (
    (b"PK\x03\x04", OFFICE_OR_ZIP),
    (b"PK\x05\x06", OFFICE_OR_ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document (doc, xls, ppt)"),
    (b"{\\rtf", "a Rich Text document"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"BZh9", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\x00asm", "a WebAssembly program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet table"),
    (b"OggS\x00", "an Ogg recording"),
    (b"ID3\x03\x00", "an MP3 recording"),
    (b"ID3\x04\x00", "an MP3 recording"),
)
REMEDY = "Supported are PDF, JSON, Markdown and plain text: export the content as one of these and upload that."


def detect_format(data: bytes, promised: Format) -> Format:
    """The format of the content. Raises PermanentError: CORRUPT_FILE for a promised PDF that is none,
    UNSUPPORTED_FORMAT for a promised text that is a known binary format."""
    if promised is Format.PDF:
        if PDF_HEADER in data[:PDF_HEADER_WITHIN]:
            return Format.PDF
        found = binary_kind(data) or ("empty" if not data else "something else")
        raise PermanentError(
            ErrorCode.CORRUPT_FILE,
            f"The file is named as a PDF, but it has no {PDF_HEADER.decode()} header in its first {PDF_HEADER_WITHIN} "
            f"bytes: it is {found}. Upload the original PDF, or name the file after what it is.",
        )
    if TEXT_THAT_IS_PDF.match(data[:PDF_HEADER_WITHIN]):
        return Format.PDF
    kind = binary_kind(data)
    if kind is not None:
        raise PermanentError(ErrorCode.UNSUPPORTED_FORMAT, f"The file is named as text, but it is {kind}. {REMEDY}")
    return promised


def binary_kind(data: bytes) -> str | None:
    """Which well-known binary format this is, for a person to read; None if it is none of them."""
    return next((kind for signature, kind in SIGNATURES if data.startswith(signature)), None)
