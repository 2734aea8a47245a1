"""What a person should know of how a document was read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragbase.domain.document import Status
from ragbase.formats.table import format_of

if TYPE_CHECKING:
    from ragbase.domain.document import Document


def notes_of(document: Document) -> Iterator[str]:
    """What was doubtful, damaged or left out in a COMPLETED document."""
    if document.active is None or document.status is not Status.COMPLETED:
        return
    given = document.active.given
    promised = format_of(document.name, document.content_type)
    if given is not None:
        yield f"An extractor elsewhere gave its text{', with OCR' if given.ocr_applied else ''}."
    elif promised is None:
        yield f"Its name and type are of no known format: read as {document.format}, which its content is."
    elif promised.name != document.format:
        yield f"Its name or type says {promised.name}, its content says {document.format}: read as {document.format}."
    yield from document.active.notes
