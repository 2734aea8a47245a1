"""The bodies of /api/query (docs/contracts/documents.md, section 3). `ragbase query --json` prints the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from ragbase.domain.chunk import Chunk
from ragbase.domain.document import Document
from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.domain.metadata import NO_METADATA
from ragbase.messages.json_model import JsonModel
from ragbase.retrieval.search_one_index import SearchResult


class QueryRequest(JsonModel):
    """`query` is trimmed before its characters are counted. Without `topK`, the setting `top_k` is used."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_LENGTH)] = Field(
        description=f"a text of 1 to {MAX_QUERY_LENGTH} characters, not counting spaces around it"
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=MAX_TOP_K)] | None = Field(
        None, description=f"a whole number from 1 to {MAX_TOP_K}, or leave it out"
    )


class ChunkMetadata(JsonModel):
    """Where a chunk is: its content is the document's extracted text from `charStart` to `charEnd`.

    `page` counts from 1. `row` is the row of a CSV or TSV file, counted from 1 without the header and blank rows.
    `heading` is the path of headings above the chunk, outermost first, joined by " > ".
    `tableHeader` is the header row of the table in whose rows the content begins: show it in front of the content.
    """

    page: int | None
    row: int | None
    heading: str | None
    char_start: int
    char_end: int
    table_header: str | None


class MetadataOfDocument(JsonModel):
    """What the document says of itself (docs/formats.md). What it does not say is left out."""

    title: str | None
    tags: tuple[str, ...] | None
    date: str | None
    url: str | None


class QuerySource(JsonModel):
    document_id: str
    filename: str
    document_metadata: MetadataOfDocument | None
    metadata: ChunkMetadata


class QueryResult(JsonModel):
    """A passage with its score (0 to 1). `sources` lists every place with the same text, this place first."""

    content: str
    score: float
    document_id: str
    filename: str
    document_metadata: MetadataOfDocument | None
    metadata: ChunkMetadata
    sources: tuple[QuerySource, ...]


class QueryResponse(JsonModel):
    results: tuple[QueryResult, ...]


def query_response(results: Sequence[SearchResult]) -> QueryResponse:
    return QueryResponse(results=tuple(_result(result) for result in results))


def _result(result: SearchResult) -> QueryResult:
    sources = tuple(
        QuerySource(
            document_id=source.document.id,
            filename=source.document.source,
            document_metadata=_document_metadata(source.document),
            metadata=chunk_metadata(source.chunk),
        )
        for source in result.sources
    )
    return QueryResult(
        content=result.chunk.text,
        score=result.similarity_score,
        document_id=result.document.id,
        filename=result.document.source,
        document_metadata=_document_metadata(result.document),
        metadata=chunk_metadata(result.chunk),
        sources=sources,
    )


def _document_metadata(document: Document) -> MetadataOfDocument | None:
    said = document.metadata
    if said == NO_METADATA:
        return None
    return MetadataOfDocument(title=said.title, tags=said.tags or None, date=said.date, url=said.url)


def chunk_metadata(chunk: Chunk) -> ChunkMetadata:
    return ChunkMetadata(
        page=chunk.page,
        row=chunk.row,
        heading=" > ".join(chunk.header_path) or None,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        table_header=chunk.table_header or None,
    )
