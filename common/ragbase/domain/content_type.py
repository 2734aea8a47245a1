"""What kind of file an object is, where its uploader did not say."""

from __future__ import annotations

import codecs
from pathlib import PurePosixPath

from ragbase.domain.routing import MIME_TYPES, Format, format_of

HEAD = 4096
"""Bytes of the content that are enough to tell."""

UNKNOWN = "application/octet-stream"
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def content_type_of(name: str, head: bytes) -> str:
    """The content type that the name tells or, for a name without a suffix, the first `HEAD` bytes of the content."""
    format = format_of(name)
    if format is None and not PurePosixPath(name).suffix:
        format = _sniff(head[:HEAD])
    return MIME_TYPES[format] if format else UNKNOWN


def _sniff(head: bytes) -> Format | None:
    if head.startswith(b"%PDF-"):
        return Format.PDF
    return Format.TXT if head.startswith(_BOMS) or _is_text(head) else None


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        # The last character may be cut in two: the decoder keeps its half for later.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return bool(head)
