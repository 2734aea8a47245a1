"""Org, the markup of Emacs. No other file is read, and no code is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.formats.lines import LOOKS_LIKE_OTHERS
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits


def read_org_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within` and MarkdownText."""
    from ragbase.formats.markdown_text import MarkdownText
    from ragbase.formats.org.writer import OrgWriter

    decoded = decode_within(data, limits)
    writer = OrgWriter(MarkdownText(limits.max_text_characters))
    writer.write(decoded.text.splitlines())
    return writer.out.extraction(metadata=writer.metadata, notes=decoded.notes)


READER = Reader(
    version="org-v1",
    check=check_text_file,
    read=read_org_file,
    looks_like=LOOKS_LIKE_OTHERS,
)
