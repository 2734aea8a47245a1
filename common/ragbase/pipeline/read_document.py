"""What the chunks of a document are made of: its file, or the text that was given for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.errors import ErrorCode, GenerationGone, PermanentError
from ragbase.formats.table import MARKDOWN

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.domain.given_text import GivenText
    from ragbase.ports import Extractor, Ports


def format_with(given: GivenText | None, format: str | None) -> str | None:
    """The format of a file. A given text needs no reader: it counts as Markdown if the format is not known."""
    return MARKDOWN.name if given is not None and format is None else format


def read_document(record: Document, ports: Ports) -> bytes:
    """What the record wants: its bytes, or the given text in UTF-8. Raises GenerationGone, and PermanentError as
    `read_given_text`."""
    if record.given_text is not None:
        return read_given_text(record.id, record.given_text, ports)
    return ports.bucket.read(record.name, record.generation)


def format_of_read(data: bytes, record: Document, extractor: Extractor) -> str:
    """The format that `data`, which was read for the record, has by the current rules. Raises PermanentError, as
    `Extractor.detect`."""
    if record.given_text is not None:
        return record.format or MARKDOWN.name
    return extractor.detect(data, record.format)


def read_given_text(document_id: str, given: GivenText, ports: Ports) -> bytes:
    """The text in UTF-8. If it is gone although its record still names it, a PermanentError says what to do. Raises
    GenerationGone if the record has moved on."""
    try:
        return ports.texts.read(document_id, given.generation).encode()
    except GenerationGone:
        record = ports.documents.get(document_id)
        if record is None or not record.needs(given.generation):
            raise
        raise PermanentError(
            ErrorCode.INTERNAL_ERROR,
            "The text that an extractor elsewhere gave for this document is gone. Let the extractor send it again, or "
            "upload the file again.",
        ) from None
