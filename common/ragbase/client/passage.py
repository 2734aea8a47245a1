"""A found passage as other libraries take it: an id, a text and metadata."""

from __future__ import annotations

from ragbase.messages.api.query import DocumentMetadataBody, SearchResultBody

Metadata = dict[str, str | int | float | list[str]]


def passage_id(found: SearchResultBody) -> str:
    """Its document and its characters there: two searches that find the same passage give it the same id."""
    return f"{found.document_id}:{found.metadata.char_start}-{found.metadata.char_end}"


def passage_text(found: SearchResultBody) -> str:
    """The passage. If it begins among the rows of a table, the header of that table stands in front of it."""
    header = found.metadata.table_header
    return f"{header}\n{found.content}" if header else found.content


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
