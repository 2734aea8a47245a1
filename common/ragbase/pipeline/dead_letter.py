"""A job that the queue has given up on: its document must not stay open for ever."""

from __future__ import annotations

import logging

from ragbase import telemetry
from ragbase.domain.document import Document, Failure
from ragbase.domain.errors import ErrorCode
from ragbase.domain.job import Job
from ragbase.domain.transitions import failed
from ragbase.ports import Clock, DocumentStore


def dead_letter(job: Job, reason: str, *, documents: DocumentStore, clock: Clock) -> Document | None:
    """Record FAILED for the job's generation, if it is still wanted and open; return the record as it is then.

    A lane that gave up by itself has recorded its reason already, which stays.
    """
    failure = Failure(ErrorCode.INTERNAL_ERROR, reason)
    record = documents.update(job.document_id, failed(job.generation, failure, now=clock.now())).after
    telemetry.log(
        "dead_letter",
        level=logging.ERROR,
        document_id=job.document_id,
        name=job.name,
        generation=job.generation,
        reason=reason,
    )
    return record
