"""A job on a lane: claim, work, flip (DESIGN.md, "How correctness works")."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

from ragbase import telemetry
from ragbase.domain.document import MAX_RETRIES, Active, Document, Failure, Lease, Status, Transition, Usage
from ragbase.domain.errors import Busy, ErrorCode, GenerationGone, PermanentError, TransientError
from ragbase.domain.giving_up import exhausted
from ragbase.domain.index import Index
from ragbase.domain.job import Job
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.routing import MAX_NOISE_RATIO, Format, Lane, lane_of
from ragbase.domain.transitions import (
    claimed,
    completed,
    deleted,
    failed,
    leased_by_another,
    left_by_another,
    released,
    renewed,
    reopened,
    rerouted,
)
from ragbase.extraction.quality import check_text
from ragbase.pipeline.index_text import Indexer
from ragbase.pipeline.reuse_twin import reuse_twin
from ragbase.pipeline.route import topic_of
from ragbase.pipeline.withdraw import withdraw
from ragbase.ports import Bucket, Clock, DocumentStore, Extractor, Indexes, Publisher, Topic, VectorStore

_INDEX_REPLACED = "Another index has become the live one meanwhile: the document is processed again, for that one."

_SUSPECT_PATIENCE = 10.0
"""Seconds that a suspect waits for the one in work, before it lets the others of its lane have the thread. Pub/Sub
waits twice as long after each refusal: with 1 s, the 15 documents that a kill had left took more than 6 minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """What a lane works with: its name among all running workers, how long a lease it takes, and its ports.

    `claims` numbers the claims of all workers of that name. `lease` is longer than the longest work between two
    renewals: one extraction, or one batch of embeddings. `suspect` is held by whoever works on a document that an
    earlier worker left in the middle. One that kills its worker takes down whatever is in work beside it; as only one
    suspect is in work at a time, the others have to share its crashes once at most. `index` is the live one as of the
    claim: `vectors` are its chunks, `indexer` writes them.
    """

    name: str
    lane: Lane
    lease: timedelta
    bucket: Bucket
    documents: DocumentStore
    index: Index
    indexes: Indexes
    vectors: VectorStore
    publisher: Publisher
    extractor: Extractor
    indexer: Indexer
    clock: Clock
    claims: Iterator[int]
    suspect: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def fingerprint(self, format: Format) -> str:
        """What decides the chunks and vectors that this worker makes of some bytes."""
        return f"{format.value}|{self.extractor.fingerprint}|{self.indexer.fingerprint}"


def process(job: Job, worker: Worker) -> None:
    """Bring the index in step with the job's generation. Returning acknowledges the job.

    Raises TransientError where the queue should deliver the job again: another claim holds the lease, or something
    failed in passing and retries are left. After the last retry the document is FAILED and the job a dead letter.
    """
    attempt = _claim(job, worker)
    if attempt is None:
        return
    if attempt.has_lease:
        _work(attempt)
        return
    if not worker.suspect.acquire(timeout=_SUSPECT_PATIENCE):
        raise Busy(f"Document {job.document_id} was left by a worker that stopped, and waits for others like it.")
    try:
        attempt = _claim(job, worker, suspect=True)
        if attempt is not None:
            _work(attempt)
    finally:
        worker.suspect.release()


def _work(attempt: _Attempt) -> None:
    try:
        attempt.run()
    except GenerationGone:
        attempt.catch_up_with_bucket()
    except PermanentError as error:
        attempt.fail(Failure(error.code, error.reason))
    except Exception as error:  # noqa: BLE001 - postpone() raises, or records the failure after the last retry
        # Whatever it is, the attempt is counted and the queue tries again: a bug or a full disk is no reason to lose
        # a document, nor to try for ever.
        attempt.postpone(error)


def _claim(job: Job, worker: Worker, *, suspect: bool = False) -> _Attempt | None:
    """Take the lease; None where the job asks for nothing any more, or no more attempt is allowed. An attempt without
    the lease is a suspect's, which has to be claimed as such."""
    now = worker.clock.now()
    lease = Lease(worker.name, next(worker.claims), now + worker.lease)
    claim = claimed(job.generation, lease, worker.lane, now=now, suspect=suspect)
    record = worker.documents.update(job.document_id, claim).after
    if record is None:
        raise TransientError(f"There is no record of document {job.document_id} yet.")
    attempt = _Attempt(worker, lease, record, job.generation)
    if attempt.has_lease:
        return attempt
    if not record.wants(job.generation) or not record.is_open:
        withdraw(record, job.generation, worker.vectors)
        attempt.follow_live_index()
    elif record.lane is not worker.lane:
        worker.publisher.publish(topic_of(record), record.job)
    elif leased_by_another(record, lease, now):
        raise Busy(f"Another worker is processing document {record.id}.")
    elif left_by_another(record, lease, now) and not record.is_exhausted:
        return attempt
    else:
        reason = record.failure.reason if record.failure else "The worker stopped in the middle of every attempt."
        attempt.give_up(reason)
    return None


@dataclass(slots=True)
class _Attempt:
    """One claim's work on one generation. `record` is as last seen, with the lease."""

    worker: Worker
    lease: Lease
    record: Document
    generation: int

    @property
    def has_lease(self) -> bool:
        return self.lease.same_claim(self.record.lease)

    def run(self) -> None:
        record, worker = self.record, self.worker
        promised = _format(record)
        active = reuse_twin(
            record,
            worker.fingerprint(promised),
            index=worker.index.name,
            documents=worker.documents,
            vectors=worker.vectors,
        )
        if active is not None:
            self._flip(active, Usage())
            return
        data = worker.bucket.read(record.name, self.generation)
        format = worker.extractor.detect(data, promised)
        if format is promised:
            self._index(data, format)
        else:
            self._reroute(format)

    def _index(self, data: bytes, format: Format) -> None:
        worker = self.worker
        extraction = worker.extractor.extract(data, format)
        check_text(extraction.markdown, self.record.config.min_text_length, MAX_NOISE_RATIO)
        chunk_count, unpaid = 0, Usage()
        for written, usage in worker.indexer.write(extraction, document_id=self.record.id, generation=self.generation):
            if chunk_count and not self._renew(unpaid):
                return
            chunk_count += written
            unpaid = usage
        active = Active(
            generation=self.generation,
            chunk_count=chunk_count,
            md5=self.record.md5,
            fingerprint=worker.fingerprint(format),
            text_length=len(extraction.markdown),
            page_count=len(extraction.pages) or None,
            index=worker.index.name,
        )
        self._flip(active, unpaid)

    def _renew(self, usage: Usage) -> bool:
        """Note what was paid and extend the lease; False where the document has moved on and the work is in vain."""
        now = self.worker.clock.now()
        self.lease = replace(self.lease, until=now + self.worker.lease)
        self._update(renewed(self.generation, self.lease, usage=usage, now=now))
        if self.has_lease and self.record.wants(self.generation):
            return True
        self._step_back()
        return False

    def _flip(self, active: Active, usage: Usage) -> None:
        if self.worker.indexes.live() != self.worker.index:  # search goes on showing the generation before
            raise TransientError(_INDEX_REPLACED)
        self._update(completed(active, self.lease, usage=usage, now=self.worker.clock.now()))
        if not self.record.shows(self.generation):
            self._step_back()
            return
        self._log("process.completed", chunks=active.chunk_count, embedded=usage.embedded_texts)
        withdraw(self.record, self.generation, self.worker.vectors)
        self.follow_live_index()

    def follow_live_index(self) -> None:
        """Raise TransientError where the live index lacks what was done: another was it when the work began.

        A reindex goes over all records after its flip. What is done in the index that was the live one before is either
        seen by it, or done late enough for this to see the flip. A worker that stops in between leaves its job to be
        delivered again, and comes here with it.
        """
        live, record = self.worker.indexes.live(), self.record
        if live is None or record.is_open:
            return
        if record.shows(self.generation):
            if record.made_in(live.name) is not None:
                return
            self._update(reopened(self.generation, now=self.worker.clock.now()))
        elif live == self.worker.index:
            return
        raise TransientError(_INDEX_REPLACED)

    def _step_back(self) -> None:
        self._log("process.superseded")
        withdraw(self.record, self.generation, self.worker.vectors)

    def _reroute(self, format: Format) -> None:
        self._update(rerouted(self.generation, self.lease, format, lane_of(format), now=self.worker.clock.now()))
        self.worker.publisher.publish(topic_of(self.record), self.record.job)
        self._log("process.rerouted", format=format.value)

    def catch_up_with_bucket(self) -> None:
        """The bytes are gone: the record learns it from the bucket, should the event be late."""
        record, now = self.record, self.worker.clock.now()
        live = self.worker.bucket.stat(record.name)
        if live is not None and live.generation == self.generation:
            self.postpone(TransientError(f"The bucket lists generation {self.generation} but has no bytes for it."))
        elif live is None:
            gone = ObjectEvent(
                kind=EventKind.DELETED, bucket=record.bucket, name=record.name, generation=self.generation
            )
            self._update(deleted(gone, now=now))
        else:
            self._update(released(self.generation, self.lease, None, now=now))
        self._step_back()

    def fail(self, failure: Failure) -> None:
        """Record FAILED, and take away the older generation's text, which the bucket no longer holds."""
        self._end(failed(self.generation, failure, now=self.worker.clock.now()))

    def _end(self, transition: Transition) -> None:
        self._update(transition)
        failure = self.record.failure
        if self.record.status is Status.FAILED and failure is not None and self.record.wants(self.generation):
            self._log("process.failed", level=logging.WARNING, code=failure.code.value, reason=failure.reason)
        withdraw(self.record, self.generation, self.worker.vectors)

    def postpone(self, error: Exception) -> None:
        """Give the lease back and let the queue try again, or give up after the last retry. Raises TransientError."""
        reason = str(error) if isinstance(error, TransientError) else f"{type(error).__name__}: {error}"
        failure = Failure(ErrorCode.INTERNAL_ERROR, reason)
        self._update(released(self.generation, self.lease, failure, now=self.worker.clock.now()))
        # Where another holds a lease by now, it is at the last attempt, and that one decides.
        if self.record.wants(self.generation) and self.record.is_exhausted and self.record.lease is None:
            self.give_up(reason)
            return
        self._log("process.postponed", level=logging.WARNING, attempt=self.record.attempts, reason=reason)
        raise TransientError(reason) from error

    def give_up(self, reason: str) -> None:
        """The dead letter comes first: after a crash in between the job is still there to be given up again."""
        reason = f"Gave up after {MAX_RETRIES} retries. {reason}"
        self.worker.publisher.publish(Topic.DEAD_LETTER, self.record.job, reason=reason)
        failure = Failure(ErrorCode.INTERNAL_ERROR, reason)
        self._end(exhausted(self.generation, failure, now=self.worker.clock.now()))

    def _update(self, transition: Transition) -> None:
        record = self.worker.documents.update(self.record.id, transition).after
        if record is None:
            raise AssertionError("no transition removes a record")
        self.record = record

    def _log(self, action: str, *, level: int = logging.INFO, **facts: object) -> None:
        telemetry.log(
            action, level=level, document_id=self.record.id, name=self.record.name, generation=self.generation, **facts
        )


def _format(record: Document) -> Format:
    if record.format is None:
        raise PermanentError(ErrorCode.UNSUPPORTED_FORMAT, "The format is not known.")
    return record.format
