"""The body of /internal/extractions: what an extractor elsewhere is to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ragbase.messages.json_model import JsonModel, RequestModel

if TYPE_CHECKING:
    from ragbase.domain.document import Document


class ExtractionsRequest(RequestModel):
    """The query parameter, as text."""

    limit: Annotated[int, Field(ge=1, le=1000)] = Field(100, description="a whole number from 1 to 1000")


class WaitingExtraction(JsonModel):
    """A file that waits for its text. `content` is the path of its bytes, `size` counts them, and the callback names
    the `generation`. It waits `since` its lane has left it to the extractor, and is FAILED if no callback has come
    `until` then."""

    id: str
    filename: str
    generation: str
    format: str | None
    content_type: str
    size: int
    content: str
    since: datetime
    until: datetime


class ExtractionsResponse(JsonModel):
    """Those that have waited longest come first."""

    extractions: tuple[WaitingExtraction, ...]


def extractions_response(records: Sequence[Document]) -> ExtractionsResponse:
    return ExtractionsResponse(extractions=tuple(_waiting(records)))


def _waiting(records: Sequence[Document]) -> Iterator[WaitingExtraction]:
    for record in records:
        if record.handed_out is not None:
            yield WaitingExtraction(
                id=record.id,
                filename=record.source,
                generation=str(record.generation),
                format=record.format,
                content_type=record.content_type,
                size=record.size,
                content=f"/api/documents/{record.id}/content",
                since=record.handed_out.since,
                until=record.handed_out.until,
            )
