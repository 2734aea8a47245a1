"""Markdown, which is what every other format becomes: its text is taken as it is, without its front matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.extraction import Extraction
from ragbase.formats.decode import beginning
from ragbase.formats.front_matter import MAX_LENGTH, blank_front_matter, has_front_matter, read_front_matter
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits


def has_markdown_front_matter(data: bytes) -> bool:
    return has_front_matter(beginning(data, 4 * MAX_LENGTH)[:MAX_LENGTH])


def read_markdown_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """The text as it is, with spaces in place of front matter. Raises PermanentError, as `decode_within`."""
    decoded = decode_within(data, limits)
    end, metadata = read_front_matter(decoded.text)
    if not end:
        return Extraction(decoded.text, notes=decoded.notes)
    utf8, notes = blank_front_matter(decoded.text, end), decoded.notes
    del decoded  # there is room for one text, not for two
    return Extraction(utf8.decode(), metadata=metadata, notes=notes)


def read_markdown(text: str) -> Extraction:
    """As `read_markdown_file`, of a text that needs no decoding. Every offset is that of the text."""
    end, metadata = read_front_matter(text)
    return Extraction(blank_front_matter(text, end).decode() if end else text, metadata=metadata)


READER = Reader(
    version="md-v4",
    check=check_text_file,
    read=read_markdown_file,
    proves=has_markdown_front_matter,
    looks_like=("rst", "adoc", "man"),
)
