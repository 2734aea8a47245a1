"""Source code in any language: its lines, in sections that begin with what they define."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.formats.lines import LOOKS_LIKE_OTHERS, read_lines
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits


def read_code(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within`."""
    from ragbase.formats.definitions import sections_of

    return read_lines(data, limits, sections_of)


READER = Reader(
    version="code-v1",
    check=check_text_file,
    read=read_code,
    looks_like=(*LOOKS_LIKE_OTHERS, "html", "xml"),  # a template of PHP is a page with code in it
)
