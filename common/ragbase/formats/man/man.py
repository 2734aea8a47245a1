"""Manual pages of Unix (roff with the macros man or mdoc). No other program is run, and no other file is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.decode import beginning
from ragbase.formats.lines import LOOKS_LIKE_OTHERS, no_sections, read_lines
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

LOOK = 64 * 1024
"""Bytes at the beginning that prove the format. A licence may stand before the title."""
TITLE = re.compile(r"^[.'][ \t]*(?:TH[ \t]+\S|Dt[ \t]+\S|so[ \t]+man)", re.MULTILINE)


def read_man_page(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within` and MarkdownText. A file that only has such a name (`report.1`) is
    read as its lines."""
    from ragbase.formats.man.blocks import ManBlocks
    from ragbase.formats.markdown_text import MarkdownText

    if not is_man_page(data):
        return read_lines(data, limits, no_sections)
    decoded = decode_within(data, limits)
    lines = decoded.text.replace("\r\n", "\n").replace("\\\n", "").split("\n")
    blocks = ManBlocks(MarkdownText(limits.max_text_characters))
    blocks.write(lines)
    metadata = DocumentMetadata.of(title=blocks.title, date=blocks.date)
    return blocks.out.extraction(metadata=metadata, notes=decoded.notes)


def is_man_page(data: bytes) -> bool:
    """Whether a title stands in it, and nothing before it but comments and requests of roff."""
    if not beginning(data, 64).lstrip().startswith((".", "'")):
        return False
    text = beginning(data, LOOK)
    title = TITLE.search(text.replace("\r\n", "\n"))
    if title is None:
        return False
    before = text[: title.start()].split("\n")
    texts = sum(bool(line) and line[0] not in ".'" for line in before)
    return texts <= len(before) // 2


READER = Reader(
    version="man-v1",
    check=check_text_file,
    read=read_man_page,
    proves=is_man_page,
    looks_like=LOOKS_LIKE_OTHERS,
)
