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
from ragbase.interfaces.cli.screen import state
from ragbase.job_message import encode_job
from ragbase.wire import Wire

_OTHERS: TypeAdapter[ObjectEvent | UnreadMessage] = TypeAdapter(ObjectEvent | UnreadMessage)


class LetterSummary(Wire):
    """`documentStatus` is what has become of the document since; REPLACED tells that a newer generation was seen."""

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


class LetterList(Wire):
    """`more` tells that there are more than the limit let through."""

    dead_letters: tuple[LetterSummary, ...]
    more: bool


class LetterDetail(LetterSummary):
    """`message` is the message as it was: a job as on its lane, an upload event, or bytes that nothing reads."""

    message: Mapping[str, object]


class ReplaySummary(Wire):
    """How many letters were handed over, were outdated, or could not be handed over; and how many of the documents have
    failed again."""

    replayed: int
    outdated: int
    refused: int
    failed: int


class DiscardSummary(Wire):
    discarded: int


def letter_summary(letter: DeadLetter, record: Document | None) -> LetterSummary:
    """`record` is that of the letter's document, if there is one."""
    return LetterSummary(**_facts(letter, record))


def letter_detail(letter: DeadLetter, record: Document | None) -> LetterDetail:
    return LetterDetail(**_facts(letter, record), message=wording(letter))


def wording(letter: DeadLetter) -> Mapping[str, object]:
    if isinstance(letter.message, Job):
        job: Mapping[str, object] = json.loads(encode_job(letter.message))
        return job
    message: Mapping[str, object] = _OTHERS.dump_python(letter.message, mode="json")
    return message


def document_state(letter: DeadLetter, record: Document | None) -> str | None:
    if record is None:
        return None
    return state(record) if record.generation == letter.generation else "REPLACED"


def _facts(letter: DeadLetter, record: Document | None) -> dict[str, Any]:
    return {
        "id": letter.id,
        "kind": letter.kind,
        "document_id": letter.document_id,
        "filename": record.source if record else letter.name,
        "generation": None if letter.generation is None else str(letter.generation),
        "document_status": document_state(letter, record),
        "attempts": letter.attempts,
        "code": letter.code.value,
        "reason": letter.reason,
        "first_seen": letter.first_seen,
        "last_seen": letter.last_seen,
    }
