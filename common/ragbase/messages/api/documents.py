"""What /api/documents answers (docs/contracts/documents.md, section 3). `ragbase list --json` prints the same.

`filename` is the document's full source: the path or URL that its uploader gave. It includes the folders, so two files
with the same name in different folders stay distinct.
"""

from __future__ import annotations

from datetime import datetime

from ragbase.domain.document import Status
from ragbase.domain.lane import Lane
from ragbase.messages.json_model import JsonModel


class UploadResponse(JsonModel):
    """The document that an upload has made, or the one that exists. `format` is left out if only the content of the
    file can tell it: a lane reads it. `lane` is left out if the file was refused."""

    id: str
    filename: str
    status: Status
    format: str | None = None
    lane: Lane | None = None


class UploadUrlResponse(JsonModel):
    """Send the file with this method to this address, with these headers. `id` is the document's id afterwards. With a
    `partSize`, it may come in parts of so many bytes, the last one of fewer, each with `Content-Range`. The answer 308
    says in `Range` what has come."""

    id: str
    method: str
    url: str
    headers: dict[str, str]
    expires_at: datetime
    part_size: int | None = None

    def __repr__(self) -> str:
        """Without the address: who has it can use it."""
        return f"UploadUrlResponse(id={self.id!r})"


class DocumentSummary(JsonModel):
    """`failReason`, `remedy`, `notes`, `size` and `billedTokens` are those of DocumentStatusResponse. `pageCount`,
    `ocrApplied` and `pagesWithoutText` are there for a COMPLETED document that has pages."""

    id: str
    filename: str
    status: Status
    fail_reason: str | None = None
    remedy: str | None = None
    notes: tuple[str, ...] | None = None
    lane: Lane | None = None
    size: int | None = None
    billed_tokens: int | None = None
    chunk_count: int | None = None
    page_count: int | None = None
    ocr_applied: bool | None = None
    pages_without_text: int | None = None
    created_at: datetime


class ListResponse(JsonModel):
    """`total` counts all documents of the listing, as they were at its first page. `nextCursor` is there if there are
    more after this page."""

    documents: tuple[DocumentSummary, ...]
    total: int
    next_cursor: str | None = None


class DocumentHistory(JsonModel):
    """How the document came to its state. `versions` counts what it has taken over: files of its name, and texts given
    for them. `generation` is the last of these files, and `shownGeneration` what search shows. `attempts` are those at
    the last version, and `replacedAt` is when search last began to show something else of it. `waitingSince` is there
    while it waits for a service that is away. `embeddedTexts` counts those of all its versions."""

    format: str | None = None
    versions: int
    generation: str
    shown_generation: str | None = None
    attempts: int
    replaced_at: datetime | None = None
    waiting_since: datetime | None = None
    embedded_texts: int


class CountsResponse(JsonModel):
    """How many documents there are in each status, and in all."""

    pending: int
    processing: int
    completed: int
    failed: int
    total: int


class DocumentStatusResponse(JsonModel):
    """`failReason` is the code and the reason of the last failure: why a document is FAILED, is being retried, or could
    not be repaired (then it is COMPLETED, and search shows what it showed before). If nothing more is tried, `remedy`
    says what to do. `notes` say what was doubtful or
    damaged in a COMPLETED document, and which text was left out: another format than its name says, an uncertain
    encoding, rows that did not fit, hidden text.
    `pageCount`, `ocrApplied`, `ocrPages` (what OCR read) and `pagesWithoutText` are there for a COMPLETED document
    that has pages. While a long document is read, `parts` counts the ranges of pages that it is read in, and
    `partsRead` those that are read. `extractorUntil` is the time until which an extractor elsewhere may answer.
    `size` is in bytes. `billedTokens` were billed for its embeddings, over all its generations.
    Only `GET /api/documents/ID` tells the `history`.
    """

    id: str
    filename: str
    status: Status
    retry_count: int
    fail_reason: str | None = None
    remedy: str | None = None
    notes: tuple[str, ...] | None = None
    lane: Lane | None = None
    size: int | None = None
    billed_tokens: int | None = None
    chunk_count: int | None = None
    page_count: int | None = None
    ocr_applied: bool | None = None
    ocr_pages: int | None = None
    pages_without_text: int | None = None
    parts: int | None = None
    parts_read: int | None = None
    extractor_until: datetime | None = None
    created_at: datetime
    updated_at: datetime
    history: DocumentHistory | None = None

    @property
    def is_settled(self) -> bool:
        """Whether no work is going on: it is COMPLETED or FAILED."""
        return self.status in (Status.COMPLETED, Status.FAILED)
