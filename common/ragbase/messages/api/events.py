"""What GET /api/events answers, and each of its events."""

from __future__ import annotations

from ragbase.messages.api.documents import DocumentStatusResponse
from ragbase.messages.json_model import JsonModel


class ChangesResponse(JsonModel):
    """`documents` have changed, and are as they are now, the last change last. `deleted` are the ids of those that were
    deleted. If `more` is true, others may have changed, too: list the documents again. `next` is where to go on."""

    documents: tuple[DocumentStatusResponse, ...]
    deleted: tuple[str, ...]
    more: bool
    next: str

    @property
    def is_empty(self) -> bool:
        return not (self.documents or self.deleted or self.more)
