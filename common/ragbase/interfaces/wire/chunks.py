"""The body of /api/documents/ID/chunks: what search shows of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from ragbase.interfaces.wire.chunk_metadata import chunk_metadata
from ragbase.messages.api.chunks import ChunkBody, ChunksResponse
from ragbase.messages.json_model import RequestModel

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk
    from ragbase.domain.document import Document

MAX_CHUNKS = 2**31 - 1
"""More than a file within the limits can have."""


class ChunksRequest(RequestModel):
    """The query parameters, as text. `cursor` is the place of the first chunk."""

    limit: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)] = Field(
        DEFAULT_PAGE_SIZE, description=f"a whole number from 1 to {MAX_PAGE_SIZE}"
    )
    cursor: Annotated[int, Field(ge=0, le=MAX_CHUNKS)] = Field(
        0, description="the `nextCursor` of the page before, or leave it out"
    )


def chunks_response(document: Document, chunks: Sequence[Chunk], *, first: int) -> ChunksResponse:
    total = document.active.chunk_count if document.active is not None else 0
    end = first + len(chunks)
    return ChunksResponse(
        chunks=tuple(
            ChunkBody(
                id=chunk.id,
                document_id=chunk.document_id,
                chunk_index=chunk.ordinal,
                content=chunk.text,
                metadata=chunk_metadata(chunk),
            )
            for chunk in chunks
        ),
        total=total,
        next_cursor=str(end) if end < total else None,
    )
