"""The bodies of the HTTP API (document contract, section 3), built from what the use cases give.

`ragbase --json` prints the same. `filename` is the document's source, whole: what its uploader called it, with folders
or as a URL, so that two files of one name in different folders can be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from ragbase.domain.chunk import Chunk
from ragbase.domain.document import Document, Status
from ragbase.ports import DocumentPage
from ragbase.retrieval.search import SearchResult
from ragbase.wire import INT64_MAX, Wire


class QueryRequest(Wire):
    """`query` is trimmed before it is counted. Without `topK` the setting `top_k` holds."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)] = Field(
        description="a text of 1 to 1000 characters, not counting blanks around it"
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=100)] | None = Field(
        None, description="a whole number from 1 to 100, or leave it out"
    )


class ListRequest(Wire):
    """The parameters of a listing, as text."""

    status: Status | None = Field(None, description=f"one of {', '.join(Status)}, or leave it out")
    limit: Annotated[int, Field(ge=1, le=100)] = Field(20, description="a whole number from 1 to 100")
    offset: Annotated[int, Field(ge=0, le=INT64_MAX)] = Field(0, description="a whole number from 0 on")


class ChunkMetadata(Wire):
    """Where a chunk stands: the document's extracted text from `charStart` to `charEnd` is the chunk's content.

    `page` counts from 1. `heading` is the path of headings above the chunk, outermost first, joined by " > ".
    """

    page: int | None
    heading: str | None
    char_start: int
    char_end: int


class QuerySource(Wire):
    document_id: str
    filename: str
    metadata: ChunkMetadata


class QueryResult(Wire):
    """A passage that answers, with its score in 0..1. `sources` names every place of the same text, this one first."""

    content: str
    score: float
    document_id: str
    filename: str
    metadata: ChunkMetadata
    sources: tuple[QuerySource, ...]


class QueryResponse(Wire):
    results: tuple[QueryResult, ...]


class DocumentSummary(Wire):
    id: str
    filename: str
    status: Status
    chunk_count: int | None
    created_at: datetime


class ListResponse(Wire):
    documents: tuple[DocumentSummary, ...]
    total: int


class DocumentStatusResponse(Wire):
    """`failReason` is the code and the reason of the last failure: why a document is FAILED, or is being retried."""

    id: str
    filename: str
    status: Status
    retry_count: int
    fail_reason: str | None
    chunk_count: int | None
    created_at: datetime
    updated_at: datetime


def query_response(results: Sequence[SearchResult]) -> QueryResponse:
    return QueryResponse(results=tuple(_result(result) for result in results))


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
        chunk_count=_chunk_count(document),
        created_at=document.created_at,
        updated_at=document.updated_at,
    )


def _result(result: SearchResult) -> QueryResult:
    sources = tuple(
        QuerySource(
            document_id=source.document.id, filename=source.document.source, metadata=_chunk_metadata(source.chunk)
        )
        for source in result.sources
    )
    return QueryResult(
        content=result.chunk.text,
        score=result.similarity_score,
        document_id=result.document.id,
        filename=result.document.source,
        metadata=_chunk_metadata(result.chunk),
        sources=sources,
    )


def _chunk_metadata(chunk: Chunk) -> ChunkMetadata:
    return ChunkMetadata(
        page=chunk.page,
        heading=" > ".join(chunk.header_path) or None,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
    )


def _chunk_count(document: Document) -> int | None:
    """How many chunks search shows, once `generation` itself is shown (contract: `chunkCount`, if COMPLETED)."""
    return document.active.chunk_count if document.active and document.status is Status.COMPLETED else None
