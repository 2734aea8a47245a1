"""The facts of a found passage, for libraries and protocols that know no citations of ours."""

from __future__ import annotations

from ragbase.messages.api.query import DocumentMetadataBody, SearchResultBody

Fact = str | int | float | list[str]


def passage_facts(found: SearchResultBody) -> dict[str, Fact]:
    """What its document says of itself, and where the passage is: `char_start` and `char_end` count in the document's
    extracted text. What is unknown is left out."""
    said, place = found.document_metadata or DocumentMetadataBody(), found.metadata
    facts: dict[str, Fact | None] = {
        "title": said.title,
        "tags": list(said.tags) if said.tags else None,
        "date": said.date,
        "url": said.url,
        "heading": place.heading,
        "page": place.page,
        "row": place.row,
        "char_start": place.char_start,
        "char_end": place.char_end,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}
