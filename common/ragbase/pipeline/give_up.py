"""A document is given up, after its last retry or the longest wait; and what the log says of the work on documents."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.claim_transitions import given_up
from ragbase.domain.errors import ErrorCode
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.work import Failure
from ragbase.ports import Topic

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.pipeline.worker import Worker


def give_up(
    record: Document, worker: Worker, code: ErrorCode, reason: str, *, index_name: str | None = None, part: int = 0
) -> Document:
    """Let the record's job become a dead letter, and the document FAILED. `index_name` names the index that the work
    was for, if any, and `part` the part that cannot be read.

    The dead letter comes first: after a crash in between, the job is still there and ends here again.
    """
    ports, now = worker.ports, worker.ports.clock.now()
    ports.publisher.publish(Topic.DEAD_LETTER, record.job, reason=reason)
    log_work(record, record.wanted, "process.given_up", level=logging.ERROR, reason=reason)
    end = given_up(
        record.wanted,
        Failure(code, reason),
        longest_wait=worker.longest_wait,
        now=now,
        index_name=index_name,
        part=part,
    )
    after = ports.documents.update(record.id, end).record
    log_failed(after, record.wanted)
    return after


def after_retries(reason: str) -> str:
    return f"Gave up after {MAX_RETRIES} retries. {reason}"


def after_wait(longest_wait: timedelta, reason: str) -> str:
    return f"Gave up after a wait of {longest_wait / timedelta(hours=1):g} hours. {reason}"


def log_failed(record: Document, generation: int) -> None:
    failure = record.failure
    if record.has_failed and failure is not None and record.wants(generation):
        log_work(record, generation, "process.failed", level=logging.WARNING, code=failure.code, reason=failure.reason)


def log_work(record: Document, generation: int, action: str, *, level: int = logging.INFO, **facts: object) -> None:
    telemetry.log(action, level=level, document_id=record.id, name=record.name, generation=generation, **facts)
