"""The bodies of /api/query (docs/contracts/documents.md, section 3). `ragbase query --json` prints the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from ragbase.domain.chunk import Chunk
from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_TOP_K
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

    `page` counts from 1. `heading` is the path of headings above the chunk, outermost first, joined by " > ".
    """

    page: int | None
    heading: str | None
    char_start: int
    char_end: int


class QuerySource(JsonModel):
    document_id: str
    filename: str
    metadata: ChunkMetadata


class QueryResult(JsonModel):
    """A passage with its score (0 to 1). `sources` lists every place with the same text, this place first."""

    content: str
    score: float
    document_id: str
    filename: str
    metadata: ChunkMetadata
    sources: tuple[QuerySource, ...]


class QueryResponse(JsonModel):
    results: tuple[QueryResult, ...]


def query_response(results: Sequence[SearchResult]) -> QueryResponse:
    return QueryResponse(results=tuple(_result(result) for result in results))


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
