"""What the use cases need from the world. One Protocol a port; adapters/ holds what implements them.

Every port has one contract suite in tests/contract that all its adapters pass. Unless a method says otherwise, an
adapter whose service does not answer, or answers with a passing fault, raises TransientError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from ragbase.domain.chunk import Chunk, EmbeddedChunk, Extraction
from ragbase.domain.document import Change, Document, Status, Transition
from ragbase.domain.job import Job
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.routing import Format

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector


class Clock(Protocol):
    def now(self) -> datetime:
        """The time in UTC, aware."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """An object of a bucket: one live generation. `size` is in bytes, `md5` in lower-case hex."""

    bucket: str
    name: str
    generation: int
    size: int
    md5: str
    content_type: str
    metadata: Mapping[str, str]

    def event(self, kind: EventKind) -> ObjectEvent:
        """What is announced when this has happened to the object."""
        return ObjectEvent(
            kind=kind,
            bucket=self.bucket,
            name=self.name,
            generation=self.generation,
            size=self.size,
            md5=self.md5,
            content_type=self.content_type,
            metadata=self.metadata,
        )


class Bucket(Protocol):
    """Named objects in generations. Every `put` and `delete` announces itself as an ObjectEvent, at least once."""

    @property
    def name(self) -> str: ...

    def put(
        self, name: str, data: bytes, *, content_type: str = "", metadata: Mapping[str, str] | None = None
    ) -> StoredObject:
        """Write a new generation, durably and atomically. Generations of a name only grow, also across deletions.

        Without a `content_type` the name or the content tells it. Raises InvalidObject for a name that is no relative
        path, or that the bucket cannot hold beside the names it has.
        """
        ...

    def delete(self, name: str) -> StoredObject | None:
        """Remove the live generation and return it; None where there is no such object."""
        ...

    def stat(self, name: str) -> StoredObject | None:
        """The live generation, or None."""
        ...

    def stat_many(self, names: Sequence[str]) -> Mapping[str, StoredObject]:
        """The live generations of those names that have one, in as few requests as the bucket allows."""
        ...

    def read(self, name: str, generation: int) -> bytes:
        """The bytes of exactly this generation. Raises GenerationGone where it is not the live one."""
        ...

    def list(self, prefix: str = "") -> Iterator[StoredObject]:
        """The live objects whose names start with `prefix`, by name."""
        ...


class Topic(StrEnum):
    FAST = "fast-lane"
    HEAVY = "heavy-lane"
    DEAD_LETTER = "dead-letter"


class Publisher(Protocol):
    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        """Hand a job to a topic, durably; it is delivered at least once. `reason` tells why it is a dead letter."""
        ...


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Part of a listing. `total` counts all documents of the listing, not just this part."""

    documents: tuple[Document, ...]
    total: int


class DocumentStore(Protocol):
    """One record a document, changed only by transitions under compare-and-set."""

    def get(self, document_id: str) -> Document | None: ...

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        """The records that exist among these, in one batched read that is consistent for each record."""
        ...

    def update(self, document_id: str, transition: Transition) -> Change:
        """Apply a transition to the record as it is now, atomically and durably."""
        ...

    def find_active(self, md5: str, fingerprint: str) -> Document | None:
        """Some live document whose active generation has these bytes and was made by this fingerprint."""
        ...

    def leased_to(self, worker: str) -> Sequence[Document]:
        """The records whose lease a claim of this worker holds."""
        ...

    def page(self, *, status: Status | None = None, limit: int = 20, offset: int = 0) -> DocumentPage:
        """The live documents, newest first (by created_at, then id). Tombstones are left out."""
        ...


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that may answer a query: its cosine with the query, and the terms it was indexed under."""

    chunk: Chunk
    cosine: float
    terms: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What a store knows of a query: the best chunks by meaning and by words, and the facts to judge them by.

    `passages` and `average_length` (in terms) describe the whole index, `frequency` counts the passages in which each
    query term stands. `background` is the mean and the standard deviation of the query's cosine over the index, or None
    where the store does not know them. `exhausted` says that no further chunk would come with a higher limit.
    """

    hits: Sequence[Hit]
    passages: int
    average_length: float
    frequency: Mapping[str, int]
    background: tuple[float, float] | None
    exhausted: bool


class VectorStore(Protocol):
    """Chunks with their embeddings. It may hold chunks that no search shows: the records decide what is live."""

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        """Insert or replace by chunk id, all of them or none, durably."""
        ...

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        """The chunks of one generation, by part and ordinal."""
        ...

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        """Every embedding held for the document, in whatever generation, by text hash."""
        ...

    def delete(self, document_id: str, *, generation: int) -> None:
        """Remove the chunks of one generation."""
        ...

    def delete_older(self, document_id: str, *, than: int) -> None:
        """Remove the chunks of all generations of the document below this one."""
        ...

    def search(self, vector: Vector, terms: Sequence[str], limit: int) -> Candidates:
        """The `limit` chunks nearest by cosine and the `limit` best by BM25, merged, each with its cosine."""
        ...


@dataclass(frozen=True, slots=True)
class Embeddings:
    """One unit vector a text, in the texts' order, and the tokens billed for them."""

    vectors: Sequence[Vector]
    billed_tokens: int = 0


class Embedder(Protocol):
    """Texts to vectors. `model` names the model and everything else that changes its vectors."""

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_batch(self) -> int:
        """The most texts that one `embed_documents` takes."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """Embed passages. Never answers with another count, another dimension or a number that is not finite."""
        ...

    def embed_query(self, text: str) -> Vector: ...


class Extractor(Protocol):
    """Bytes to Markdown."""

    @property
    def fingerprint(self) -> str:
        """Names the version of everything that decides what comes out."""
        ...

    def detect(self, data: bytes, promised: Format) -> Format:
        """The format that the content really has. Raises PermanentError where nothing here reads it."""
        ...

    def extract(self, data: bytes, format: Format) -> Extraction:
        """Raises PermanentError with the code that fits."""
        ...


Handler = Callable[[Job], None]
"""What a lane does with a job: returning acknowledges it, raising gives it back to the queue."""
