"""Binary formats that are recognised by their first bytes, so that a refusal can name them."""

from __future__ import annotations

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
EXPORT_REMEDY = "Export the content as text, Markdown or PDF, and upload that."


def binary_kind(data: bytes) -> str | None:
    """Which well-known binary format this is, for a person to read; None if it is none of them."""
    return next((kind for signature, kind in SIGNATURES if data.startswith(signature)), None)
