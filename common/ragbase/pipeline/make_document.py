"""What a claim on a document is for: bring the index in step with the generation that it wants."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragbase.domain.claim_transitions import claimed, completed, rerouted
from ragbase.domain.document import Document, IndexedGeneration, Transition, Usage
from ragbase.domain.errors import Busy, IndexGone
from ragbase.domain.extraction import Extraction, PageText
from ragbase.domain.extractor_transitions import handed_out
from ragbase.domain.given_text import HandedOut
from ragbase.domain.lane import Lane
from ragbase.domain.part_transitions import parts_lost, planned
from ragbase.domain.reading import Reading
from ragbase.domain.transitions import reopened
from ragbase.formats.table import FORMATS, lane_of
from ragbase.messages.page_texts import decode_pages
from ragbase.pipeline.claim import Claim, Superseded
from ragbase.pipeline.copy_duplicate import copy_duplicate
from ragbase.pipeline.hold import is_held
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.not_answered import end_overdue
from ragbase.pipeline.older_records import remove_older
from ragbase.pipeline.publish_job import publish_job, publish_parts
from ragbase.pipeline.read_given_text import format_of_read, format_with, read_given_text

if TYPE_CHECKING:
    from ragbase.domain.lease import Lease
    from ragbase.pipeline.cut_text import CutText
    from ragbase.pipeline.worker import Worker
    from ragbase.ports import Ports

INDEX_REPLACED = "Another index is becoming the current one. The document is processed again, for that one."


@dataclass(frozen=True, slots=True)
class MakeDocument:
    """Implements `Task` for the job of a document."""

    claim: Claim
    maker: Maker

    @property
    def _record(self) -> Document:
        return self.claim.record

    @property
    def _generation(self) -> int:
        return self.claim.generation

    @property
    def _worker(self) -> Worker:
        return self.claim.worker

    @property
    def _ports(self) -> Ports:
        return self.claim.ports

    def claimed(self, lease: Lease, *, now: datetime, interrupted: bool) -> Transition:
        return claimed(self._generation, lease, self._worker.lane, now=now, interrupted=interrupted)

    def pass_on(self) -> bool:
        """A document that is done is cleaned up, and one of another lane goes there."""
        claim, record = self.claim, self._record
        if claim.work is None:
            claim.had_parts = self._worker.lane is Lane.HEAVY
            claim.clean_up()
            self._follow_current_index()
        elif record.handed_out is not None:
            claim.record = end_overdue(record, self._ports)
            claim.clean_up()
        elif record.lane is not self._worker.lane:
            publish_job(record, self._ports)
        else:
            return False
        return True

    def attempt(self) -> None:
        record, maker, ports = self._record, self.maker, self._ports
        given = record.given_text
        promised = format_with(given, record.format)
        if promised is not None and (given is not None or maker.extractor.allows(promised)):
            indexed = copy_duplicate(
                record,
                maker.fingerprint(promised, record.config, given),
                index=maker.index,
                documents=ports.documents,
                boxes=ports.word_boxes,
                before_write=self.claim.keep,
            )
            if indexed is not None:
                self._flip(indexed, Usage())
                return
        maker.check()
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
            generation=self._generation,
            md5=record.md5,
            given=given,
            before_write=self.claim.keep,
            between_batches=self.claim.renew,
        )
        if cut.extraction.boxes:
            self.claim.keep()
            ports.word_boxes.put(record.id, self._generation, made.indexed.reader, cut.extraction.boxes)
        self._flip(made.indexed, made.usage)

    def _read(self, promised: str | None) -> tuple[CutText, str] | None:
        """The text of the document, cut, and its format. None if others go on with it: the lane of another format,
        those who read its parts, or an extractor elsewhere."""
        record, maker = self._record, self.maker
        reading, config = record.reading, record.config
        if reading is not None and promised is not None and reading.reader == maker.reader(promised, config):
            pages = self._joinable(reading)
            return (maker.cut(maker.join(pages, promised, config), config), promised) if pages is not None else None
        data = self._data()
        return self._read_in_text_process(data, promised) or self._read_here(data, promised)

    def _data(self) -> bytes:
        """The bytes of the file, or the given text in UTF-8. Raises GenerationGone, and PermanentError as
        `read_given_text`."""
        record, ports = self._record, self._ports
        if record.given_text is not None:
            return read_given_text(record.id, record.given_text, ports.texts, ports.documents)
        return ports.bucket.read(record.name, record.generation)

    def _read_in_text_process(self, data: bytes, promised: str | None) -> tuple[CutText, str] | None:
        """As `_read`, of a small file that has the promised format. None if this process has to find out."""
        if self._worker.lane is not Lane.FAST or self._record.given_text is not None or promised is None:
            return None
        text = self.maker.cut_in_text_process(data, promised, self._record.config)
        return (text, promised) if text is not None else None

    def _read_here(self, data: bytes, promised: str | None) -> tuple[CutText, str] | None:
        record, maker, config = self._record, self.maker, self._record.config
        format = format_of_read(data, record, maker.extractor)
        if format != promised:
            self._reroute(format)
            return None
        timeout, is_file = self._worker.extractor_timeout, record.given_text is None
        if is_file and timeout is not None and FORMATS[format].lane is Lane.HEAVY:
            self._hand_out(timeout)
            return None
        if is_file and self._worker.lane is Lane.HEAVY:
            extracted = maker.extract_or_cut(data, format, config)
            if isinstance(extracted, Extraction):
                return maker.cut(extracted, config), format
            self._leave_to_parts(Reading.planned(maker.reader(format, config), extracted))
            return None
        return maker.cut(maker.extract(data, format, config, record.given_text), config), format

    def _joinable(self, reading: Reading) -> Sequence[PageText] | None:
        """All pages; None if parts are still to be read."""
        if reading.is_complete:
            pages, lost = list[PageText](), list[int]()
            for number, part in enumerate(reading.parts, start=1):
                text = self._ports.part_texts.read(self._record.id, self._generation, reading.text_name(part))
                if text is None:  # a removal that was asked for an earlier reading may take effect late
                    lost.append(number)
                else:
                    pages.extend(decode_pages(text))
            if not lost:
                return pages
            self.claim.log("process.parts_lost", level=logging.WARNING, parts=lost)
            now = self._ports.clock.now()
            self.claim.update(parts_lost(self._generation, self.claim.lease, lost, now=now))
        self._leave_to_parts(reading)
        return None

    def _leave_to_parts(self, reading: Reading) -> None:
        """Let others read the parts that are left. The last of them publishes the job of the document again."""
        ports = self._ports
        self.claim.update(planned(self._generation, reading, self.claim.lease, now=ports.clock.now()))
        plan = self._record.reading
        if plan is None or not self._record.is_reading(self._generation):
            raise Superseded
        if plan.reader != reading.reader:
            raise Busy(f"Document {self._record.id} is being read by workers of another version.")
        if plan.is_complete:
            self.claim.record = publish_job(self._record, ports)
            return
        self.claim.log("process.parts", parts=len(plan.parts), read=plan.read_parts)
        self.claim.record = publish_parts(self._record, ports)

    def _hand_out(self, time: timedelta) -> None:
        """Let an extractor elsewhere read the file. Its callback publishes the job of the document again."""
        now = self._ports.clock.now()
        wait = HandedOut(since=now, until=now + time)
        self.claim.update(handed_out(self._generation, self.claim.lease, wait))
        if self._record.handed_out != wait:
            raise Superseded
        self.claim.log("process.handed_out", until=wait.until)

    def _flip(self, indexed: IndexedGeneration, usage: Usage) -> None:
        ports = self._ports
        # The hold is read first: it ends only when everybody knows of the switch.
        if is_held(ports.checkpoints, ports.clock) or ports.indexes.current() != self.maker.index.index:
            raise Busy(INDEX_REPLACED)  # search goes on showing the generation before
        self.claim.update(completed(indexed, self.claim.lease, usage=usage, now=ports.clock.now()))
        if not self._record.shows(self._generation):
            raise Superseded
        self.claim.log("process.completed", chunks=indexed.chunk_count, embedded=usage.embedded_texts)
        remove_older(self._record, ports)
        self.claim.clean_up()
        self._follow_current_index()

    def _follow_current_index(self) -> None:
        """Raise IndexGone if the current index lacks the document: another was current when the work began.

        After it has switched to a new index, a reindex goes over all records. Work in the old index is either done
        before that, and the reindex sees it, or done later, and then this sees the switch. If a worker stops in
        between, its job is delivered again and leads here.

        The queue may no longer wait for this delivery, and then nobody delivers the job again. So another one is
        published before the record waits for it. One that comes too early leads here, too.
        """
        ports, record = self._ports, self._record
        current = ports.indexes.current()
        if current is None or record.needs_work:
            return
        if record.shows(self._generation):
            if record.indexed_in(current.name) is not None:
                return
            publish_job(record, ports)
            self.claim.update(reopened(self._generation, now=ports.clock.now()))
            self.claim.record = publish_job(self._record, ports)  # the first may be taken already, or was refused
        elif current == self.maker.index.index:
            return
        raise IndexGone(INDEX_REPLACED)

    def _reroute(self, format: str) -> None:
        ports, lane = self._ports, lane_of(FORMATS[format], self._record.size)
        self.claim.update(rerouted(self._generation, self.claim.lease, format, lane, now=ports.clock.now()))
        self.claim.record = publish_job(self._record, ports)
        self.claim.log("process.rerouted", format=format)
