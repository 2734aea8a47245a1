"""The metadata of a found passage, as other libraries take it."""

from __future__ import annotations

from ragbase.messages.api.passage_facts import Fact, passage_facts
from ragbase.messages.api.query import SearchResultBody


def passage_metadata(found: SearchResultBody) -> dict[str, Fact]:
    """Which document the passage is of, its facts, and how sure it is. What is unknown is left out."""
    known: dict[str, Fact | None] = {
        "document_id": found.document_id,
        "filename": found.filename,
        **passage_facts(found),
        "score": found.score,
        "confidence": found.confidence,
        "lacks": list(found.lacks) if found.lacks else None,
    }
    return {name: value for name, value in known.items() if value is not None}
