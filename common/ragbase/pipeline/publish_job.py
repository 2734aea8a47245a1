"""Publish the job of a document. If nobody will ever take that job, the document does not wait for it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.document import Document
from ragbase.domain.errors import PermanentError
from ragbase.domain.lane import Lane
from ragbase.domain.transitions import unpublishable
from ragbase.domain.work import Failure
from ragbase.ports import Topic

if TYPE_CHECKING:
    from ragbase.domain.document import Transition
    from ragbase.domain.job import Job
    from ragbase.ports import Clock, DeadLetters, DocumentStore, Ports


def topic_of(record: Document) -> Topic:
    """Where the record's job goes. A document that was refused before it had a lane takes the fast one."""
    return Topic.HEAVY if record.lane is Lane.HEAVY else Topic.FAST


def publish_job(record: Document, ports: Ports) -> Document:
    """Publish the record's job, and return the record.

    If the publisher refuses the message itself, such as one that is too large, another try is of no use: a document
    that needs work is FAILED with that reason, and its job is kept as a dead letter. A job that is left with no more
    than chunks to remove leaves them to the janitor. Raises TransientError if the publisher is away.
    """
    return _publish(record, record.job, ports)


def publish_parts(record: Document, ports: Ports) -> Document:
    """Publish a job for each part of the record that is not read, and that nobody is reading. See `publish_job`."""
    numbers = record.reading.free_parts(ports.clock.now()) if record.reading is not None else []
    for number in numbers:
        record = _publish(record, replace(record.job, part=number), ports)
        if not record.needs_work:
            break
    return record


def ask_lanes(document_id: str, transition: Transition, ports: Ports) -> None:
    """Change the record, then publish its job if it needs work.

    After a crash in between, a comparison finds the document stuck, and asks again.
    """
    record = ports.documents.update(document_id, transition).after
    if record is not None and record.needs_work:
        publish_job(record, ports)


def _publish(record: Document, job: Job, ports: Ports) -> Document:
    try:
        ports.publisher.publish(topic_of(record), job)
    except PermanentError as error:
        reason = f"Its job cannot be published: {error.reason}"
        facts = {"document_id": record.id, "name": record.name, "generation": record.wanted}
        telemetry.log("publish.refused", level=logging.ERROR, reason=reason, **facts)
        if record.needs_work:
            failure = Failure(error.code, reason)
            return _fail(record, failure, ports.documents, ports.dead_letters, ports.clock)
    return record


def _fail(
    record: Document, failure: Failure, documents: DocumentStore, dead_letters: DeadLetters, clock: Clock
) -> Document:
    """The dead letter comes first: after a crash in between, the record needs work, and somebody publishes again."""
    from ragbase.domain.dead_letter import DeadLetter, shortened

    now = clock.now()
    dead_letter = DeadLetter(
        message=record.job,
        attempts=record.attempts,
        code=failure.code,
        reason=shortened(failure.reason),
        first_seen=now,
        last_seen=now,
    )
    dead_letters.keep(dead_letter)
    return documents.update(record.id, unpublishable(record.wanted, failure, now=now)).record
