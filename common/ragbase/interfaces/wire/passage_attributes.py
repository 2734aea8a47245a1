"""A passage for programs that know no citations of ours: as plain values, what its document says of itself and where it
is."""

from __future__ import annotations

from ragbase.messages.api.query import DocumentMetadataBody, SearchResultBody

_LONGEST = 512
"""Characters of a value in OpenAI's `attributes`."""


def passage_attributes(result: SearchResultBody) -> dict[str, str | float | bool]:
    """`char_start` and `char_end` count in the document's extracted text. What is not known is left out, and a longer
    text is cut."""
    said, place = result.document_metadata or DocumentMetadataBody(), result.metadata
    values: dict[str, str | float | None] = {
        "title": said.title,
        "tags": ", ".join(said.tags or ()) or None,
        "date": said.date,
        "url": said.url,
        "heading": place.heading,
        "page": place.page,
        "row": place.row,
        "char_start": place.char_start,
        "char_end": place.char_end,
    }
    return {
        name: value[:_LONGEST] if isinstance(value, str) else value
        for name, value in values.items()
        if value is not None
    }
