"""The queue could not deliver a message: keep it as a dead letter, and do not let its document wait forever."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from ragbase import telemetry
from ragbase.domain.dead_letter import DeadLetter, Message, shortened
from ragbase.domain.document import Document, Failure
from ragbase.domain.errors import Busy, ErrorCode, TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.limits import LONGEST_WAIT
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import given_up, is_leased, queued_again, undeliverable
from ragbase.pipeline.route import route, topic_of
from ragbase.ports import Ports


def keep_dead_letter(
    message: Message, reason: str, ports: Ports, *, deliveries: int, longest_wait: timedelta = LONGEST_WAIT
) -> DeadLetter | None:
    """Keep the message, and record FAILED for the generation that it asked for, if that still needs work.

    A service may have been away for longer than the queue delivers a message. So an event is routed here, and the job
    of a document is published again if that has attempts left and has not waited for `longest_wait`. If this works,
    nothing is kept (None).

    The code and reason of the last attempt, which a lane may have recorded, say more than `reason`. The record comes
    first: after a crash in between the queue delivers again, and the dead letter is kept then. Raises Busy while a
    worker holds the document's lease, so that the message comes again: the worker may still succeed.
    """
    if isinstance(message, ObjectEvent) and _done_here(message, lambda: route(message, ports)):
        return None
    now = ports.clock.now()
    failure, attempts = Failure(ErrorCode.INTERNAL_ERROR, shortened(reason)), deliveries
    asked_for = _asked_for(message)
    if asked_for is not None:
        id, generation = asked_for
        end = undeliverable(generation, failure, longest_wait=longest_wait, now=now)
        record = ports.documents.update(id, end).after
        if record is not None and _goes_on(message, record, generation, ports):
            return None
        if record is not None and record.wants(generation):
            if record.needs_work:
                record = _fail(record, failure, ports)
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


def _goes_on(message: Message, record: Document, generation: int, ports: Ports) -> bool:
    """Publish another job for a document that still needs work. False if it does not, or if that cannot work.

    The queue may give up a job twice, or deliver it here twice. If each of them led to another job, they would multiply
    during an outage. So jobs are numbered: one that is older than the record's newest job has its successor.
    """
    if not record.wants(generation) or not record.needs_work:
        return False
    _refuse_leased(record, ports)
    if isinstance(message, Job) and message.queue_round < record.queue_round:
        return True
    next = replace(record.job, queue_round=record.queue_round + 1)
    if not _done_here(next, lambda: ports.publisher.publish(topic_of(record), next)):
        return False
    ports.documents.update(record.id, queued_again(generation, next.queue_round, now=ports.clock.now()))
    return True


def _fail(record: Document, failure: Failure, ports: Ports) -> Document:
    end = given_up(record.generation, failure, longest_wait=timedelta(0), now=ports.clock.now())
    after = ports.documents.update(record.id, end).after or record
    if after.wants(record.generation) and after.needs_work:
        _refuse_leased(after, ports)
    return after


def _refuse_leased(record: Document, ports: Ports) -> None:
    if is_leased(record, ports.clock.now()):
        raise Busy(f"A worker is still processing document {record.id}, whose message is undeliverable.")


def _done_here(message: Message, act: Callable[[], object]) -> bool:
    """Do what the queue could not. False if that cannot work; raises TransientError if it may work later."""
    try:
        act()
    except TransientError:
        raise
    except Exception as error:  # noqa: BLE001 - logged; the message is then kept
        telemetry.log("dead_letter.no_way", level=logging.ERROR, kind=type(message).__name__, reason=repr(error))
        return False
    return True


def _asked_for(message: Message) -> tuple[str, int] | None:
    """The document and the generation that the message asked to process; None if it asked for nothing of the kind."""
    if isinstance(message, Job):
        return message.document_id, message.generation
    if isinstance(message, ObjectEvent) and message.kind is EventKind.FINALISED:
        return document_id(message.bucket, message.name), message.generation
    return None
