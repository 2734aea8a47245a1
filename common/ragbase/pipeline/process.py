"""A job on a lane: a claim on a document, or on a part of one, and the work that it is for (docs/correctness.md)."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from ragbase.domain.claim_transitions import waiting
from ragbase.domain.errors import ConfigurationError, ErrorCode, Unavailable
from ragbase.domain.work import Failure
from ragbase.pipeline.claim import Claim
from ragbase.pipeline.give_up import after_wait, give_up
from ragbase.pipeline.make_document import MakeDocument
from ragbase.pipeline.read_part import ReadPart
from ragbase.ports import work_until

if TYPE_CHECKING:
    from ragbase.domain.job import Job
    from ragbase.pipeline.worker import Worker


def process(job: Job, worker: Worker) -> None:
    """Bring the index in step with the job's generation, or read the job's part of it. Returning acknowledges the job.

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
            _wait(job, worker, str(error))
            raise Unavailable(str(error)) from error
        claim = Claim(worker, job, maker.index, deadline)
        task = ReadPart(claim, maker) if job.part else MakeDocument(claim, maker)
        with nullcontext() if job.part else worker.share_batches():  # a part embeds nothing
            claim.work_on(task)


def _wait(job: Job, worker: Worker, reason: str) -> None:
    """Note on the record why nobody can claim it now, or give it up after the longest wait."""
    ports, now = worker.ports, worker.ports.clock.now()
    wait = waiting(job.generation, None, Failure(ErrorCode.INTERNAL_ERROR, reason), now=now)
    record = ports.documents.update(job.document_id, wait).after
    if record is not None and record.wants(job.generation) and record.waits_too_long(worker.longest_wait, now):
        give_up(record, worker, ErrorCode.TIMEOUT, after_wait(worker.longest_wait, reason))
