"""The audit log as JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AwareDatetime, BeforeValidator, Field

from ragbase.access.verify_audit import Verification
from ragbase.domain.audit import Action, AuditEntry, time_text
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_PATH
from ragbase.messages.api.audit import AuditLine, AuditResponse
from ragbase.messages.json_model import JsonModel, RequestModel
from ragbase.ports import EntryPlace

CURSOR = r"^[0-9]{1,16}\.[0-9]{1,12}\.[a-z0-9]{1,32}$"
"""The microseconds since 1970 of an entry, its number and its chain."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _typed_time(value: object) -> object:
    """Pydantic takes a number for the seconds since 1970; people have typed something else."""
    if isinstance(value, str) and not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ]", value):
        raise ValueError("it has no date and time")
    return value


_Time = Annotated[AwareDatetime, BeforeValidator(_typed_time)]


class AuditRequest(RequestModel):
    """The query parameters of the list, as text."""

    action: Action | None = Field(None, description=f"one of {', '.join(Action)}, or leave it out")
    caller: str | None = Field(None, max_length=200, description="the beginning of a caller, such as key:5f0e")
    document: str | None = Field(None, max_length=MAX_PATH, description="the id or name of a document")
    since: _Time | None = Field(None, description="a time such as 2025-06-01T09:30:00Z")
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)] = Field(
        DEFAULT_PAGE_SIZE, description=f"a whole number from 1 to {MAX_PAGE_SIZE}"
    )
    cursor: str | None = Field(None, pattern=CURSOR, description="the `nextCursor` of the page before, or leave it out")

    @property
    def before(self) -> EntryPlace | None:
        if self.cursor is None:
            return None
        microseconds, number, chain = self.cursor.split(".")
        return EntryPlace(time_text(_EPOCH + timedelta(microseconds=int(microseconds))), chain, int(number))


class AuditList(JsonModel):
    entries: tuple[AuditLine, ...]


class AuditHead(JsonModel):
    """The last entry of a chain."""

    chain: str
    number: int
    hash: str


class AuditBreak(JsonModel):
    """The first entry of a chain that is not as it was written; `number` 0 means the whole chain."""

    chain: str
    number: int
    reason: str


class AuditVerification(JsonModel):
    """`missing` are the hashes of --head that no entry has."""

    is_sound: bool
    entries: int
    heads: tuple[AuditHead, ...]
    breaks: tuple[AuditBreak, ...]
    missing: tuple[str, ...]


def entry_body(entry: AuditEntry) -> AuditLine:
    return AuditLine.model_validate_json(entry.line())


def audit_response(entries: Sequence[AuditEntry], end: EntryPlace | None) -> AuditResponse:
    cursor = None
    if end is not None:
        microseconds = (datetime.fromisoformat(end.at) - _EPOCH) // timedelta(microseconds=1)
        cursor = f"{microseconds}.{end.number}.{end.chain}"
    return AuditResponse(entries=tuple(map(entry_body, entries)), next_cursor=cursor)


def verification(found: Verification) -> AuditVerification:
    return AuditVerification(
        is_sound=found.is_sound,
        entries=found.entries,
        heads=tuple(AuditHead(chain=one.chain, number=one.number, hash=one.hash) for one in found.heads),
        breaks=tuple(AuditBreak(chain=one.chain, number=one.number, reason=one.reason) for one in found.breaks),
        missing=tuple(found.missing),
    )
