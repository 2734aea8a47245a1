"""What /api/dead-letters answers. `ragbase dead-letters list --json` prints the same."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from ragbase.domain.dead_letter import MessageKind
from ragbase.messages.json_model import JsonModel


class DeadLetterSummary(JsonModel):
    """`documentStatus` is the document's status now. REPLACED means that it has another generation."""

    id: str
    kind: MessageKind
    document_id: str | None = None
    filename: str | None = None
    generation: str | None = None
    document_status: str | None = None
    attempts: int
    code: str
    reason: str
    first_seen: datetime
    last_seen: datetime


class DeadLetterDetail(DeadLetterSummary):
    """`message` is the original message: a lane's job, an upload event, or bytes that ragbase cannot read."""

    message: Mapping[str, object]


class DeadLettersResponse(JsonModel):
    """The newest come first. `nextCursor` is there if there may be more after this page."""

    dead_letters: tuple[DeadLetterSummary, ...]
    next_cursor: str | None = None


class ReplayResponse(JsonModel):
    """What a replay did. An `outdated` dead letter was only removed, because its document has moved on. A `refused` one
    cannot be replayed, and stays. `reason` says why."""

    fate: Literal["replayed", "outdated", "refused"]
    reason: str | None = None
