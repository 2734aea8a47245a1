"""HTML → Markdown: the main content of a page, without what stands around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.left_out import LeftOut
from ragbase.formats.front_matter_text import read_front, with_front
from ragbase.formats.html.declared_encoding import declared
from ragbase.formats.html.page_proof import TAG, is_page
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits

MAX_PAGE = 8 * 1024 * 1024
"""Characters. The parser and the converter take up to 70 times as many bytes of memory."""


def read_html_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within`, and FILE_TOO_LARGE if the Markdown becomes too long."""
    decoded = declared(data) or decode_within(data, limits)
    front = read_front(decoded.text)
    if front is None:
        return _read_page(decoded.text, decoded.notes, limits)
    page = _read_page(decoded.text[len(front.text) :].lstrip("\r\n"), decoded.notes, limits)
    return with_front(front, page)


def _read_page(source: str, notes: tuple[str, ...], limits: ExtractionLimits) -> Extraction:
    if not TAG.search(source):
        return Extraction(source, notes=notes)
    from ragbase.formats.html.parser_limits import within_limits
    from ragbase.formats.html.removed import HIDDEN
    from ragbase.formats.html.tokenizer import plain_text
    from ragbase.formats.html.xhtml import xhtml_as_html

    source = xhtml_as_html(source)
    if why := _why_plain(source):
        note = f"{why}: read as plain text, without headings, tables and links."
        plain, hidden = plain_text(source)
        unseen = (LeftOut(HIDDEN, hidden, shown=False),) if hidden else ()
        return Extraction(plain, notes=(*notes, note), left_out=unseen)
    from selectolax.lexbor import LexborHTMLParser

    from ragbase.formats.html.elements import Elements
    from ragbase.formats.html.metadata import read_metadata
    from ragbase.formats.html.page_text import read_page
    from ragbase.formats.html.tables import limit_tables

    source, said = within_limits(source)
    page = LexborHTMLParser(source)
    elements = Elements(page.body) if page.body is not None else None
    if elements is not None:
        said += limit_tables(elements.of("table"))
    metadata = read_metadata(page, elements)
    markdown, left_out = read_page(page, elements)
    if len(markdown) > limits.max_text_characters:
        raise PermanentError(
            ErrorCode.FILE_TOO_LARGE,
            f"The page unpacks to more than {limits.max_text_characters} characters of text. "
            "Split it into smaller files.",
        )
    return Extraction(markdown, metadata=metadata, notes=(*notes, *said), left_out=left_out)


def _why_plain(source: str) -> str:
    """Why no parser may have the page; empty if one may."""
    from ragbase.formats.html.tokenizer import MAX_DEPTH, MAX_INDENTED, is_indented_too_deep, is_nested_too_deep

    if len(source) > MAX_PAGE:
        return f"Over {MAX_PAGE} characters long"
    if is_nested_too_deep(source):
        return f"Nested more than {MAX_DEPTH} levels deep"
    return f"Lists more than {MAX_INDENTED} levels deep" if is_indented_too_deep(source) else ""


READER = Reader(
    version="html-v4",
    check=check_text_file,
    read=read_html_file,
    proves=is_page,
)
