"""Give a dead letter back to the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.dead_letter import DeadLetter
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import DocumentNotFound, MalformedMessage
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.pipeline.retry import retry
from ragbase.pipeline.route import route, topic_of
from ragbase.ports import Bucket, Clock, DeadLetters, DocumentStore, Publisher

_NEWER = "A newer generation has replaced the one that it is about."


class Fate(StrEnum):
    """What a replay did. `OUTDATED`: the document has moved on, and no more than its traces were left to remove."""

    REPLAYED = "replayed"
    OUTDATED = "outdated"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Replay:
    """`reason` tells why a letter was outdated or refused."""

    letter: DeadLetter
    fate: Fate
    reason: str = ""


def replay(
    letter: DeadLetter,
    *,
    bucket: Bucket,
    documents: DocumentStore,
    letters: DeadLetters,
    publisher: Publisher,
    clock: Clock,
) -> Replay:
    """Hand the letter's message over once more, with a fresh round of attempts, and forget the letter.

    It is forgotten last: after a crash in between it can be replayed again, which does no harm. One that was given up
    again meanwhile stays. What cannot be handed over is refused, and stays too.
    """
    if isinstance(letter.message, Job):
        done = _replay_job(
            letter, letter.message, documents=documents, letters=letters, publisher=publisher, clock=clock
        )
    elif isinstance(letter.message, ObjectEvent):
        done = _replay_event(
            letter, letter.message, bucket=bucket, documents=documents, publisher=publisher, clock=clock
        )
    else:
        done = Replay(letter, Fate.REFUSED, "Nothing here reads the message. Look at it, and discard it.")
    if done.fate is not Fate.REFUSED:
        letters.remove(letter)
    return done


def _replay_event(
    letter: DeadLetter,
    event: ObjectEvent,
    *,
    bucket: Bucket,
    documents: DocumentStore,
    publisher: Publisher,
    clock: Clock,
) -> Replay:
    known = documents.get(document_id(event.bucket, event.name))
    try:
        record = route(event, bucket=bucket, documents=documents, publisher=publisher, clock=clock)
    except MalformedMessage as error:
        return Replay(letter, Fate.REFUSED, str(error))
    if record is None or record.generation != event.generation:
        return Replay(letter, Fate.OUTDATED, _NEWER)
    if known == record and not record.is_open:
        return Replay(letter, Fate.OUTDATED, f"The router knows of it: the document is {_state(record)}.")
    return Replay(letter, Fate.REPLAYED)


def _replay_job(
    letter: DeadLetter,
    job: Job,
    *,
    documents: DocumentStore,
    letters: DeadLetters,
    publisher: Publisher,
    clock: Clock,
) -> Replay:
    record = documents.get(job.document_id)
    if record is None:
        reason = "Its document has no record. `ragbase reconcile --repair` makes one if the object is still there."
        return Replay(letter, Fate.REFUSED, reason)
    if record.wants(job.generation) and record.status is Status.FAILED and record.lane is not None:
        try:
            retry(record.id, documents=documents, letters=letters, publisher=publisher, clock=clock)
        except DocumentNotFound:  # deleted just now
            return Replay(letter, Fate.OUTDATED, "The document is DELETED.")
        return Replay(letter, Fate.REPLAYED)
    # Whatever is left to do for it, its lane finds out: it may be no more than to remove chunks.
    publisher.publish(topic_of(record), job)
    if record.wants(job.generation) and record.is_open:
        return Replay(letter, Fate.REPLAYED)
    return Replay(letter, Fate.OUTDATED, _moved_on(record, job))


def _moved_on(record: Document, job: Job) -> str:
    if record.generation != job.generation:
        return _NEWER
    if record.tombstone or record.status is Status.COMPLETED:
        return f"The document is {_state(record)}."
    return "The router has refused the document, which takes another upload."


def _state(record: Document) -> str:
    return "DELETED" if record.tombstone else record.status.value
