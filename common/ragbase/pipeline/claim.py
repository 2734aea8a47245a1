"""A claim: the right of a worker to make one attempt at a document, or at a part of one; and how the attempt ends
(docs/correctness.md)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn, Protocol

from ragbase.domain.claim_transitions import (
    failed_by_claim,
    handed_back,
    leases_ended,
    released,
    renewed,
    waiting,
)
from ragbase.domain.document import Document, Transition, Usage
from ragbase.domain.errors import (
    Busy,
    ConfigurationError,
    ErrorCode,
    GenerationGone,
    PermanentError,
    TransientError,
    Unavailable,
)
from ragbase.domain.lease import PART_LEASE, Lease
from ragbase.domain.work import Failure, Work
from ragbase.ending import check_not_ending
from ragbase.extras import naming_extras
from ragbase.pipeline.give_up import after_retries, after_wait, give_up, log_failed, log_work
from ragbase.pipeline.remove_stale_chunks import remove_part_texts, remove_stale_chunks
from ragbase.pipeline.route import follow_bucket
from ragbase.ports import seconds_left

if TYPE_CHECKING:
    from ragbase.domain.job import Job
    from ragbase.pipeline.worker import Worker
    from ragbase.ports import Clock, DocumentStore, OpenIndex, Ports


class Superseded(Exception):
    """Nobody needs this attempt any more: the document has moved on, or another worker has taken its work."""


class OutOfTime(TransientError):
    """The attempt has reached its time limit."""


class Task(Protocol):
    """What a claim is for."""

    def claimed(self, lease: Lease, *, now: datetime, interrupted: bool) -> Transition:
        """Takes the lease, if the work is still to be done and nobody else has it."""
        ...

    def attempt(self) -> None:
        """Do the work. What it raises says how the attempt ends (`Claim`)."""
        ...

    def pass_on(self) -> bool:
        """The claim was refused. If the record says what becomes of the job then, do that, and return true."""
        ...


@dataclass(slots=True)
class Claim:
    """One worker's claim on what a job asks for. `record` is the document's record as last seen, `lease` what the claim
    holds, or tried to take `since` then. `index` is the one that the work is for.

    An attempt has `got_further` if it has written texts that were paid for, so that another one has less to do.
    `redelivery` says why the job has to come again although nothing went wrong, and `had_parts` that parts may have
    left texts.
    """

    worker: Worker
    job: Job
    index: OpenIndex
    deadline: datetime | None
    record: Document = field(init=False)
    lease: Lease = field(init=False)
    since: datetime = field(init=False)
    got_further: bool = False
    redelivery: str = ""
    had_parts: bool = False

    def work_on(self, task: Task) -> None:
        """Make an attempt, if one is to be made. Raises TransientError, as `process` does."""
        with ExitStack() as turn:
            self._take(task)
            if self._was_interrupted:
                turn.enter_context(self._one_interrupted())
                self._take(task, interrupted=True)
            if self.is_held:
                self._attempt(task)
            elif not task.pass_on():
                self._refused()
        if self.redelivery:
            raise Busy(self.redelivery)

    @property
    def generation(self) -> int:
        return self.job.generation

    @property
    def ports(self) -> Ports:
        return self.worker.ports

    @property
    def work(self) -> Work | None:
        """What was still to be done when the record was last seen; None if nothing was."""
        return self.record.work(self.generation, self.job.part)

    @property
    def is_held(self) -> bool:
        return self.work is not None and self.work.is_held_by(self.lease)

    @property
    def what(self) -> str:
        part = f"Part {self.job.part} of document" if self.job.part else "Document"
        return f"{part} {self.job.document_id}"

    def update(self, transition: Transition) -> None:
        self.record = self.ports.documents.update(self.job.document_id, transition).record

    def keep(self) -> None:
        """Call it before each write. A worker that has stalled beyond its lease writes only if nobody else has taken
        over. Raises Superseded or OutOfTime.

        It looks again after each renewal, because that may stall, too.
        """
        while not self.lease.runs(self.ports.clock.now()):
            self.renew(Usage())

    def renew(self, usage: Usage) -> None:
        """Note what was paid, and extend the lease. Raises Superseded, OutOfTime, or Busy if the process is about to
        end."""
        now = self.ports.clock.now()
        self.got_further |= usage.embedded_texts > 0
        is_out_of_time = self._is_out_of_time(now)
        lease = self.lease if is_out_of_time else replace(self.lease, until=self._until(now))
        self.update(renewed(self.generation, lease, usage=usage, now=now, part=self.job.part))
        if not self.is_held:
            raise Superseded
        self.lease = lease
        check_not_ending()
        self.check_time(now)

    def beat(self) -> bool:
        """Extend the lease during the work, in another thread. False if there is nothing to extend."""
        now = self.ports.clock.now()
        if self._is_out_of_time(now):
            return False
        if self.job.part and self.lease.runs(now) and self.lease.until - now > PART_LEASE / 2:
            return True
        lease = replace(self.lease, until=self._until(now))
        transition = renewed(self.generation, lease, usage=Usage(), now=now, part=self.job.part)
        try:
            record = self.ports.documents.update(self.record.id, transition).after
        except Exception as error:  # noqa: BLE001 - the next beat may succeed; otherwise the lease runs out
            self.log("process.beat_failed", level=logging.WARNING, reason=f"{type(error).__name__}: {error}")
            return True
        work = record.work(self.generation, self.job.part) if record is not None else None
        if work is None or not work.is_held_by(lease):
            return False
        self.lease = lease
        return True

    def check_time(self, now: datetime) -> None:
        """Raises OutOfTime after the time limit of the attempt."""
        if self._is_out_of_time(now):
            raise OutOfTime(f"It was not finished within {self.worker.time_limit}.")

    def _is_out_of_time(self, now: datetime) -> bool:
        return self.deadline is not None and now >= self.deadline

    def clean_up(self) -> None:
        """Remove what nobody needs any more. What searches may still be reading goes when the job comes again."""
        if self.had_parts:
            remove_part_texts(self.record, self.generation, self.ports.part_texts)
        vectors, now = self.index.vectors_of(self.record.name), self.ports.clock.now()
        documents, texts, boxes = self.ports.documents, self.ports.texts, self.ports.word_boxes
        if not remove_stale_chunks(self.record, self.generation, documents, vectors, texts=texts, boxes=boxes, now=now):
            self.redelivery = f"Searches may still be reading chunks that document {self.record.id} has replaced."

    def log(self, action: str, *, level: int = logging.INFO, **facts: object) -> None:
        if self.job.part:
            facts["part"] = self.job.part
        log_work(self.record, self.generation, action, level=level, **facts)

    def _take(self, task: Task, *, interrupted: bool = False) -> None:
        number = next(self.worker.claims)

        def claimed(record: Document | None) -> Document | None:
            # The clock is read with the record. A time from before a call that stalls for minutes would take a lease
            # that runs for one from before the clock was put back.
            self.since = self.ports.clock.now()
            self.lease = Lease(self.worker.name, number, self._until(self.since))
            if self.deadline is not None and self.worker.time_limit is not None:
                self.deadline = min(self.deadline, self.since + self.worker.time_limit)  # the clock may be put back
            return task.claimed(self.lease, now=self.since, interrupted=interrupted)(record)

        record = self.ports.documents.update(self.job.document_id, claimed).after
        if record is None:
            raise TransientError(f"There is no record of document {self.job.document_id} yet.")
        self.record = record
        self.had_parts = bool(self.job.part) or record.reading is not None

    def _until(self, now: datetime) -> datetime:
        return now + (max(self.worker.lease, PART_LEASE) if self.job.part else self.worker.lease)

    @property
    def _was_interrupted(self) -> bool:
        work = self.work
        return work is not None and work.was_interrupted(self.since) and not work.out_of_retries

    @contextmanager
    def _one_interrupted(self) -> Iterator[None]:
        """Such work may kill its worker: only one at a time is in work. Raises Busy if its turn does not come."""
        lock, patience = self.worker.interrupted, self.worker.patience
        if not lock.acquire(timeout=max(0.0, min(patience, seconds_left()))):
            raise Busy(f"{self.what} was interrupted, and waits for another interrupted document.")
        try:
            yield
        finally:
            lock.release()

    def _refused(self) -> None:
        """There is work, and it was refused. Raises Busy while another worker holds the lease."""
        work = self.work
        if work is None:
            return
        if work.is_leased(self.since):
            raise Busy(f"Another worker is processing it: {self.what}.")
        last = work.failure or Failure(ErrorCode.INTERNAL_ERROR, "The worker stopped in the middle of every attempt.")
        self._give_up(last.code, after_retries(last.reason))

    def _attempt(self, task: Task) -> None:
        """Whatever is raised, the attempt counts and the queue tries again, if nothing else is said here: a bug or a
        full disk is no reason to lose a document, nor to try forever."""
        try:
            with self.worker.heartbeat(self.beat):
                self._work_or_step_back(task)
        except Busy as error:
            self._hand_back(error)
        except PermanentError as error:
            self._fail(Failure(error.code, error.reason))
        except (Unavailable, ConfigurationError) as error:
            self._wait(str(error))
        except OutOfTime as error:
            if self.got_further:  # so will the next one
                self._hand_back(error)
            self._postpone(error, ErrorCode.TIMEOUT)
        except Exception as error:  # noqa: BLE001 - it is raised again, or noted as the failure after the last retry
            self._postpone(error)

    def _work_or_step_back(self, task: Task) -> None:
        try:
            with naming_extras():  # a package that is missing is no document's fault
                task.attempt()
        except Superseded:
            self._step_back()
        except GenerationGone:
            self._catch_up_with_bucket()

    def _step_back(self) -> None:
        """Remove what is left of an attempt that nobody needs any more."""
        self.log("process.superseded")
        self.clean_up()
        if self.work is not None:
            # It may have given the work back, and the queue may no longer hear it.
            self.redelivery = f"Another worker has taken over, and it is not done yet: {self.what}."

    def _catch_up_with_bucket(self) -> None:
        """The bytes are gone: let the record follow the bucket, as the event may come late, or never.

        A worker that stops before it has published the new job leaves that to the event, or to its dead letter.
        """
        live = self.ports.bucket.stat(self.record.name)
        if live is not None and live.generation == self.generation:
            raise TransientError(f"The bucket lists generation {self.generation} but has no bytes for it.")
        self.record = follow_bucket(self.record, live, self.ports)
        self._step_back()

    def _fail(self, failure: Failure) -> None:
        """Note the failure, and remove the older generation's text, which the bucket no longer holds."""
        now, index_name, part = self.ports.clock.now(), self.index.index.name, self.job.part
        end = failed_by_claim(self.generation, self.lease, failure, now=now, index_name=index_name, part=part)
        self.update(end)
        if self.work is not None:
            self._step_back()
            return
        log_failed(self.record, self.generation)
        self.clean_up()

    def _wait(self, reason: str) -> None:
        """Nothing can be processed now: give the lease back, and let the queue try again later, without counting this
        attempt. Raises Unavailable, unless the document has waited for too long and is given up."""
        now, failure = self.ports.clock.now(), Failure(ErrorCode.INTERNAL_ERROR, reason)
        self.update(waiting(self.generation, self.lease, failure, now=now, part=self.job.part))
        work, longest_wait = self.work, self.worker.longest_wait
        if work is not None and work.lease is None and work.waits_too_long(longest_wait, now):
            self._give_up(ErrorCode.TIMEOUT, after_wait(longest_wait, reason))
            return
        self.log("process.waiting", level=logging.WARNING, since=self.record.waiting_since, reason=reason)
        raise Unavailable(reason)

    def _hand_back(self, error: TransientError) -> NoReturn:
        """Let the queue deliver again, without counting this attempt. Raises the error."""
        self.update(handed_back(self.generation, self.lease, now=self.ports.clock.now(), part=self.job.part))
        self.log("process.handed_back", reason=str(error))
        raise error

    def _postpone(self, error: Exception, code: ErrorCode = ErrorCode.INTERNAL_ERROR) -> None:
        """Give the lease back and let the queue try again, or give up after the last retry. Raises TransientError."""
        reason = str(error) if isinstance(error, TransientError) else f"{type(error).__name__}: {error}"
        now, failure = self.ports.clock.now(), Failure(code, reason)
        self.update(released(self.generation, self.lease, failure, now=now, part=self.job.part))
        work = self.work
        # If another worker now holds the lease, its attempt is the last and decides the outcome.
        if work is not None and work.out_of_retries and work.lease is None:
            self._give_up(code, after_retries(reason))
            return
        attempts = work.attempts if work is not None else self.record.attempts
        self.log("process.postponed", level=logging.WARNING, attempt=attempts, reason=reason)
        raise TransientError(reason) from error

    def _give_up(self, code: ErrorCode, reason: str) -> None:
        index_name, part = self.index.index.name, self.job.part
        self.record = give_up(self.record, self.worker, code, reason, index_name=index_name, part=part)
        self.clean_up()


def end_leases(worker: str, documents: DocumentStore, clock: Clock) -> int:
    """A worker is known to be dead: what it had in work is free at once, without waiting for its leases to run out.
    Returns how many documents these are."""
    leased = documents.leased_to(worker)
    for record in leased:
        documents.update(record.id, leases_ended(worker, now=clock.now()))
    return len(leased)
