"""What /api/documents/ID/chunks answers: what search shows of a document."""

from __future__ import annotations

from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.json_model import JsonModel


class ChunkBody(JsonModel):
    """`chunkIndex` is the chunk's place in the document, from 0."""

    id: str
    document_id: str
    chunk_index: int
    content: str
    metadata: ChunkMetadata


class ChunksResponse(JsonModel):
    """`total` counts all chunks of the document. `nextCursor` is there if there are more after this page."""

    chunks: tuple[ChunkBody, ...]
    total: int
    next_cursor: str | None = None
