"""The metadata of a found passage, as other libraries take it."""

from __future__ import annotations

from ragbase.messages.api.query import DocumentMetadataBody, SearchResultBody

Metadata = dict[str, str | int | float | list[str]]


def passage_metadata(found: SearchResultBody) -> Metadata:
    """Where the passage stands, how sure it is, and what its document says of itself. What is unknown is left out."""
    of_document = found.document_metadata or DocumentMetadataBody()
    known: dict[str, str | int | float | list[str] | None] = {
        "document_id": found.document_id,
        "filename": found.filename,
        "title": of_document.title,
        "tags": list(of_document.tags) if of_document.tags else None,
        "date": of_document.date,
        "url": of_document.url,
        "page": found.metadata.page,
        "row": found.metadata.row,
        "heading": found.metadata.heading,
        "char_start": found.metadata.char_start,
        "char_end": found.metadata.char_end,
        "score": found.score,
        "confidence": found.confidence,
        "lacks": list(found.lacks) if found.lacks else None,
    }
    return {name: value for name, value in known.items() if value is not None}
