"""XML: a document (DocBook, DITA and others with paragraphs) as Markdown, and data as an outline of its elements.

Expat reads it. A file that declares entities, which may stand for millions of others, is read as its lines, and so is
one that is not well-formed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.domain.errors import PermanentError
from ragbase.formats.decode import beginning
from ragbase.formats.lines import LOOKS_LIKE_OTHERS, no_sections, read_lines
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

MAX_LENGTH = 8 * 1024 * 1024
"""Characters. The elements of a longer text would take much memory: it is read as its lines."""
DECLARED = re.compile(r"\s*<\?xml\s")
ENCODING = re.compile(r"(<\?xml\s[^>]{0,200}?)\s+encoding\s*=\s*(?:\"[^\"]{0,40}\"|'[^']{0,40}')")


def read_xml_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within`, and FILE_TOO_LARGE where the text becomes too long."""
    from dataclasses import replace

    from ragbase.formats.xml_data import read_data
    from ragbase.formats.xml_document import NotRead, is_document, read_document

    decoded = decode_within(data, limits)
    text = _without_encoding(decoded.text.lstrip())
    why = f"Over {MAX_LENGTH} characters long" if len(text) > MAX_LENGTH else ""
    if not why and text:
        try:
            read = read_document if is_document(text) else read_data
            extraction = read(text, limits)
            return replace(extraction, notes=(*decoded.notes, *extraction.notes))
        except NotRead as error:
            why = str(error)
        except PermanentError as error:
            if "levels deep" not in error.reason:
                raise
            why = "Nested very deep"
    lines = read_lines(data, limits, no_sections)
    return replace(lines, notes=(*lines.notes, f"{why}: read as its lines, tags and all.")) if why else lines


def _without_encoding(text: str) -> str:
    """The text is decoded: what it declares does not count any more."""
    found = ENCODING.match(text)
    return found[1] + text[found.end() :] if found else text


def is_xml(data: bytes) -> bool:
    return DECLARED.match(beginning(data, 256)) is not None


READER = Reader(
    version="xml-v1",
    check=check_text_file,
    read=read_xml_file,
    proves=is_xml,
    looks_like=LOOKS_LIKE_OTHERS,
)
