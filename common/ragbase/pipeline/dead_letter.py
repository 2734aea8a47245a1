"""A message that the queue has given up on: its document must not stay open for ever, nor the message be lost."""

from __future__ import annotations

import logging

from ragbase import telemetry
from ragbase.domain.dead_letter import DeadLetter, Message, shortened
from ragbase.domain.document import Failure
from ragbase.domain.errors import Busy, ErrorCode
from ragbase.domain.giving_up import given_up
from ragbase.domain.job import Job
from ragbase.ports import Clock, DeadLetters, DocumentStore


def dead_letter(
    message: Message,
    reason: str,
    *,
    deliveries: int,
    documents: DocumentStore,
    letters: DeadLetters,
    clock: Clock,
) -> DeadLetter:
    """Record FAILED for a job's generation, if it is still wanted and open, and keep the message as a dead letter.

    The last attempt's code and reason, which a lane that gave up by itself has recorded, say more than `reason`. The
    record comes first: after a crash in between the queue delivers again, and the letter is kept then. Raises Busy,
    so that the message comes again, while a worker holds the document's lease: it may still succeed.
    """
    now = clock.now()
    failure, attempts = Failure(ErrorCode.INTERNAL_ERROR, shortened(reason)), deliveries
    if isinstance(message, Job):
        record = documents.update(message.document_id, given_up(message.generation, failure, now=now)).after
        if record is not None and record.wants(message.generation):
            if record.is_open:
                raise Busy(f"A worker is still at document {record.id}, whose job the queue has given up.")
            failure, attempts = record.failure or failure, record.attempts
    letter = DeadLetter(
        message=message,
        attempts=attempts,
        code=failure.code,
        reason=shortened(failure.reason),
        first_seen=now,
        last_seen=now,
    )
    letters.keep(letter)
    telemetry.log(
        "dead_letter",
        level=logging.ERROR,
        letter=letter.id,
        kind=letter.kind.value,
        document_id=letter.document_id,
        name=letter.name,
        generation=letter.generation,
        attempts=letter.attempts,
        code=letter.code.value,
        reason=letter.reason,
    )
    return letter
