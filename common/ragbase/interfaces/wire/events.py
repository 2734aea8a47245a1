"""The parameters and the bodies of /api/events."""

from __future__ import annotations

from pydantic import Field

from ragbase.engine.changed_documents import ChangedDocuments
from ragbase.interfaces.wire.documents import document_status
from ragbase.messages.api.events import ChangesResponse
from ragbase.messages.json_model import RequestModel

CHANGE_ID = r"^[A-Za-z0-9_-]{38}$"
"""Every id of a change has this form (interfaces/api/change_id.py)."""


class ChangesRequest(RequestModel):
    after: str | None = Field(
        None, pattern=CHANGE_ID, description="the `next` of the answer or event before, or leave it out"
    )


def changes_response(changed: ChangedDocuments, *, next: str) -> ChangesResponse:
    return ChangesResponse(
        documents=tuple(document_status(record) for record in changed.records if not record.tombstone),
        deleted=tuple(record.id for record in changed.records if record.tombstone),
        more=changed.has_more,
        next=next,
    )
