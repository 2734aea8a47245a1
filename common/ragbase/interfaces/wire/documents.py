"""The bodies of /api/documents (docs/contracts/documents.md, section 3). `ragbase --json` prints the same.

`filename` is the document's full source: the path or URL that its uploader gave. It includes the folders, so two files
with the same name in different folders stay distinct.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

from pydantic import Field

from ragbase.domain.document import Document, Status
from ragbase.domain.limits import MAX_OFFSET
from ragbase.formats.table import format_of
from ragbase.messages.json_model import JsonModel
from ragbase.ports import DocumentPage


class ListRequest(JsonModel):
    """The query parameters of a listing, as text."""

    status: Status | None = Field(None, description=f"one of {', '.join(Status)}, or leave it out")
    limit: Annotated[int, Field(ge=1, le=100)] = Field(20, description="a whole number from 1 to 100")
    offset: Annotated[int, Field(ge=0, le=MAX_OFFSET)] = Field(0, description=f"a whole number from 0 to {MAX_OFFSET}")


class DocumentSummary(JsonModel):
    id: str
    filename: str
    status: Status
    chunk_count: int | None
    created_at: datetime


class ListResponse(JsonModel):
    documents: tuple[DocumentSummary, ...]
    total: int


class DocumentStatusResponse(JsonModel):
    """`failReason` is the code and the reason of the last failure: why a document is FAILED, is being retried, or could
    not be repaired (then it is COMPLETED, and search shows what it showed before). `notes` say what was doubtful or
    damaged in a COMPLETED document: another format than its name says, an uncertain encoding, rows that did not fit.
    """

    id: str
    filename: str
    status: Status
    retry_count: int
    fail_reason: str | None
    notes: tuple[str, ...] | None
    chunk_count: int | None
    created_at: datetime
    updated_at: datetime


def document_summary(document: Document) -> DocumentSummary:
    return DocumentSummary(
        id=document.id,
        filename=document.source,
        status=document.status,
        chunk_count=_chunk_count(document),
        created_at=document.created_at,
    )


def document_list(page: DocumentPage) -> ListResponse:
    return ListResponse(documents=tuple(document_summary(document) for document in page.documents), total=page.total)


def document_status(document: Document) -> DocumentStatusResponse:
    failure = document.failure
    return DocumentStatusResponse(
        id=document.id,
        filename=document.source,
        status=document.status,
        retry_count=document.retry_count,
        fail_reason=f"{failure.code.value}: {failure.reason}" if failure else None,
        notes=tuple(notes_of(document)) or None,
        chunk_count=_chunk_count(document),
        created_at=document.created_at,
        updated_at=document.updated_at,
    )


def notes_of(document: Document) -> Iterator[str]:
    """What was doubtful or damaged in a COMPLETED document, for a person."""
    if document.active is None or document.status is not Status.COMPLETED:
        return
    promised = format_of(document.name, document.content_type)
    if promised is None:
        yield f"Its name and type are of no known format: read as {document.format}, which its content is."
    elif promised.name != document.format:
        yield f"Its name or type says {promised.name}, its content says {document.format}: read as {document.format}."
    yield from document.active.notes


def _chunk_count(document: Document) -> int | None:
    """Only for COMPLETED (docs/contracts/documents.md, section 3): until then `active` may be the generation before."""
    return document.active.chunk_count if document.active and document.status is Status.COMPLETED else None
