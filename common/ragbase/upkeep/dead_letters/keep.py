"""The queue could not deliver a message: keep it as a dead letter, and do not let its document wait forever."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.claim_transitions import given_up
from ragbase.domain.dead_letter import DeadLetter, Message, shortened
from ragbase.domain.document import Document, Transition
from ragbase.domain.errors import Busy, ErrorCode, TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.limits import LONGEST_WAIT
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import published_again, replaced, undeliverable
from ragbase.domain.work import Failure
from ragbase.pipeline.publish_job import topic_of

if TYPE_CHECKING:
    from ragbase.ports import Bucket, DocumentStore, Ports, Publisher

INTERVAL = timedelta(minutes=5)
"""The shortest time from one job that is published again to the next one of the same document."""


_NONE = timedelta(0)


def keep_dead_letter(
    message: Message, reason: str, ports: Ports, *, deliveries: int, longest_wait: timedelta = LONGEST_WAIT
) -> DeadLetter | None:
    """Keep the message, and record FAILED for the generation that it asked for, if that still needs work.

    The queue itself may give up a message, since a service is away for longer than it delivers one. The document is not
    to blame if it has attempts left and has not waited for `longest_wait`. Then another job is published, and nothing
    is kept (None). The same is done once for a COMPLETED document: the last duty of its job, to remove chunks that
    nobody needs, may be undone. If the queue gives up that job, too, the janitor removes them.

    The code and reason of the last attempt, which a lane may have recorded, say more than `reason`. The record comes
    first: after a crash in between the queue delivers again, and the dead letter is kept then. Raises Busy while a
    worker holds the document's lease, so that the message comes again: the worker may still succeed.
    """
    now = ports.clock.now()
    failure, attempts = Failure(ErrorCode.INTERNAL_ERROR, shortened(reason)), deliveries
    end = _end(message, failure, ports.bucket, ports.documents, longest_wait=longest_wait, now=now)
    if end is not None:
        record = ports.documents.update(end.document_id, end.transition).after
        if record is not None and record.wants(end.generation) and not record.has_failed:
            _refuse_if_leased(record, now)
            if isinstance(message, Job) and not record.needs_work and _was_published_again(record):
                return None
            if (record.needs_work or isinstance(message, Job)) and _published_another(
                record, ports.documents, ports.publisher, now
            ):
                return None
            give_up = given_up(end.generation, failure, longest_wait=_NONE, now=now)
            record = ports.documents.update(record.id, give_up).after
            if record is not None and record.wants(end.generation):
                _refuse_if_leased(record, now)  # a worker may have claimed it since
        if record is not None and record.wants(end.generation):
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


def _refuse_if_leased(record: Document, now: datetime) -> None:
    is_being_read = record.reading is not None and record.reading.is_in_work(now)
    if record.is_leased(now) or is_being_read:
        raise Busy(f"A worker is still processing document {record.id}, whose message is undeliverable.")


def _was_published_again(record: Document) -> bool:
    """Whether that was done after the record's last change. If a queue loses many acknowledgements, a second time might
    be followed by a third, without an end."""
    return record.published_again_at is not None and record.published_again_at >= record.updated_at


def _published_another(record: Document, documents: DocumentStore, publisher: Publisher, now: datetime) -> bool:
    """Publish the document's job again. False if there can be no such message. Raises Busy if that was done within
    INTERVAL, so that the message comes again.

    A queue may deliver each message twice. If each copy led to another job at once, they would multiply during an
    outage. No copy is dropped: it may be the only one that is left.
    """
    if record.published_again_at is not None and now - record.published_again_at < INTERVAL:
        raise Busy(f"Another job of document {record.id} was published a moment ago.")
    try:
        publisher.publish(topic_of(record), record.job)
    except TransientError:
        raise
    except Exception as error:  # noqa: BLE001 - logged; the document is then FAILED, and the message kept
        telemetry.log("dead_letter.not_published", level=logging.ERROR, document_id=record.id, reason=repr(error))
        return False
    documents.update(record.id, published_again(record.wanted, now=now))
    telemetry.log("dead_letter.published_again", document_id=record.id, name=record.name, generation=record.wanted)
    return True


@dataclass(frozen=True, slots=True)
class _End:
    """How a generation of a document ends, as far as its message can bring it about."""

    document_id: str
    generation: int
    transition: Transition


def _end(
    message: Message,
    failure: Failure,
    bucket: Bucket,
    documents: DocumentStore,
    *,
    longest_wait: timedelta,
    now: datetime,
) -> _End | None:
    """None if the message asked for no work.

    The event of an upload may meet a record of the generation before, which the bucket no longer holds. Nothing else
    will bring that to an end.
    """
    if isinstance(message, Job):
        end = undeliverable(message.generation, failure, longest_wait=longest_wait, now=now)
        return _End(message.document_id, message.generation, end)
    if isinstance(message, ObjectEvent) and message.kind is EventKind.FINALISED:
        id = document_id(message.bucket, message.name)
        seen = documents.get(id)
        if seen is not None and seen.needs_work and not seen.is_of(message.generation) and _is_live(message, bucket):
            return _End(id, seen.wanted, replaced(seen.wanted, failure, now=now))
        end = undeliverable(message.generation, failure, longest_wait=longest_wait, now=now)
        return _End(id, message.generation, end)
    return None


def _is_live(event: ObjectEvent, bucket: Bucket) -> bool:
    live = bucket.stat(event.name)
    return live is not None and live.generation == event.generation
