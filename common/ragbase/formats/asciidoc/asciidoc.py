"""AsciiDoc, also under the name of a plain text.

Its own reader: there is none in Python that is kept up, and no word of what it does not know is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.decode import beginning
from ragbase.formats.front_matter_text import read_front, with_front
from ragbase.formats.lines import LOOKS_LIKE_OTHERS
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

LOOK = 16 * 1024
"""Bytes at the beginning that may prove the format."""

BEGINNINGS = (b"\n[", b"\n=")
"""How some line begins in most documents of more than a paragraph."""


def read_asciidoc_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within` and MarkdownText."""
    from ragbase.formats.asciidoc.blocks import AsciiDocBlocks
    from ragbase.formats.markdown_text import MarkdownText

    decoded = decode_within(data, limits)
    front = read_front(decoded.text)
    lines = [line.rstrip() for line in decoded.text[len(front.text) if front is not None else 0 :].splitlines()]
    notes = decoded.notes
    del decoded
    out = MarkdownText(limits.max_text_characters)
    blocks = AsciiDocBlocks(out)
    blocks.write(lines)
    said = blocks.inline.attributes
    metadata = DocumentMetadata.of(
        title=blocks.title, tags=said.get("keywords", "").split(","), date=said.get("revdate") or said.get("date")
    )
    extraction = out.extraction(metadata=metadata, notes=notes)
    return extraction if front is None else with_front(front, extraction)


def is_asciidoc(data: bytes) -> bool:
    """Whether it has several signs that no other markup has."""
    head = data[:LOOK]
    if not any(begin in head for begin in BEGINNINGS):
        return False
    from ragbase.formats.asciidoc.signs import has_signs

    return has_signs(beginning(data, LOOK).replace("\r\n", "\n"))


READER = Reader(
    version="adoc-v1",
    check=check_text_file,
    read=read_asciidoc_file,
    proves=is_asciidoc,
    looks_like=LOOKS_LIKE_OTHERS,
)
