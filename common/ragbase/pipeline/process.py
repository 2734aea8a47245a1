"""A job on a lane: claim the document, and let an attempt bring the index in step with it (docs/correctness.md)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.domain.document import Failure
from ragbase.domain.errors import (
    Busy,
    ConfigurationError,
    ErrorCode,
    PermanentError,
    TransientError,
    Unavailable,
)
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.transitions import (
    claimed,
    leased_by_another,
    waiting,
    was_interrupted,
)
from ragbase.pipeline.attempt import INDEX_REPLACED, Attempt, IndexReplaced, OutOfTime
from ragbase.pipeline.give_up import after_retries, after_wait, give_up_now
from ragbase.pipeline.not_answered import end_overdue
from ragbase.pipeline.publish_job import publish_job
from ragbase.pipeline.read_part import read_part
from ragbase.ports import seconds_left, work_until

if TYPE_CHECKING:
    from ragbase.domain.job import Job
    from ragbase.pipeline.make_chunks import Maker
    from ragbase.pipeline.worker import Worker


def process(job: Job, worker: Worker) -> None:
    """Bring the index in step with the job's generation. Returning acknowledges the job.

    Raises TransientError if the queue should deliver the job again: another claim holds the lease, or others come first
    at a service's rate (then no attempt counts), a service is away or a setting is wrong (then the document waits, and
    no attempt counts), or the attempt failed temporarily and retries are left. After the last retry, or the longest
    wait, the document is FAILED and the job becomes a dead letter.
    """
    deadline = worker.ports.clock.now() + worker.time_limit if worker.time_limit is not None else None
    with work_until(deadline):
        try:
            maker = worker.maker()
        except (Unavailable, ConfigurationError) as error:
            _wait_unclaimed(job, worker, str(error))
            raise Unavailable(str(error)) from error
        if job.part:
            read_part(job, worker, maker, deadline)
            return
        with worker.in_work():
            _process(job, worker, maker, deadline)


def _process(job: Job, worker: Worker, maker: Maker, deadline: datetime | None) -> None:
    attempt = _claim(job, worker, maker, deadline)
    if attempt is None:
        return
    if attempt.has_lease:
        _work(attempt)
        return
    if not worker.interrupted.acquire(timeout=max(0.0, min(worker.patience, seconds_left()))):
        raise Busy(f"Document {job.document_id} was interrupted, and waits for another interrupted document.")
    try:
        attempt = _claim(job, worker, maker, deadline, interrupted=True)
        if attempt is not None:
            _work(attempt)
    finally:
        worker.interrupted.release()


def _work(attempt: Attempt) -> None:
    try:
        with attempt.worker.heart(attempt.beat):
            attempt.run()
    except IndexReplaced:
        attempt.hand_back(Busy(INDEX_REPLACED))
    except Busy as error:
        attempt.hand_back(error)
    except PermanentError as error:
        attempt.fail(Failure(error.code, error.reason))
    except (Unavailable, ConfigurationError) as error:
        attempt.wait(str(error))
    except OutOfTime as error:
        attempt.run_out_of_time(error)
    except Exception as error:  # noqa: BLE001 - postpone() raises, or records the failure after the last retry
        # Whatever it is, the attempt counts and the queue tries again: a bug or a full disk is no reason to lose a
        # document, nor to try forever.
        attempt.postpone(error)
    attempt.finish()


def _wait_unclaimed(job: Job, worker: Worker, reason: str) -> None:
    """Note on the record why nobody can process it now, or give it up after the longest wait."""
    ports, now = worker.ports, worker.ports.clock.now()
    wait = waiting(job.generation, None, Failure(ErrorCode.INTERNAL_ERROR, reason), now=now)
    record = ports.documents.update(job.document_id, wait).after
    if record is not None and record.wants(job.generation) and record.waits_too_long(worker.longest_wait, now):
        give_up_now(record, worker, ErrorCode.INTERNAL_ERROR, after_wait(worker.longest_wait, reason))


def _claim(
    job: Job, worker: Worker, maker: Maker, deadline: datetime | None, *, interrupted: bool = False
) -> Attempt | None:
    """Take the lease. None if the job needs no more work, or no more attempt is allowed. An attempt without the
    lease is for an interrupted document, which has to be claimed as such."""
    ports = worker.ports
    now = ports.clock.now()
    lease = Lease(worker.name, next(worker.claims), now + worker.lease)
    claim = claimed(job.generation, lease, worker.lane, now=now, interrupted=interrupted)
    record = ports.documents.update(job.document_id, claim).after
    if record is None:
        raise TransientError(f"There is no record of document {job.document_id} yet.")
    attempt = Attempt(worker, maker, lease, record, job.generation, deadline, had_parts=record.reading is not None)
    if attempt.has_lease:
        return attempt
    if not record.wants(job.generation) or not record.needs_work:
        attempt.had_parts = worker.lane is Lane.HEAVY
        attempt.remove_stale_chunks()
        attempt.follow_current_index()
    elif record.handed_out is not None:
        attempt.record = end_overdue(record, ports)
        attempt.remove_stale_chunks()
    elif record.lane is not worker.lane:
        publish_job(record, ports)
    elif leased_by_another(record, lease, now):
        raise Busy(f"Another worker is processing document {record.id}.")
    elif was_interrupted(record, lease, now) and not record.out_of_retries:
        return attempt
    else:
        last = record.failure or Failure(ErrorCode.INTERNAL_ERROR, "The worker stopped in the middle of every attempt.")
        attempt.give_up(last.code, after_retries(last.reason))
    attempt.finish()
    return None
