"""Which document a user means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.errors import DocumentNotFound

if TYPE_CHECKING:
    from ragbase.interfaces.knowledge.knowledge import Knowledge
    from ragbase.messages.api.documents import DocumentStatusResponse


def identified(identifier: str, knowledge: Knowledge) -> DocumentStatusResponse:
    """The document with this id or name, or that was ingested from this path. Raises DocumentNotFound."""
    found = knowledge.find(identifier)
    if found is None:
        raise not_found(identifier)
    return found


def not_found(identifier: str) -> DocumentNotFound:
    return DocumentNotFound(f"{identifier}: there is no such document. `ragbase list` shows the ids and the paths.")
