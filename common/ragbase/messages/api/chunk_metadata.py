"""Where a chunk is, in every answer that has one."""

from __future__ import annotations

from ragbase.messages.json_model import JsonModel


class ChunkMetadata(JsonModel):
    """Where a chunk is: its content is the document's extracted text from `charStart` to `charEnd`.

    `page` counts from 1. `row` is the row of a CSV or TSV file, counted from 1 without the header and blank rows.
    `heading` is the path of headings above the chunk, outermost first, joined by " > ".
    `tableHeader` is the header row of the table in whose rows the content begins: show it in front of the content.
    """

    page: int | None = None
    row: int | None = None
    heading: str | None = None
    char_start: int
    char_end: int
    table_header: str | None = None
