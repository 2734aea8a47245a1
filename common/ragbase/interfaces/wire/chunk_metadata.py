"""Where a chunk is, in every body that has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.messages.json_model import JsonModel

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk


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


def chunk_metadata(chunk: Chunk) -> ChunkMetadata:
    return ChunkMetadata(
        page=chunk.page,
        row=chunk.row,
        heading=" > ".join(chunk.header_path) or None,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        table_header=chunk.table_header or None,
    )
