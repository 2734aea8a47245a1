"""The content type of an object whose uploader did not name one."""

from __future__ import annotations

import codecs
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ragbase.formats.table import PDF, TEXT, format_of

if TYPE_CHECKING:
    from ragbase.formats.format import Format

HEAD = 4096
"""Bytes at the start of the content that are enough to decide."""

UNKNOWN = "application/octet-stream"
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def content_type_of(name: str, head: bytes) -> str:
    """The content type by the name or, for a name without a suffix, by the first `HEAD` bytes of the content."""
    format = format_of(name)
    if format is None and not PurePosixPath(name).suffix:
        format = _sniff(head[:HEAD])
    return format.content_types[0] if format else UNKNOWN


def _sniff(head: bytes) -> Format | None:
    if head.startswith(b"%PDF-"):
        return PDF
    return TEXT if head.startswith(_BOMS) or _is_text(head) else None


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        # The head may end inside a character: the decoder waits for the rest of it.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return bool(head)
