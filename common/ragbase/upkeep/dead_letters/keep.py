"""The queue could not deliver a message: keep it as a dead letter, and do not let its document wait forever."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from ragbase import telemetry
from ragbase.domain.dead_letter import DeadLetter, Message, UnreadMessage, shortened
from ragbase.domain.document import Document, Failure, Transition
from ragbase.domain.errors import Busy, ErrorCode, TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.limits import LONGEST_WAIT
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import given_up, is_leased, published_again, undeliverable, unroutable
from ragbase.pipeline.route import topic_of
from ragbase.ports import Ports

INTERVAL = timedelta(minutes=5)
"""The shortest time from one job that is published again to the next one of the same document."""


_NONE = timedelta(0)


def keep_dead_letter(
    message: Message, reason: str, ports: Ports, *, deliveries: int, longest_wait: timedelta = LONGEST_WAIT
) -> DeadLetter | None:
    """Keep the message, and record FAILED for the generation that it asked for, if that still needs work.

    The queue itself may give up a message, since a service is away for longer than it delivers one. The document is not
    to blame if it has attempts left and has not waited for `longest_wait`. Then another job is published, and nothing
    is kept (None).

    The code and reason of the last attempt, which a lane may have recorded, say more than `reason`. The record comes
    first: after a crash in between the queue delivers again, and the dead letter is kept then. Raises Busy while a
    worker holds the document's lease, so that the message comes again: the worker may still succeed.
    """
    now = ports.clock.now()
    failure, attempts = Failure(ErrorCode.INTERNAL_ERROR, shortened(reason)), deliveries
    end = _end(message, failure, longest_wait, now)
    if end is not None and not isinstance(message, UnreadMessage):
        id, transition = end
        record = ports.documents.update(id, transition).after
        if record is not None and record.needs_work and record.generation <= message.generation:
            if is_leased(record, now):
                raise Busy(f"A worker is still processing document {id}, whose message is undeliverable.")
            if _published_another(record, ports):
                return None
            record = ports.documents.update(id, given_up(record.generation, failure, longest_wait=_NONE, now=now)).after
        if record is not None and record.wants(message.generation):
            failure = record.failure or failure
            attempts = record.attempts if isinstance(message, Job) else deliveries
    dead_letter = DeadLetter(
        message=message,
        attempts=attempts,
        code=failure.code,
        reason=shortened(failure.reason),
        first_seen=now,
        last_seen=now,
    )
    ports.dead_letters.keep(dead_letter)
    telemetry.log(
        "dead_letter",
        level=logging.ERROR,
        dead_letter=dead_letter.id,
        kind=dead_letter.kind.value,
        document_id=dead_letter.document_id,
        name=dead_letter.name,
        generation=dead_letter.generation,
        attempts=dead_letter.attempts,
        code=dead_letter.code.value,
        reason=dead_letter.reason,
    )
    return dead_letter


def _published_another(record: Document, ports: Ports) -> bool:
    """Publish the document's job again. False if there can be no such message. Raises Busy if that was done within
    INTERVAL, so that the message comes again.

    A queue may deliver each message twice. If each copy led to another job at once, they would multiply during an
    outage. No copy is dropped: it may be the only one that is left.
    """
    now = ports.clock.now()
    if record.published_again_at is not None and now - record.published_again_at < INTERVAL:
        raise Busy(f"Another job of document {record.id} was published a moment ago.")
    try:
        ports.publisher.publish(topic_of(record), record.job)
    except TransientError:
        raise
    except Exception as error:  # noqa: BLE001 - logged; the document is then FAILED, and the message kept
        telemetry.log("dead_letter.not_published", level=logging.ERROR, document_id=record.id, reason=repr(error))
        return False
    ports.documents.update(record.id, published_again(record.generation, now=now))
    telemetry.log("dead_letter.published_again", document_id=record.id, name=record.name, generation=record.generation)
    return True


def _end(message: Message, failure: Failure, longest_wait: timedelta, now: datetime) -> tuple[str, Transition] | None:
    """The document that the message is about, and how it ends; None if the message asked for no work."""
    if isinstance(message, Job):
        end = undeliverable(message.generation, failure, longest_wait=longest_wait, now=now)
        return message.document_id, end
    if isinstance(message, ObjectEvent) and message.kind is EventKind.FINALISED:
        end = unroutable(message.generation, failure, longest_wait=longest_wait, now=now)
        return document_id(message.bucket, message.name), end
    return None
