"""What a claim on a part of a long document is for: read its pages, store their text, and let the last part start the
chunks.

1. take the lease of the part; 2. read the pages; 3. store their text; 4. note in the record that the part is read;
5. if it was the last one, publish the job of the document, whose lane joins the texts.

Who is stopped between two steps has its job delivered again: a part that is not noted is read again, with the same
text, and one that is noted begins with step 5. A second job for the document does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.domain.claim_transitions import part_claimed
from ragbase.domain.document import Document, Transition
from ragbase.domain.errors import Busy
from ragbase.domain.lease import PART_LEASE
from ragbase.domain.part_transitions import part_read
from ragbase.domain.transitions import republished
from ragbase.messages.page_texts import encode_pages
from ragbase.pipeline.claim import Claim, Superseded
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.publish_job import ask_lanes, publish_job

if TYPE_CHECKING:
    from ragbase.domain.lease import Lease


@dataclass(frozen=True, slots=True)
class ReadPart:
    """Implements `Task` for the job of a part. What can never be read fails the document."""

    claim: Claim
    maker: Maker

    def claimed(self, lease: Lease, *, now: datetime, interrupted: bool) -> Transition:
        job = self.claim.job
        return part_claimed(job.generation, job.part, lease, self._reader, now=now, interrupted=interrupted)

    def attempt(self) -> None:
        claim, record, reading = self.claim, self.claim.record, self.claim.record.reading
        ports, generation, number = claim.ports, claim.generation, claim.job.part
        part = reading.part(number) if reading is not None else None
        if reading is None or part is None:
            raise AssertionError("a part that was claimed is in the plan")
        data = ports.bucket.read(record.name, generation)
        pages = self.maker.extractor.extract_pages(data, record.format or "", record.config, part.pages)
        claim.check_time(ports.clock.now())
        claim.keep()
        ports.part_texts.put(record.id, generation, reading.text_name(part), encode_pages(pages))
        claim.update(part_read(generation, number, claim.lease, now=ports.clock.now()))
        if not self._is_read:
            raise Superseded
        claim.log("process.part_read", pages=str(part.pages))
        self._publish_if_complete()

    def pass_on(self) -> bool:
        """The last part that was read starts the chunks. A plan that nobody follows is made again."""
        claim, record, reading = self.claim, self.claim.record, self.claim.record.reading
        if reading is None or not record.is_reading(claim.generation) or reading.part(claim.job.part) is None:
            claim.clean_up()
            return True
        if self._is_read:
            self._publish_if_complete()
            return True
        if reading.reader == self._reader(record):
            return False
        # While a deployment goes on, old and new workers work side by side. Once nobody has followed the plan for a
        # while, the job of the document makes a new one. Only one of the parts asks for it.
        if not reading.is_in_work(claim.since) and record.updated_at + PART_LEASE <= claim.since:
            ask_lanes(record.id, republished(claim.generation, now=claim.since), claim.ports)
        raise Busy(f"Document {record.id} is being read by workers of another version.")

    def _reader(self, record: Document) -> str:
        return self.maker.reader(record.format, record.config) if record.format is not None else ""

    @property
    def _is_read(self) -> bool:
        record = self.claim.record
        part = record.reading.part(self.claim.job.part) if record.reading is not None else None
        return part is not None and part.is_read and record.is_reading(self.claim.generation)

    def _publish_if_complete(self) -> None:
        record = self.claim.record
        if record.reading is not None and record.reading.is_complete:
            self.claim.record = publish_job(record, self.claim.ports)
