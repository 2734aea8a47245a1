"""The audit log as JSON."""

from __future__ import annotations

from ragbase.access.verify_audit import Verification
from ragbase.domain.audit import AuditEntry
from ragbase.messages.json_model import JsonModel


class AuditEntryBody(JsonModel):
    """An entry as `ragbase audit export` writes it. `hash` is the SHA-256 of all other fields as JSON with sorted keys,
    without blanks, in ASCII."""

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


class AuditList(JsonModel):
    entries: tuple[AuditEntryBody, ...]


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


def entry_body(entry: AuditEntry) -> AuditEntryBody:
    return AuditEntryBody.model_validate_json(entry.line())


def verification(found: Verification) -> AuditVerification:
    return AuditVerification(
        is_sound=found.is_sound,
        entries=found.entries,
        heads=tuple(AuditHead(chain=one.chain, number=one.number, hash=one.hash) for one in found.heads),
        breaks=tuple(AuditBreak(chain=one.chain, number=one.number, reason=one.reason) for one in found.breaks),
        missing=tuple(found.missing),
    )
