"""What /api/audit answers. `ragbase audit list --json` prints the same entries."""

from __future__ import annotations

from ragbase.messages.json_model import JsonModel


class AuditLine(JsonModel):
    """An entry, as a line of `ragbase audit export` has it. `hash` is the SHA-256 of all other fields as JSON with
    sorted keys, without blanks, in ASCII."""

    action: str
    address: str
    at: str
    caller: str
    chain: str
    details: dict[str, str]
    document: str
    hash: str
    number: int
    outcome: str
    previous: str
    request: str
    tenant: str


class AuditResponse(JsonModel):
    """The newest come first. `nextCursor` is there if there may be more after this page."""

    entries: tuple[AuditLine, ...]
    next_cursor: str | None = None
