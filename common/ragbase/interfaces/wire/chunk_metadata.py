"""Where a chunk is, in every body that has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.messages.api.chunk_metadata import ChunkMetadata

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk


def chunk_metadata(chunk: Chunk) -> ChunkMetadata:
    return ChunkMetadata(
        page=chunk.page,
        row=chunk.row,
        heading=" > ".join(chunk.header_path) or None,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        table_header=chunk.table_header or None,
    )
