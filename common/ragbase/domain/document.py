"""The record of a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from ragbase.domain.given_text import GivenText, HandedOut
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.metadata import NO_METADATA, DocumentMetadata
from ragbase.domain.name_forms import nfc
from ragbase.domain.passed import BETWEEN_DEAD_LETTERS, BETWEEN_LOOKS
from ragbase.domain.reading import Reading
from ragbase.domain.work import Failure, Work


class Status(StrEnum):
    PENDING = "PENDING"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedGeneration:
    """A generation as one index holds it, and how it was made.

    `fingerprint` names everything that decided its chunks and vectors, `text_length` counts characters of the extracted
    text, `page_count` the pages of its file, `ocr_pages` those that OCR read and `textless_pages` those without text.
    `index_name` names the index that has the chunks. `metadata` is what the file says of itself, and `notes` what
    its reader found doubtful or damaged. `given` is the given text that it was made of; None if a lane read the file.
    """

    generation: int
    chunk_count: int
    md5: str
    fingerprint: str
    text_length: int
    page_count: int | None = None
    duplicate_of: str | None = None
    index_name: str = ""
    metadata: DocumentMetadata = NO_METADATA
    notes: tuple[str, ...] = ()
    given: GivenText | None = None
    ocr_pages: int = 0
    textless_pages: int = 0

    @property
    def ocr_applied(self) -> bool:
        """Whether OCR read any of its text: here, or elsewhere for a given text."""
        return self.given.ocr_applied if self.given is not None else self.ocr_pages > 0

    @property
    def of_file(self) -> int:
        """The generation of the file whose text it has."""
        return self.given.of if self.given is not None else self.generation

    def same_content(self, other: IndexedGeneration) -> bool:
        """Whether both were made of equal bytes, and of equal given texts if there are any."""
        mine, others = (one.given.hash if one.given is not None else None for one in (self, other))
        return self.md5 == other.md5 and mine == others

    @property
    def format(self) -> str:
        """The format that the bytes were read as: every fingerprint begins with it."""
        return self.fingerprint.partition("|")[0]

    @property
    def reader(self) -> str:
        """Names everything that decided its text (domain/reading.py): every fingerprint begins with that, too."""
        return "|".join(self.fingerprint.split("|")[:2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the document has cost over all its generations: texts sent to the embedder and tokens billed for them."""

    embedded_texts: int = 0
    billed_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            embedded_texts=self.embedded_texts + other.embedded_texts,
            billed_tokens=self.billed_tokens + other.billed_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The record of one name in a bucket.

    `status`, `size` (bytes), `md5`, `attempts` and `failure` describe `generation`, the last one that the record took
    over from the bucket. `given_text` is the text that an extractor elsewhere gave for it, which the index should hold
    instead of what a lane reads. `active` is the generation that search shows. `rebuilt` is that same generation in the
    index that a reindex is building. `format` is the name of a format (formats/table.py), None until the content of a
    file with an unknown name was read. `waiting_since` is when the document began to wait for a service that is away,
    without the time that nobody has seen pass (domain/passed.py); None if it does not. `published_again_at` is when
    another job was published because the queue had given one up. `flipped_at` is when chunks took the place of others
    that search had shown until then; None if it never happened. A
    `tombstone` is the record of a deleted document. `revision` grows by one each time that the record takes over what
    the bucket holds, a generation or nothing, or a given text. The numbers of generations have no order; this one has
    (pipeline/route.py). `reading` is how far the parts of a long document are; None if no parts are
    being read. `handed_out` says that an extractor elsewhere is to read the file, and that no lane does meanwhile.
    """

    id: str
    bucket: str
    name: str
    generation: int
    status: Status
    size: int
    md5: str
    content_type: str
    format: str | None
    lane: Lane | None
    source: str
    config: ProcessingConfig
    created_at: datetime
    updated_at: datetime
    attempts: int = 0
    lease: Lease | None = None
    waiting_since: datetime | None = None
    published_again_at: datetime | None = None
    flipped_at: datetime | None = None
    failure: Failure | None = None
    active: IndexedGeneration | None = None
    rebuilt: IndexedGeneration | None = None
    usage: Usage = Usage()
    tombstone: bool = False
    revision: int = 0
    given_text: GivenText | None = None
    reading: Reading | None = None
    handed_out: HandedOut | None = None

    @property
    def wanted(self) -> int:
        """The generation that the index should hold in the end: that of the given text if there is one. Of a tombstone,
        the one that it should no longer hold."""
        return self.given_text.generation if self.given_text is not None else self.generation

    @property
    def is_older(self) -> bool:
        """Whether an older version has made it, which told the forms of a name apart: its name is not in NFC, and its
        id comes from that (pipeline/older_records.py)."""
        return self.name != nfc(self.name)

    @property
    def retry_count(self) -> int:
        return max(0, self.attempts - 1)

    @property
    def needs_work(self) -> bool:
        """Whether `wanted` still has to be processed."""
        return not self.tombstone and self.status in (Status.PENDING, Status.PROCESSING)

    @property
    def has_failed(self) -> bool:
        """Whether its last round of attempts failed: it is FAILED, or it is COMPLETED as before and a repair failed."""
        return self.failure is not None and not self.needs_work

    def is_leased(self, now: datetime) -> bool:
        """Whether a worker has the document itself in work: not only some of its parts."""
        return self.lease is not None and self.lease.runs(now)

    def waits_too_long(self, longest_wait: timedelta, now: datetime) -> bool:
        """Whether a service that it needs has been away for so long that the document is given up."""
        return self._own_work.waits_too_long(longest_wait, now)

    def is_at_its_end(self, longest_wait: timedelta, now: datetime) -> bool:
        """Whether nobody will try it once more: after the last retry, of a part too, or after the longest wait. Who
        asks is a queue that gave up, or a lane that has just looked."""
        has_lost_part = self.reading is not None and self.reading.has_lost_part(now)
        has_waited = self._own_work.waits_too_long(longest_wait, now, BETWEEN_DEAD_LETTERS)
        return self._own_work.out_of_retries or has_lost_part or has_waited

    def work(self, generation: int, part: int = 0) -> Work | None:
        """What is still to be done for this generation, or for a part of it; None if that is nothing: it is done, or
        given up, or nobody wants it."""
        if not self.needs_work or not self.wants(generation):
            return None
        if not part:
            return self._own_work
        one = self.reading.part(part) if self.reading is not None else None
        if one is None or one.is_read:
            return None
        return replace(self._own_work, attempts=one.attempts, lease=one.lease)

    @property
    def _own_work(self) -> Work:
        return Work(
            attempts=self.attempts,
            lease=self.lease,
            waiting_since=self.waiting_since,
            failure=self.failure,
            seen_at=self.updated_at,
        )

    def seen(self, now: datetime, most: timedelta = BETWEEN_LOOKS) -> Document:
        """The record, looked at now. If it waits, what has passed since the last look counts as far as it was seen."""
        return replace(self, waiting_since=self._own_work.waits_since(now, most), updated_at=now)

    def with_work(self, work: Work, part: int, now: datetime) -> Document:
        """The record, with what has become of its work, or of that on a part of it."""
        goes_on = self.waiting_since is not None and work.waiting_since is not None
        since = self._own_work.waits_since(now) if goes_on else work.waiting_since
        noted = replace(self, waiting_since=since, failure=work.failure, updated_at=now)
        if part:
            return noted.with_part(part, attempts=work.attempts, lease=work.lease)
        return replace(noted, attempts=work.attempts, lease=work.lease)

    def with_part(self, number: int, **changes: Any) -> Document:
        """The record, with some fields of a part changed. It is the same if there is no such part."""
        part = self.reading.part(number) if self.reading is not None else None
        if self.reading is None or part is None:
            return self
        return replace(self, reading=self.reading.with_part(number, replace(part, **changes)))

    @property
    def metadata(self) -> DocumentMetadata:
        """What the generation that search shows says of itself. If its source is a web address, that is its `url`."""
        return self.active.metadata.at(self.source) if self.active is not None else NO_METADATA

    @property
    def job(self) -> Job:
        """The message that asks a lane to bring the index in step with this record."""
        return Job(
            document_id=self.id,
            bucket=self.bucket,
            name=self.name,
            generation=self.wanted,
            format=self.format,
            config=self.config,
        )

    def wants(self, generation: int) -> bool:
        """Whether this is the generation that the index should hold in the end."""
        return not self.tombstone and self.wanted == generation

    def is_reading(self, generation: int) -> bool:
        """Whether parts of this generation are being read, so that their texts are needed."""
        return self.reading is not None and self.needs_work and self.wants(generation)

    @property
    def part_workers(self) -> frozenset[str]:
        """The workers that hold the lease of a part."""
        parts = self.reading.parts if self.reading is not None else ()
        return frozenset(part.lease.worker for part in parts if part.lease is not None)

    def is_of(self, generation: int) -> bool:
        """Whether this is the generation of the file that the record is of, with a given text or without one."""
        return not self.tombstone and self.generation == generation

    @property
    def shows_its_file(self) -> bool:
        """Whether search shows a text of the file that the record is of: what a lane read, or a given text."""
        return self.active is not None and self.active.of_file == self.generation

    def shows(self, generation: int) -> bool:
        """Whether search shows the chunks of this generation."""
        return self.active is not None and self.active.generation == generation

    def needs(self, generation: int) -> bool:
        """Whether the chunks of this generation have to stay: search shows them, or may show them later. The latter
        holds even if the generation is FAILED: a retry finds in them what is already paid for."""
        return self.wants(generation) or self.shows(generation)

    def indexed_in(self, index_name: str) -> IndexedGeneration | None:
        """What this index should hold of the active generation; None if it does not have it.

        Right after the switch to another index, `active` still names the old one: then `rebuilt` has the answer.
        """
        if self.active is not None and self.active.index_name == index_name:
            return self.active
        rebuilt = self.rebuilt
        if rebuilt is not None and rebuilt.index_name == index_name and self.shows(rebuilt.generation):
            return rebuilt
        return None


Transition = Callable[[Document | None], Document | None]


@dataclass(frozen=True, slots=True)
class Change:
    """What `DocumentStore.update` did: the record before and after the transition."""

    before: Document | None
    after: Document | None

    @property
    def record(self) -> Document:
        """The record as it is afterwards, changed or not, where there has to be one: no transition removes any."""
        if self.after is None:
            raise AssertionError("there is a record of every document that was heard of")
        return self.after
