"""An extractor elsewhere has read a document, or could not: its text replaces what a lane reads.

1. write the text, under a number of its own; 2. change the record, if its revision is still the one that was seen;
3. publish the job.

A call that stops after the first step leaves a text that no record names: the janitor removes it. After the second, the
same call again publishes the job, and so does the janitor. Each number is used once. So what is removed because no
record needs it is never what another call has just given.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import DocumentNotFound, GenerationChanged, NotAwaited
from ragbase.domain.extractor_transitions import failed_elsewhere, given, is_awaited
from ragbase.domain.given_text import GivenText, given_generation
from ragbase.domain.identity import text_hash
from ragbase.domain.transitions import is_as_seen
from ragbase.domain.work import Failure
from ragbase.pipeline.publish_job import publish_job

if TYPE_CHECKING:
    from ragbase.ports import Ports


@dataclass(frozen=True, slots=True)
class Given:
    """The document's record, and whether it has changed."""

    record: Document
    is_new: bool


def give_text(
    record: Document, text: str, *, page_count: int, ocr_applied: bool, ports: Ports, if_awaited: bool = False
) -> Given:
    """Let this be the text of the generation that `record` is of. Every later one, of a lane too, is replaced by it.

    The text that the document has already changes nothing. If it has failed, it is tried again. Raises DocumentNotFound
    for a document that is deleted by now, GenerationChanged if its file is another one by now, and, with `if_awaited`,
    NotAwaited if it does not wait for its text, or not any more.
    """
    of, hash = record.generation, text_hash(text)
    while True:
        _check_current(record, of)
        known = record.given_text
        if known is not None and known.hash == hash and not record.has_failed:
            if record.needs_work:
                record = publish_job(record, ports)
            return Given(record, is_new=False)
        now = ports.clock.now()
        if if_awaited:
            _check_awaited(record, now)
        number = given_generation(record.id, record.revision, hash, now)
        mine = GivenText(generation=number, of=of, hash=hash, page_count=page_count, ocr_applied=ocr_applied)
        ports.texts.put(record.id, number, text)
        change = ports.documents.update(record.id, given(mine, seen=record, now=now, if_awaited=if_awaited))
        if change.after is None:
            raise DocumentNotFound(f"There is no document {record.id}.")
        if is_as_seen(change.before, record) and change.after.given_text == mine:
            old = record.given_text
            if old is not None and not change.after.needs(old.generation):
                ports.texts.delete(record.id, old.generation)  # it may have failed, and have no chunks that name it
            telemetry.log("given", document_id=record.id, name=record.name, generation=number, of=of)
            return Given(publish_job(change.after, ports), is_new=True)
        if not change.after.needs(number):  # another call may have given the same text at the same moment
            ports.texts.delete(record.id, number)
        record = change.after


def report_failure(record: Document, failure: Failure, *, ports: Ports, if_awaited: bool = False) -> Given:
    """Let the generation that `record` is of be FAILED with this failure. A document that is COMPLETED stays as it
    is, and so does one that got a text already.

    Raises as `give_text`.
    """
    of, now = record.generation, ports.clock.now()
    change = ports.documents.update(record.id, failed_elsewhere(of, failure, now=now, if_awaited=if_awaited))
    if change.after is None:
        raise DocumentNotFound(f"There is no document {record.id}.")
    _check_current(change.after, of)
    if if_awaited and change.after is change.before and change.after.failure != failure:
        _check_awaited(change.after, now)
    is_new = change.after is not change.before
    # A lane removes the text of the generation before, which the bucket no longer holds.
    after = publish_job(change.after, ports) if change.after.status is Status.FAILED else change.after
    return Given(after, is_new)


def _check_awaited(record: Document, now: datetime) -> None:
    if is_awaited(record, now):
        return
    if record.handed_out is not None:
        raise NotAwaited(f"The time for {record.source} was over at {record.handed_out.until:%Y-%m-%d %H:%M:%S} UTC.")
    raise NotAwaited(f"{record.source} does not wait for an extractor elsewhere: it is {record.status}.")


def _check_current(record: Document, of: int) -> None:
    if record.tombstone:
        raise DocumentNotFound(f"There is no document {record.id}.")
    if record.generation != of:
        raise GenerationChanged(f"{record.source} has another content by now.")
