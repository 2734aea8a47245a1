"""Publish the message of a dead letter again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.dead_letter import DeadLetter
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import DocumentNotFound, MalformedMessage, PermanentError
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.no_document import no_document
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.pipeline.publish_job import publish_job, topic_of
from ragbase.pipeline.route import route
from ragbase.ports import Ports
from ragbase.upkeep.retry import retry

_REPLACED = "Another generation has replaced its generation."


class Fate(StrEnum):
    """What a replay did. OUTDATED: the document has moved on, and only its leftovers had to be removed."""

    REPLAYED = "replayed"
    OUTDATED = "outdated"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Replay:
    """`reason` says why a dead letter was outdated or refused."""

    dead_letter: DeadLetter
    fate: Fate
    reason: str = ""


def replay(dead_letter: DeadLetter, ports: Ports) -> Replay:
    """Publish the dead letter's message again, with a new round of attempts, and remove the dead letter.

    It is removed last: after a crash in between it can be replayed again, which does no harm. If the message fails
    again in the meantime, its dead letter stays. A dead letter that cannot be replayed is refused, and stays, too.
    """
    message = dead_letter.message
    if isinstance(message, Job):
        done = _replay_job(dead_letter, message, ports)
    elif isinstance(message, ObjectEvent):
        done = _replay_event(dead_letter, message, ports)
    else:
        done = Replay(dead_letter, Fate.REFUSED, "ragbase cannot read this message. Look at it, and discard it.")
    if done.fate is not Fate.REFUSED:
        ports.dead_letters.remove(dead_letter)
    return done


def _replay_event(dead_letter: DeadLetter, event: ObjectEvent, ports: Ports) -> Replay:
    known = ports.documents.get(document_id(event.bucket, event.name))
    try:
        record = route(event, ports)
    except MalformedMessage as error:
        return Replay(dead_letter, Fate.REFUSED, str(error))
    if record is None or not (record.tombstone or record.generation == event.generation):
        left_out = no_document(event.name, ports.program_files) if record is None else None
        reason = _REPLACED if left_out is None else f"It becomes no document. {left_out.reason}"
        return Replay(dead_letter, Fate.OUTDATED, reason)
    if record.tombstone and event.kind is EventKind.FINALISED:
        return Replay(dead_letter, Fate.OUTDATED, "The document is DELETED.")
    failure = record.failure
    if record.has_failed and failure is not None and failure.may_pass:
        return _retry(dead_letter, record, ports)  # the router wrote the record, but could not publish the job
    if known == record and not record.needs_work:
        return Replay(dead_letter, Fate.OUTDATED, f"The router has seen it already: the document is {_state(record)}.")
    return Replay(dead_letter, Fate.REPLAYED)


def _replay_job(dead_letter: DeadLetter, job: Job, ports: Ports) -> Replay:
    record = ports.documents.get(job.document_id)
    if record is None:
        reason = "Its document has no record. `ragbase reconcile --repair` makes one if the object is still there."
        return Replay(dead_letter, Fate.REFUSED, reason)
    if record.wants(job.generation) and record.has_failed and record.lane is not None:
        return _retry(dead_letter, record, ports)
    if record.wants(job.generation) and record.needs_work:
        return _replayed(dead_letter, publish_job(record, ports))
    # The lane finds out what is left to do: maybe no more than to remove chunks.
    try:
        ports.publisher.publish(topic_of(record), job)
    except PermanentError as error:
        return Replay(dead_letter, Fate.REFUSED, error.reason)
    return Replay(dead_letter, Fate.OUTDATED, _moved_on(record, job))


def _retry(dead_letter: DeadLetter, record: Document, ports: Ports) -> Replay:
    try:
        after = retry(record.id, ports)
    except DocumentNotFound:  # deleted just now
        return Replay(dead_letter, Fate.OUTDATED, "The document is DELETED.")
    return _replayed(dead_letter, after)


def _replayed(dead_letter: DeadLetter, after: Document) -> Replay:
    if after.has_failed and after.failure is not None:
        return Replay(dead_letter, Fate.REFUSED, after.failure.reason)
    return Replay(dead_letter, Fate.REPLAYED)


def _moved_on(record: Document, job: Job) -> str:
    if record.wanted != job.generation:
        return _REPLACED
    if record.tombstone or record.status is Status.COMPLETED:
        return f"The document is {_state(record)}."
    return "The router refused the document. Upload it again."


def _state(record: Document) -> str:
    return "DELETED" if record.tombstone else record.status.value
