"""Dead letters as JSON. docs/cli.md shows what `--json` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, TypeAdapter

from ragbase.domain.dead_letter import DeadLetter, MessageKind, UnreadMessage
from ragbase.domain.document import Document
from ragbase.domain.job import Job
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.server_paths import without_server_paths
from ragbase.domain.work import Failure
from ragbase.interfaces.wire.cursor import CURSOR, Cursor, cursor_of
from ragbase.messages.api.dead_letters import (
    DeadLetterDetail,
    DeadLettersResponse,
    DeadLetterSummary,
    ReplayResponse,
)
from ragbase.messages.job_message import encode_job
from ragbase.messages.json_model import JsonModel, RequestModel
from ragbase.ports import DeadLetterPlace, ListingPlace

if TYPE_CHECKING:
    from ragbase.ports import DeadLetters, DocumentStore
    from ragbase.upkeep.dead_letters.replay import Replay

_OTHERS: TypeAdapter[ObjectEvent | UnreadMessage] = TypeAdapter(ObjectEvent | UnreadMessage)


class DeadLettersRequest(RequestModel):
    """The query parameters of the list, as text."""

    reason: str | None = Field(None, max_length=200, description="a text of the code or reason, or leave it out")
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)] = Field(
        DEFAULT_PAGE_SIZE, description=f"a whole number from 1 to {MAX_PAGE_SIZE}"
    )
    cursor: str | None = Field(None, pattern=CURSOR, description="the `nextCursor` of the page before, or leave it out")


class DeadLetterList(JsonModel):
    """`more` is true if there are more dead letters than the limit."""

    dead_letters: tuple[DeadLetterSummary, ...]
    more: bool


class ReplaySummary(JsonModel):
    """How many dead letters were replayed, were outdated, or could not be replayed (`refused`). `failed` counts the
    documents that failed again."""

    replayed: int
    outdated: int
    refused: int
    failed: int


class DiscardSummary(JsonModel):
    discarded: int


def dead_letters_response(
    wanted: DeadLettersRequest, dead_letters: DeadLetters, documents: DocumentStore
) -> DeadLettersResponse:
    from ragbase.upkeep.dead_letters.find import dead_letter_page

    place = cursor_of(wanted.cursor).place if wanted.cursor is not None else None
    before = DeadLetterPlace(place.created_at, place.id) if place is not None else None
    found, end = dead_letter_page(dead_letters, reason=wanted.reason or "", before=before, limit=wanted.limit)
    records = records_of(found, documents)
    return DeadLettersResponse(
        dead_letters=tuple(dead_letter_summary(told(one), records.get(one.document_id or "")) for one in found),
        next_cursor=Cursor(ListingPlace(end.last_seen, end.id), None).text if end is not None else None,
    )


def told(dead_letter: DeadLetter) -> DeadLetter:
    """As a caller of the API may see it."""
    return replace(dead_letter, reason=Failure(dead_letter.code, dead_letter.reason).told)


def replay_response(done: Replay) -> ReplayResponse:
    return ReplayResponse(fate=done.fate.value, reason=without_server_paths(done.reason) or None)


def records_of(dead_letters: Sequence[DeadLetter], documents: DocumentStore) -> Mapping[str, Document]:
    """The records of their documents, by their ids."""
    return documents.get_many([one.document_id for one in dead_letters if one.document_id is not None])


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
