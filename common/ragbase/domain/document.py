"""The record of a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ragbase.domain.errors import ErrorCode
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.routing import Format, Lane

MAX_RETRIES = 3
"""How often a job is tried again before its document is FAILED (document contract, `retryCount`)."""


class Status(StrEnum):
    PENDING = "PENDING"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to process the document, until a time: the `claim`th claim of a worker (a running process) has it."""

    worker: str
    claim: int
    until: datetime

    def same_claim(self, other: Lease | None) -> bool:
        return other is not None and (self.worker, self.claim) == (other.worker, other.claim)


@dataclass(frozen=True, slots=True)
class Failure:
    code: ErrorCode
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    """A generation as an index holds it, and how it was made. `text_length` counts characters of the extracted text.
    `index` names the index that has its chunks."""

    generation: int
    chunk_count: int
    md5: str
    fingerprint: str
    text_length: int
    page_count: int | None = None
    duplicate_of: str | None = None
    index: str = ""


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
    """The record of one path in a bucket. `status`, `size` (bytes), `md5`, `attempts` and `failure` speak of
    `generation`, the newest generation that was announced; `active` of the one that search shows; `beside` of the same
    one in an index that is being built to take the place of the live one."""

    id: str
    bucket: str
    name: str
    generation: int
    status: Status
    size: int
    md5: str
    content_type: str
    format: Format | None
    lane: Lane | None
    source: str
    config: ProcessingConfig
    created_at: datetime
    updated_at: datetime
    attempts: int = 0
    lease: Lease | None = None
    failure: Failure | None = None
    active: Active | None = None
    beside: Active | None = None
    usage: Usage = Usage()
    tombstone: bool = False

    @property
    def retry_count(self) -> int:
        return max(0, self.attempts - 1)

    @property
    def is_open(self) -> bool:
        """Whether there is work to do for `generation`."""
        return not self.tombstone and self.status in (Status.PENDING, Status.PROCESSING)

    @property
    def is_exhausted(self) -> bool:
        """Whether the first attempt and all retries have been started."""
        return self.attempts > MAX_RETRIES

    @property
    def job(self) -> Job:
        """The message that asks for the work this record still wants."""
        return Job(
            document_id=self.id,
            bucket=self.bucket,
            name=self.name,
            generation=self.generation,
            format=self.format,
            config=self.config,
        )

    def wants(self, generation: int) -> bool:
        """Whether this is the generation that the index should hold in the end."""
        return not self.tombstone and self.generation == generation

    def shows(self, generation: int) -> bool:
        """Whether search shows the chunks of this generation."""
        return self.active is not None and self.active.generation == generation

    def made_in(self, index: str) -> Active | None:
        """What the index of this name should hold of the generation that search shows; None where it is not made there.

        Between the flip from one index to another and the moment at which the record hears of it, `active` still speaks
        of the old index.
        """
        if self.active is not None and self.active.index == index:
            return self.active
        if self.beside is not None and self.beside.index == index and self.shows(self.beside.generation):
            return self.beside
        return None


Transition = Callable[[Document | None], Document | None]


@dataclass(frozen=True, slots=True)
class Change:
    """What `DocumentStore.update` did: the record before and after the transition."""

    before: Document | None
    after: Document | None
