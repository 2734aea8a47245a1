"""The content type of an object whose uploader did not name one."""

from __future__ import annotations

from ragbase.formats.plain_text import HEAD, format_of_content
from ragbase.formats.table import format_of

UNKNOWN = "application/octet-stream"


def content_type_of(name: str, head: bytes) -> str:
    """The content type by the name or, where the name says nothing, by the first `HEAD` bytes of the content."""
    format = format_of(name) or format_of_content(head[:HEAD])
    return format.content_types[0] if format else UNKNOWN
