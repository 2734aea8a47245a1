"""Dead letters as `--json` prints them. docs/cli.md shows each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from ragbase.domain.dead_letter import DeadLetter, MessageKind, UnreadMessage
from ragbase.domain.document import Document
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.messages.job_message import encode_job
from ragbase.messages.json_model import JsonModel

_OTHERS: TypeAdapter[ObjectEvent | UnreadMessage] = TypeAdapter(ObjectEvent | UnreadMessage)


class DeadLetterSummary(JsonModel):
    """`documentStatus` is the document's status now. REPLACED means that it has another generation."""

    id: str
    kind: MessageKind
    document_id: str | None
    filename: str | None
    generation: str | None
    document_status: str | None
    attempts: int
    code: str
    reason: str
    first_seen: datetime
    last_seen: datetime


class DeadLetterList(JsonModel):
    """`more` is true if there are more dead letters than the limit."""

    dead_letters: tuple[DeadLetterSummary, ...]
    more: bool


class DeadLetterDetail(DeadLetterSummary):
    """`message` is the original message: a lane's job, an upload event, or bytes that ragbase cannot read."""

    message: Mapping[str, object]


class ReplaySummary(JsonModel):
    """How many dead letters were replayed, were outdated, or could not be replayed (`refused`). `failed` counts the
    documents that failed again."""

    replayed: int
    outdated: int
    refused: int
    failed: int


class DiscardSummary(JsonModel):
    discarded: int


def dead_letter_summary(dead_letter: DeadLetter, record: Document | None) -> DeadLetterSummary:
    """`record` is the record of the dead letter's document, if it has one."""
    return DeadLetterSummary(**_facts(dead_letter, record))


def dead_letter_detail(dead_letter: DeadLetter, record: Document | None) -> DeadLetterDetail:
    return DeadLetterDetail(**_facts(dead_letter, record), message=wording(dead_letter))


def wording(dead_letter: DeadLetter) -> Mapping[str, object]:
    if isinstance(dead_letter.message, Job):
        job: Mapping[str, object] = json.loads(encode_job(dead_letter.message))
        return job
    message: Mapping[str, object] = _OTHERS.dump_python(dead_letter.message, mode="json")
    return message


def document_state(dead_letter: DeadLetter, record: Document | None) -> str | None:
    if record is None:
        return None
    about = record.wanted if dead_letter.kind is MessageKind.JOB else record.generation
    if about != dead_letter.generation:
        return "REPLACED"
    return "DELETED" if record.tombstone else record.status.value


def _facts(dead_letter: DeadLetter, record: Document | None) -> dict[str, Any]:
    return {
        "id": dead_letter.id,
        "kind": dead_letter.kind,
        "document_id": dead_letter.document_id,
        "filename": record.source if record else dead_letter.name,
        "generation": None if dead_letter.generation is None else str(dead_letter.generation),
        "document_status": document_state(dead_letter, record),
        "attempts": dead_letter.attempts,
        "code": dead_letter.code.value,
        "reason": dead_letter.reason,
        "first_seen": dead_letter.first_seen,
        "last_seen": dead_letter.last_seen,
    }
