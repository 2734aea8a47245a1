"""The bodies of /api/documents (docs/contracts/documents.md, section 3). `ragbase list --json` prints the same.

`filename` is the document's full source: the path or URL that its uploader gave. It includes the folders, so two files
with the same name in different folders stay distinct.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, StrictBool

from ragbase.domain.document import Document, IndexedGeneration, Status
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_FILE_SIZE, MAX_OFFSET, MAX_PAGE_SIZE, MAX_PATH, MAX_WAIT
from ragbase.domain.ocr import OCR_LANGUAGES, OcrMode
from ragbase.formats.document_notes import notes_of
from ragbase.interfaces.wire.cursor import CURSOR
from ragbase.messages.api.documents import (
    CountsResponse,
    DocumentHistory,
    DocumentStatusResponse,
    DocumentSummary,
    UploadResponse,
)
from ragbase.messages.json_model import RequestModel, Whole


class ListRequest(RequestModel):
    """The query parameters of a listing, as text."""

    status: Status | None = Field(None, description=f"one of {', '.join(Status)}, or leave it out")
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)] = Field(
        DEFAULT_PAGE_SIZE, description=f"a whole number from 1 to {MAX_PAGE_SIZE}"
    )
    offset: Annotated[int, Field(ge=0, le=MAX_OFFSET)] = Field(0, description=f"a whole number from 0 to {MAX_OFFSET}")
    cursor: str | None = Field(None, pattern=CURSOR, description="the `nextCursor` of the page before, or leave it out")


class WaitRequest(RequestModel):
    """The query parameter of one document's status, as text."""

    wait: Annotated[float, Field(ge=0, le=MAX_WAIT, allow_inf_nan=False)] = Field(
        0, description=f"how many seconds to wait until it is COMPLETED or FAILED, from 0 to {MAX_WAIT}"
    )


class UploadForm(RequestModel):
    """The fields of an upload beside its file. `path` is the document's name; without it, the file's name is."""

    path: str | None = Field(None, max_length=MAX_PATH, description="a relative path such as guides/backup.md")
    replace: Literal["true", "false"] = Field("false", description="true or false")
    ocr_mode: OcrMode | None = Field(None, description=f"one of {', '.join(OcrMode)}, or leave it out")
    ocr_languages: str | None = Field(
        None, pattern=OCR_LANGUAGES, description="languages with commas, such as en,vi, or leave it out"
    )


class UploadUrlRequest(RequestModel):
    """A file that is to be sent in a request of its own. `size` is in bytes."""

    path: str = Field(min_length=1, max_length=MAX_PATH, description="a relative path such as guides/backup.md")
    size: Annotated[int, Field(strict=True, ge=0), Whole] = Field(
        description="the file's size in bytes", json_schema_extra={"maximum": MAX_FILE_SIZE}
    )
    content_type: str | None = Field(
        None, max_length=200, pattern=r"^[\w.+-]+/[\w.+-]+(; ?[\w.+-]+=[\w.+-]+)*$", description="a MIME type"
    )
    replace: StrictBool = Field(False, description="true or false")
    in_parts: StrictBool = Field(False, description="true if the file may come in parts")
    ocr_mode: OcrMode | None = Field(None, description=f"one of {', '.join(OcrMode)}, or leave it out")
    ocr_languages: str | None = Field(
        None, pattern=OCR_LANGUAGES, description="languages with commas, such as en,vi, or leave it out"
    )


def document_summary(document: Document) -> DocumentSummary:
    paged = _paged(document)
    return DocumentSummary(
        id=document.id,
        filename=document.source,
        status=document.status,
        fail_reason=_fail_reason(document),
        remedy=_remedy(document),
        notes=tuple(notes_of(document)) or None,
        lane=document.lane,
        size=document.size,
        billed_tokens=document.usage.billed_tokens or None,
        chunk_count=_chunk_count(document),
        page_count=paged.page_count if paged is not None else None,
        ocr_applied=paged.ocr_applied if paged is not None else None,
        pages_without_text=paged.textless_pages if paged is not None else None,
        created_at=document.created_at,
    )


def upload_response(document: Document, *, status: Status) -> UploadResponse:
    return UploadResponse(
        id=document.id,
        filename=document.source,
        status=status,
        format=document.format,
        lane=document.lane,
    )


def document_status(document: Document, *, with_history: bool = False) -> DocumentStatusResponse:
    paged = _paged(document)
    reading, wait = document.reading, document.handed_out
    return DocumentStatusResponse(
        id=document.id,
        filename=document.source,
        status=document.status,
        retry_count=document.retry_count,
        fail_reason=_fail_reason(document),
        remedy=_remedy(document),
        notes=tuple(notes_of(document)) or None,
        lane=document.lane,
        size=document.size,
        billed_tokens=document.usage.billed_tokens or None,
        chunk_count=_chunk_count(document),
        page_count=paged.page_count if paged is not None else None,
        ocr_applied=paged.ocr_applied if paged is not None else None,
        ocr_pages=paged.ocr_pages if paged is not None else None,
        pages_without_text=paged.textless_pages if paged is not None else None,
        parts=len(reading.parts) if reading is not None else None,
        parts_read=reading.read_parts if reading is not None else None,
        extractor_until=wait.until if wait is not None else None,
        created_at=document.created_at,
        updated_at=document.updated_at,
        history=_history(document) if with_history else None,
    )


def _history(document: Document) -> DocumentHistory:
    return DocumentHistory(
        format=document.format,
        versions=document.revision,
        generation=str(document.generation),
        shown_generation=str(document.active.generation) if document.active is not None else None,
        attempts=document.attempts,
        replaced_at=document.flipped_at,
        waiting_since=document.waiting_since,
        embedded_texts=document.usage.embedded_texts,
    )


def counts_response(counts: Mapping[Status, int]) -> CountsResponse:
    return CountsResponse(
        pending=counts[Status.PENDING],
        processing=counts[Status.PROCESSING],
        completed=counts[Status.COMPLETED],
        failed=counts[Status.FAILED],
        total=sum(counts.values()),
    )


def _fail_reason(document: Document) -> str | None:
    failure = document.failure
    return f"{failure.code.value}: {failure.told}" if failure is not None else None


def _remedy(document: Document) -> str | None:
    """What to do about a document that has failed; the reason says what is wrong with its file."""
    if document.failure is None or not document.has_failed:
        return None
    if document.failure.may_pass:
        return f"Try again: `ragbase retry {document.id}`, or POST /api/documents/{document.id}/retry."
    return "Do what the reason says, and then ingest, sync or upload the file again."


def _paged(document: Document) -> IndexedGeneration | None:
    """What search shows of a COMPLETED document that has pages."""
    active = document.active if document.status is Status.COMPLETED else None
    return active if active is not None and active.page_count is not None else None


def _chunk_count(document: Document) -> int | None:
    """Only for COMPLETED (docs/contracts/documents.md, section 3): until then `active` may be the generation before."""
    return document.active.chunk_count if document.active and document.status is Status.COMPLETED else None
