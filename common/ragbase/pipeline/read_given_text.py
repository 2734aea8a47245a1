"""Read the text that was given for a document, and say which format it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.errors import ErrorCode, GenerationGone, PermanentError
from ragbase.formats.table import MARKDOWN

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.domain.given_text import GivenText
    from ragbase.ports import DocumentStore, Extractor, GivenTexts


def format_with(given: GivenText | None, format: str | None) -> str | None:
    """The format of a file. A given text needs no reader: it counts as Markdown if the format is not known."""
    return MARKDOWN.name if given is not None and format is None else format


def format_of_read(data: bytes, record: Document, extractor: Extractor) -> str:
    """The format that `data`, which was read for the record, has by the current rules. Raises PermanentError, as
    `Extractor.detect`."""
    if record.given_text is not None:
        return record.format or MARKDOWN.name
    return extractor.detect(data, record.format)


def read_given_text(document_id: str, given: GivenText, texts: GivenTexts, documents: DocumentStore) -> bytes:
    """The text in UTF-8. If it is gone although its record still names it, a PermanentError says what to do. Raises
    GenerationGone if the record has moved on."""
    try:
        return texts.read(document_id, given.generation).encode()
    except GenerationGone:
        record = documents.get(document_id)
        if record is None or not record.needs(given.generation):
            raise
        raise PermanentError(
            ErrorCode.INTERNAL_ERROR,
            "The text that an extractor elsewhere gave for this document is gone. Let the extractor send it again, or "
            "upload the file again.",
        ) from None
