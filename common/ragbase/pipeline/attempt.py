"""The work of one claim on one generation, and how it ends (docs/correctness.md)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragbase.domain.document import Document, Failure, IndexedGeneration, Transition, Usage
from ragbase.domain.errors import (
    Busy,
    ErrorCode,
    GenerationGone,
    IndexGone,
    TransientError,
    Unavailable,
)
from ragbase.domain.extraction import Extraction
from ragbase.domain.extractor_transitions import handed_out
from ragbase.domain.handed_out import HandedOut
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.part_transitions import parts_lost, planned
from ragbase.domain.reading import Reading
from ragbase.domain.transitions import (
    completed,
    failed,
    handed_back,
    released,
    renewed,
    reopened,
    rerouted,
    waiting,
)
from ragbase.formats.table import FORMATS, lane_of
from ragbase.pipeline.copy_duplicate import copy_duplicate
from ragbase.pipeline.give_up import after_retries, after_wait, give_up_now, log_failed, log_work, reason_of
from ragbase.pipeline.hold import is_held
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.publish_job import publish_job, publish_parts
from ragbase.pipeline.read_document import format_of_read, format_with, read_document
from ragbase.pipeline.remove_part_texts import remove_part_texts
from ragbase.pipeline.remove_stale_chunks import remove_stale_chunks
from ragbase.pipeline.route import follow_bucket
from ragbase.pipeline.stored_pages import stored_pages
from ragbase.pipeline.update_record import update_record
from ragbase.pipeline.worker import Worker

if TYPE_CHECKING:
    from ragbase.domain.page_text import PageText
    from ragbase.pipeline.cut_text import CutText
    from ragbase.ports import DocumentStore, VectorStore

INDEX_REPLACED = "Another index is becoming the current one. The document is processed again, for that one."


class _Superseded(Exception):
    """The document has moved on: nobody needs this attempt any more."""


class OutOfTime(TransientError):
    """The attempt has reached its time limit."""


class IndexReplaced(Exception):
    """Another index is the current one, or is about to be: what this attempt has made is in the wrong index."""


@dataclass(slots=True)
class Attempt:
    """One claim's work on one generation. `record` is the document's record as last seen. `got_further` says that it
    has written texts that were paid for, so that another attempt has less to do. `comes_again` says why the job has to
    come again although nothing went wrong, and `had_parts` that parts may have left texts."""

    worker: Worker
    maker: Maker
    lease: Lease
    record: Document
    generation: int
    deadline: datetime | None
    got_further: bool = False
    comes_again: str = ""
    had_parts: bool = False

    @property
    def has_lease(self) -> bool:
        return self.lease.same_claim(self.record.lease)

    @property
    def _documents(self) -> DocumentStore:
        return self.worker.ports.documents

    @property
    def _vectors(self) -> VectorStore:
        return self.maker.index.vectors_of(self.record.name)

    def run(self) -> None:
        try:
            self._make_and_flip()
        except _Superseded:
            self._step_back()
        except GenerationGone:
            self._catch_up_with_bucket()

    def _make_and_flip(self) -> None:
        record, maker, ports = self.record, self.maker, self.worker.ports
        given = record.given_text
        promised = format_with(given, record.format)
        if promised is not None and (given is not None or maker.extractor.allows(promised)):
            indexed = copy_duplicate(
                record,
                maker.fingerprint(promised, record.config, given),
                index=maker.index,
                documents=ports.documents,
                before_write=self._keep_lease,
            )
            if indexed is not None:
                self._flip(indexed, Usage())
                return
        text = self._read(promised)
        if text is None:
            return
        cut, format = text
        made = maker.make(
            cut,
            format,
            record.config,
            name=record.name,
            source=record.source,
            document_id=record.id,
            generation=self.generation,
            md5=record.md5,
            given=given,
            before_write=self._keep_lease,
            between_batches=self._renew,
        )
        self._flip(made.indexed, made.usage)

    def _read(self, promised: str | None) -> tuple[CutText, str] | None:
        """The text of the document, cut, and its format. None if others go on with it: the lane of another format,
        those who read its parts, or an extractor elsewhere."""
        record, maker, ports = self.record, self.maker, self.worker.ports
        reading, config = record.reading, record.config
        if reading is not None and promised is not None and reading.reader == maker.reader(promised, config):
            pages = self._joinable(reading)
            return (maker.cut(maker.join(pages, promised, config), config), promised) if pages is not None else None
        data = read_document(record, ports)
        return self._read_beside(data, promised) or self._read_here(data, promised)

    def _read_beside(self, data: bytes, promised: str | None) -> tuple[CutText, str] | None:
        """As `_read`, of a small file that has the promised format. None if this process has to find out."""
        if self.worker.lane is not Lane.FAST or self.record.given_text is not None or promised is None:
            return None
        text = self.maker.read_beside(data, promised, self.record.config)
        return (text, promised) if text is not None else None

    def _read_here(self, data: bytes, promised: str | None) -> tuple[CutText, str] | None:
        record, maker, config = self.record, self.maker, self.record.config
        format = format_of_read(data, record, maker.extractor)
        if format != promised:
            self._reroute(format)
            return None
        if record.given_text is None and self.worker.elsewhere is not None and FORMATS[format].lane is Lane.HEAVY:
            self._hand_out(self.worker.elsewhere)
            return None
        if record.given_text is None and self.worker.lane is Lane.HEAVY:
            extracted = maker.extract_or_cut(data, format, config)
            if isinstance(extracted, Extraction):
                return maker.cut(extracted, config), format
            self._leave_to_parts(Reading.planned(maker.reader(format, config), extracted))
            return None
        return maker.cut(maker.extract(data, format, config, record.given_text), config), format

    def _joinable(self, reading: Reading) -> Sequence[PageText] | None:
        """All pages; None if parts are still to be read."""
        if reading.is_complete:
            ports = self.worker.ports
            stored = stored_pages(self.record.id, self.generation, reading, ports.part_texts)
            if not stored.lost:
                return stored.pages
            self._log("process.parts_lost", level=logging.WARNING, parts=stored.lost)
            self._update(parts_lost(self.generation, self.lease, stored.lost, now=ports.clock.now()))
        self._leave_to_parts(reading)
        return None

    def _leave_to_parts(self, reading: Reading) -> None:
        """Let others read the parts that are left. The last of them publishes the job of the document again."""
        ports = self.worker.ports
        self._update(planned(self.generation, reading, self.lease, now=ports.clock.now()))
        plan = self.record.reading
        if plan is None or not self.record.is_reading(self.generation):
            raise _Superseded
        if plan.reader != reading.reader:
            raise Busy(f"Document {self.record.id} is being read by workers of another version.")
        if plan.is_complete:
            self.record = publish_job(self.record, ports)
            return
        self._log("process.parts", parts=len(plan.parts), read=plan.read_parts)
        self.record = publish_parts(self.record, ports)

    def _hand_out(self, time: timedelta) -> None:
        """Let an extractor elsewhere read the file. Its callback publishes the job of the document again."""
        now = self.worker.ports.clock.now()
        wait = HandedOut(since=now, until=now + time)
        self._update(handed_out(self.generation, self.lease, wait))
        if self.record.handed_out != wait:
            raise _Superseded
        self._log("process.handed_out", until=wait.until)

    def _renew(self, usage: Usage) -> None:
        """Note what was paid and extend the lease."""
        now = self.worker.ports.clock.now()
        if usage.embedded_texts:
            self.got_further = True
        is_out_of_time = self._is_out_of_time(now)
        lease = self.lease if is_out_of_time else replace(self.lease, until=now + self.worker.lease)
        self._update(renewed(self.generation, lease, usage=usage, now=now))
        if not self.has_lease or not self.record.wants(self.generation):
            raise _Superseded
        self.lease = lease
        if is_out_of_time:
            raise OutOfTime(f"It was not finished within {self.worker.time_limit}.")

    def beat(self) -> bool:
        """Extend the lease while the attempt works, in another thread. False if there is nothing to extend."""
        now = self.worker.ports.clock.now()
        if self._is_out_of_time(now):
            return False
        lease = replace(self.lease, until=now + self.worker.lease)
        try:
            record = self.worker.ports.documents.update(
                self.record.id, renewed(self.generation, lease, usage=Usage(), now=now)
            ).after
        except Exception as error:  # noqa: BLE001 - the next beat may succeed; otherwise the lease runs out
            self._log("process.beat_failed", level=logging.WARNING, reason=f"{type(error).__name__}: {error}")
            return True
        if record is None or not record.wants(self.generation) or not lease.same_claim(record.lease):
            return False
        self.lease = lease
        return True

    def _is_out_of_time(self, now: datetime) -> bool:
        return self.deadline is not None and now >= self.deadline

    def _keep_lease(self) -> None:
        """A worker that has stalled beyond its lease writes only if nobody else has taken the document.

        It looks again after each renewal, because that may stall, too.
        """
        while self.worker.ports.clock.now() >= self.lease.until:
            self._renew(Usage())

    def _flip(self, indexed: IndexedGeneration, usage: Usage) -> None:
        ports = self.worker.ports
        # The hold is read first: it ends only when everybody knows of the switch.
        if is_held(ports) or ports.indexes.current() != self.maker.index.index:
            raise IndexReplaced  # search goes on showing the generation before
        self._update(completed(indexed, self.lease, usage=usage, now=ports.clock.now()))
        if not self.record.shows(self.generation):
            raise _Superseded
        self._log("process.completed", chunks=indexed.chunk_count, embedded=usage.embedded_texts)
        self.remove_stale_chunks()
        self.follow_current_index()

    def remove_stale_chunks(self) -> None:
        if self.had_parts:
            remove_part_texts(self.record, self.generation, self.worker.ports)
        now = self.worker.ports.clock.now()
        if not remove_stale_chunks(
            self.record,
            self.generation,
            self._documents,
            self._vectors,
            texts=self.worker.ports.texts,
            now=now,
        ):
            self.comes_again = f"Searches may still be reading chunks that document {self.record.id} has replaced."

    def finish(self) -> None:
        """Returning acknowledges the job. Raises Busy if it has to come again."""
        if self.comes_again:
            raise Busy(self.comes_again)

    def follow_current_index(self) -> None:
        """Raise IndexGone if the current index lacks the document: another was current when the work began.

        After it has switched to a new index, a reindex goes over all records. Work in the old index is either done
        before that, and the reindex sees it, or done later, and then this sees the switch. If a worker stops in
        between, its job is delivered again and leads here.

        The queue may no longer wait for this delivery, and then nobody delivers the job again. So another one is
        published before the record waits for it. One that comes too early leads here, too.
        """
        ports, record = self.worker.ports, self.record
        current = ports.indexes.current()
        if current is None or record.needs_work:
            return
        if record.shows(self.generation):
            if record.indexed_in(current.name) is not None:
                return
            publish_job(record, ports)
            self._update(reopened(self.generation, now=ports.clock.now()))
            self.record = publish_job(self.record, ports)  # the first may be taken already, or was refused
        elif current == self.maker.index.index:
            return
        raise IndexGone(INDEX_REPLACED)

    def _step_back(self) -> None:
        """Remove what is left of an attempt that nobody needs any more."""
        self._log("process.superseded")
        self.remove_stale_chunks()
        if self.record.wants(self.generation) and self.record.needs_work:
            # It may have given the document back, and the queue may no longer hear it.
            self.comes_again = f"Another worker has taken over document {self.record.id}, and it is not completed yet."

    def _reroute(self, format: str) -> None:
        ports, lane = self.worker.ports, lane_of(FORMATS[format], self.record.size)
        self._update(rerouted(self.generation, self.lease, format, lane, now=ports.clock.now()))
        self.record = publish_job(self.record, ports)
        self._log("process.rerouted", format=format)

    def _catch_up_with_bucket(self) -> None:
        """The bytes are gone: let the record follow the bucket, as the event may come late, or never.

        A worker that stops before it has published the new job leaves that to the event, or to its dead letter.
        """
        record, ports = self.record, self.worker.ports
        live = ports.bucket.stat(record.name)
        if live is not None and live.generation == self.generation:
            raise TransientError(f"The bucket lists generation {self.generation} but has no bytes for it.")
        self.record = follow_bucket(record, live, ports)
        self._step_back()

    def fail(self, failure: Failure) -> None:
        """Record the failure, and remove the older generation's text, which the bucket no longer holds."""
        index_name, now = self.maker.index.index.name, self.worker.ports.clock.now()
        self._end(failed(self.generation, failure, now=now, index_name=index_name))

    def _end(self, transition: Transition) -> None:
        self._update(transition)
        log_failed(self.record, self.generation)
        self.remove_stale_chunks()

    def wait(self, reason: str) -> None:
        """Nothing can be processed now: give the lease back, and let the queue try again later, without counting this
        attempt. Raises Unavailable, unless the document has waited for too long and is given up."""
        now = self.worker.ports.clock.now()
        self._update(waiting(self.generation, self.lease, Failure(ErrorCode.INTERNAL_ERROR, reason), now=now))
        record = self.record
        is_free = record.wants(self.generation) and record.lease is None
        if is_free and record.waits_too_long(self.worker.longest_wait, now):
            self.give_up(ErrorCode.INTERNAL_ERROR, after_wait(self.worker.longest_wait, reason))
            return
        self._log("process.waiting", level=logging.WARNING, since=record.waiting_since, reason=reason)
        raise Unavailable(reason)

    def run_out_of_time(self, error: OutOfTime) -> None:
        """If this attempt has got further, so will the next one, and neither counts. Raises TransientError."""
        if self.got_further:
            self.hand_back(error)
        else:
            self.postpone(error, ErrorCode.TIMEOUT)

    def hand_back(self, error: TransientError) -> None:
        """Let the queue deliver again, without counting this attempt. Raises the error."""
        self._update(handed_back(self.generation, self.lease, now=self.worker.ports.clock.now()))
        self._log("process.handed_back", reason=str(error))
        raise error

    def postpone(self, error: Exception, code: ErrorCode = ErrorCode.INTERNAL_ERROR) -> None:
        """Give the lease back and let the queue try again, or give up after the last retry. Raises TransientError."""
        reason = reason_of(error)
        failure = Failure(code, reason)
        self._update(released(self.generation, self.lease, failure, now=self.worker.ports.clock.now()))
        # If another worker now holds the lease, its attempt is the last and decides the outcome.
        if self.record.wants(self.generation) and self.record.out_of_retries and self.record.lease is None:
            self.give_up(code, after_retries(reason))
            return
        self._log("process.postponed", level=logging.WARNING, attempt=self.record.attempts, reason=reason)
        raise TransientError(reason) from error

    def give_up(self, code: ErrorCode, reason: str) -> None:
        self.record = give_up_now(self.record, self.worker, code, reason, index_name=self.maker.index.index.name)
        self.remove_stale_chunks()

    def _update(self, transition: Transition) -> None:
        self.record = update_record(self.record.id, transition, self.worker.ports.documents)

    def _log(self, action: str, *, level: int = logging.INFO, **facts: object) -> None:
        log_work(self.record, self.generation, action, level=level, **facts)
