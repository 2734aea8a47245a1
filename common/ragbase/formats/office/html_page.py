"""A page of HTML within a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.html.html import read_html_file
from ragbase.formats.unreadable import Damaged

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction


def read_page(data: bytes, max_characters: int) -> Extraction:
    """Raises PermanentError (FILE_TOO_LARGE) for a text of more characters, and Damaged for what is no page."""
    try:
        return read_html_file(data, ExtractionLimits(max_text_characters=max_characters))
    except PermanentError as error:
        if error.code is ErrorCode.FILE_TOO_LARGE:
            raise
        raise Damaged from error
