"""A document is given up, after its last retry or the longest wait; and what the log says of the work on documents."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.document import Document, Failure, Transition
from ragbase.domain.errors import ErrorCode, TransientError
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.transitions import given_up
from ragbase.pipeline.update_record import update_record
from ragbase.ports import Ports, Topic

if TYPE_CHECKING:
    from ragbase.pipeline.worker import Worker


def give_up(record: Document, reason: str, end: Transition, ports: Ports) -> Document:
    """Let the record's job become a dead letter, and end the document by the transition `end`. The dead letter comes
    first: after a crash in between, the job is still there and ends here again."""
    ports.publisher.publish(Topic.DEAD_LETTER, record.job, reason=reason)
    log_work(record, record.wanted, "process.given_up", level=logging.ERROR, reason=reason)
    after = update_record(record.id, end, ports.documents)
    log_failed(after, record.wanted)
    return after


def give_up_now(
    record: Document, worker: Worker, code: ErrorCode, reason: str, *, index_name: str | None = None
) -> Document:
    """Give up the generation that the record wants. `index_name` names the index that the work was for, if any."""
    failure, now = Failure(code, reason), worker.ports.clock.now()
    end = given_up(record.wanted, failure, longest_wait=worker.longest_wait, now=now, index_name=index_name)
    return give_up(record, reason, end, worker.ports)


def reason_of(error: Exception) -> str:
    """What a person reads. An error that nobody expected is named, too."""
    return str(error) if isinstance(error, TransientError) else f"{type(error).__name__}: {error}"


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
