"""The job of one part of a long document: read its pages, store their text, and let the last part start the chunks.

1. take the lease of the part; 2. read the pages; 3. store their text; 4. note in the record that the part is read;
5. if it was the last one, publish the job of the document, whose lane joins the texts.

Who is stopped between two steps has its job delivered again: a part that is not noted is read again, with the same
text, and one that is noted begins with step 5. A second job for the document does no harm.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragbase.domain.document import Document, Failure, Transition
from ragbase.domain.errors import (
    Busy,
    ConfigurationError,
    ErrorCode,
    GenerationGone,
    PermanentError,
    TransientError,
    Unavailable,
)
from ragbase.domain.job import Job
from ragbase.domain.lease import Lease
from ragbase.domain.part_transitions import (
    part_claimed,
    part_failed,
    part_given_up,
    part_read,
    part_released,
    part_renewed,
    part_waiting,
)
from ragbase.domain.transitions import republished
from ragbase.messages.page_texts import encode_pages
from ragbase.pipeline.ask_lanes import ask_lanes
from ragbase.pipeline.give_up import after_retries, after_wait, give_up, log_failed, log_work, reason_of
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.publish_job import publish_job
from ragbase.pipeline.remove_part_texts import remove_part_texts
from ragbase.pipeline.remove_stale_chunks import remove_stale_chunks
from ragbase.pipeline.route import follow_bucket
from ragbase.pipeline.update_record import update_record
from ragbase.pipeline.worker import Worker
from ragbase.ports import seconds_left

if TYPE_CHECKING:
    from ragbase.domain.reading import DocumentPart, Reading

PART_LEASE = timedelta(seconds=60)
"""How long a claim of a part holds at least without a renewal. All parts of a document write to one record, and
Firestore takes about one write a second of one document for long
(https://cloud.google.com/firestore/quotas#writes_and_transactions): 20 parts that renew twice a minute are within that.
"""


class _Superseded(Exception):
    """The part is not this attempt's any more."""


class _OutOfTime(TransientError):
    """The attempt has reached its time limit."""


def read_part(job: Job, worker: Worker, maker: Maker, deadline: datetime | None) -> None:
    """Read the pages of the job's part. Returning acknowledges the job.

    Raises TransientError if the queue should deliver the job again, as `process` does. A part has attempts of its own.
    What can never be read fails the document.
    """
    attempt = _claim(job, worker, maker, deadline)
    if attempt is None:
        return
    if attempt.has_lease:
        attempt.work()
        return
    if not worker.interrupted.acquire(timeout=max(0.0, min(worker.patience, seconds_left()))):
        raise Busy(f"A part of document {job.document_id} was interrupted, and waits for another interrupted one.")
    try:
        attempt = _claim(job, worker, maker, deadline, interrupted=True)
        if attempt is not None:
            attempt.work()
    finally:
        worker.interrupted.release()


def _claim(
    job: Job, worker: Worker, maker: Maker, deadline: datetime | None, *, interrupted: bool = False
) -> _PartAttempt | None:
    """Take the lease of the part. None if there is nothing to read. An attempt without the lease is for an interrupted
    part, which has to be claimed as such."""
    ports = worker.ports
    seen = ports.documents.get(job.document_id)
    if seen is None:
        raise TransientError(f"There is no record of document {job.document_id} yet.")
    reader = maker.reader(seen.format, seen.config) if seen.format is not None else ""
    now = ports.clock.now()
    lease = Lease(worker.name, next(worker.claims), now + max(worker.lease, PART_LEASE))
    claim = part_claimed(job.generation, job.part, lease, reader, now=now, interrupted=interrupted)
    record = update_record(job.document_id, claim, ports.documents)
    attempt = _PartAttempt(worker, maker, lease, record, job, deadline)
    reading = record.reading
    part = reading.part(job.part) if reading is not None else None
    if reading is None or part is None or not record.is_reading(job.generation):
        attempt.remove_leftovers()
        return None
    if lease.same_claim(part.lease):
        return attempt
    if part.is_read:
        attempt.publish_if_complete()
        return None
    if reading.reader != reader:
        # While a deployment goes on, old and new workers work side by side. Once nobody has followed the plan for a
        # while, the job of the document makes a new one. Only one of the parts asks for it.
        if not reading.is_in_work(now) and record.updated_at + PART_LEASE <= now:
            ask_lanes(record.id, republished(job.generation, now=now), ports)
        raise Busy(f"Document {record.id} is being read by workers of another version.")
    if part.is_leased(now):
        raise Busy(f"Another worker is reading part {job.part} of document {record.id}.")
    if not part.out_of_retries:
        return attempt
    last = record.failure or Failure(ErrorCode.INTERNAL_ERROR, "The worker stopped in the middle of every attempt.")
    attempt.give_up(last.code, after_retries(last.reason))
    return None


@dataclass(slots=True)
class _PartAttempt:
    """One claim's work on one part. `record` is the document's record as last seen."""

    worker: Worker
    maker: Maker
    lease: Lease
    record: Document
    job: Job
    deadline: datetime | None

    @property
    def has_lease(self) -> bool:
        reading = self.record.reading
        part = reading.part(self.job.part) if reading is not None else None
        return part is not None and self.lease.same_claim(part.lease)

    def work(self) -> None:
        try:
            with self.worker.heart(self.beat):
                self._read()
        except _Superseded:
            self._step_back()
        except GenerationGone:
            self._catch_up_with_bucket()
        except PermanentError as error:
            self._fail(Failure(error.code, error.reason))
        except (Unavailable, ConfigurationError) as error:
            self._wait(str(error))
        except _OutOfTime as error:
            self._postpone(error, ErrorCode.TIMEOUT)
        except Exception as error:  # noqa: BLE001 - whatever it is, the attempt counts and the queue tries again
            self._postpone(error)

    def _read(self) -> None:
        record, ports, extractor = self.record, self.worker.ports, self.maker.extractor
        reading, part = self._mine()
        data = ports.bucket.read(record.name, self.job.generation)
        pages = extractor.extract_pages(data, record.format or "", record.config, part.pages)
        self._keep_lease()
        ports.part_texts.put(record.id, self.job.generation, reading.text_name(part), encode_pages(pages))
        held = self.lease
        self._update(part_read(self.job.generation, self.job.part, held, now=ports.clock.now()))
        read = self.record.reading.part(self.job.part) if self.record.reading is not None else None
        if not self.record.is_reading(self.job.generation) or read is None or not read.is_read:
            raise _Superseded
        self._log("part.read", pages=str(part.pages))
        self.publish_if_complete()

    def _mine(self) -> tuple[Reading, DocumentPart]:
        reading = self.record.reading
        part = reading.part(self.job.part) if reading is not None else None
        if reading is None or part is None:
            raise AssertionError("a part that was claimed is in the plan")
        return reading, part

    def publish_if_complete(self) -> None:
        if self.record.reading is not None and self.record.reading.is_complete:
            self.record = publish_job(self.record, self.worker.ports)

    def beat(self) -> bool:
        """Extend the lease while the attempt works, in another thread. False if there is nothing to extend."""
        now = self.worker.ports.clock.now()
        if self.deadline is not None and now >= self.deadline:
            return False
        if self.lease.until - now > PART_LEASE / 2:
            return True
        lease = self._longer(now)
        try:
            record = self.worker.ports.documents.update(
                self.record.id, part_renewed(self.job.generation, self.job.part, lease, now=now)
            ).after
        except Exception as error:  # noqa: BLE001 - the next beat may succeed; otherwise the lease runs out
            self._log("part.beat_failed", level=logging.WARNING, reason=f"{type(error).__name__}: {error}")
            return True
        if record is None or record.reading is None or not record.is_reading(self.job.generation):
            return False
        part = record.reading.part(self.job.part)
        if part is None or not lease.same_claim(part.lease):
            return False
        self.lease = lease
        return True

    def _longer(self, now: datetime) -> Lease:
        return replace(self.lease, until=now + max(self.worker.lease, PART_LEASE))

    def _keep_lease(self) -> None:
        """A worker that has stalled beyond its lease writes only if nobody else has taken the part."""
        while True:
            now = self.worker.ports.clock.now()
            if self.deadline is not None and now >= self.deadline:
                raise _OutOfTime(f"It was not finished within {self.worker.time_limit}.")
            if now < self.lease.until:
                return
            self.lease = self._longer(now)
            self._update(part_renewed(self.job.generation, self.job.part, self.lease, now=now))
            if not self.record.is_reading(self.job.generation) or not self.has_lease:
                raise _Superseded

    def _step_back(self) -> None:
        """Remove what is left of an attempt that nobody needs any more."""
        self._log("part.superseded")
        self.remove_leftovers()
        if self.record.is_reading(self.job.generation):
            # It may have given the part back, and the queue may no longer hear it.
            raise Busy(f"Another worker has taken over part {self.job.part} of document {self.record.id}.")

    def remove_leftovers(self) -> None:
        """Raises Busy if searches may still be reading chunks that nobody else needs."""
        record, ports, vectors = self.record, self.worker.ports, self.maker.index.vectors_of(self.record.name)
        remove_part_texts(record, self.job.generation, ports)
        now = ports.clock.now()
        if not remove_stale_chunks(record, self.job.generation, ports.documents, vectors, texts=ports.texts, now=now):
            raise Busy(f"Searches may still be reading chunks that document {record.id} has replaced.")

    def _catch_up_with_bucket(self) -> None:
        """The bytes are gone: let the record follow the bucket, as the event may come late, or never."""
        record, ports = self.record, self.worker.ports
        live = ports.bucket.stat(record.name)
        if live is not None and live.generation == self.job.generation:
            self._postpone(TransientError(f"The bucket lists generation {live.generation} but has no bytes for it."))
            return
        self.record = follow_bucket(record, live, ports)
        self._step_back()

    def _fail(self, failure: Failure) -> None:
        """The document has failed, since these pages cannot be read. The text of the version before goes, too: the
        bucket no longer holds it."""
        generation, now = self.job.generation, self.worker.ports.clock.now()
        index_name = self.maker.index.index.name
        self._update(part_failed(generation, self.job.part, self.lease, failure, now=now, index_name=index_name))
        log_failed(self.record, generation)
        self._step_back()

    def _wait(self, reason: str) -> None:
        """Give the part back, and let the queue try again later, without counting this attempt. Raises Unavailable,
        unless the document has waited for too long and is given up."""
        failure, now = Failure(ErrorCode.INTERNAL_ERROR, reason), self.worker.ports.clock.now()
        self._update(part_waiting(self.job.generation, self.job.part, self.lease, failure, now=now))
        if self.record.is_reading(self.job.generation) and self.record.waits_too_long(self.worker.longest_wait, now):
            self.give_up(ErrorCode.INTERNAL_ERROR, after_wait(self.worker.longest_wait, reason))
            return
        self._log("part.waiting", level=logging.WARNING, since=self.record.waiting_since, reason=reason)
        raise Unavailable(reason)

    def _postpone(self, error: Exception, code: ErrorCode = ErrorCode.INTERNAL_ERROR) -> None:
        """Give the part back and let the queue try again, or give the document up after the last retry of the part.
        Raises TransientError."""
        reason = reason_of(error)
        failure = Failure(code, reason)
        self._update(
            part_released(self.job.generation, self.job.part, self.lease, failure, now=self.worker.ports.clock.now())
        )
        part = self.record.reading.part(self.job.part) if self.record.reading is not None else None
        if self.record.is_reading(self.job.generation) and part is not None:
            if part.out_of_retries and part.lease is None and not part.is_read:
                self.give_up(code, after_retries(reason))
                return
            self._log("part.postponed", level=logging.WARNING, attempt=part.attempts, reason=reason)
        raise TransientError(reason) from error

    def give_up(self, code: ErrorCode, reason: str) -> None:
        ports, generation = self.worker.ports, self.job.generation
        end = part_given_up(
            generation,
            self.job.part,
            Failure(code, reason),
            longest_wait=self.worker.longest_wait,
            now=ports.clock.now(),
            index_name=self.maker.index.index.name,
        )
        self.record = give_up(self.record, reason, end, ports)
        self._step_back()

    def _update(self, transition: Transition) -> None:
        self.record = update_record(self.record.id, transition, self.worker.ports.documents)

    def _log(self, action: str, *, level: int = logging.INFO, **facts: object) -> None:
        log_work(self.record, self.job.generation, action, level=level, part=self.job.part, **facts)
