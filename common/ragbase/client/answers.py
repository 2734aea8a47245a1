"""What the server answers, as values. A field that the server leaves out is None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, datetime
from types import MappingProxyType

from pydantic import ConfigDict, field_serializer
from pydantic.alias_generators import to_camel

from ragbase.domain.condition import Condition
from ragbase.domain.document import Status
from ragbase.domain.lane import Lane
from ragbase.messages.json_model import JsonModel


class Filter(JsonModel):
    """Which documents a query may show (docs/http-api.md). All fields together have to fit."""

    model_config = ConfigDict(extra="forbid")

    document_ids: tuple[str, ...] | None = None
    path_prefix: str | None = None
    formats: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    title: str | None = None
    url_prefix: str | None = None
    date_from: date | None = None
    date_to: date | None = None
    where: tuple[Condition, ...] | None = None

    @field_serializer("where")
    def _as_the_server_takes_it(self, where: tuple[Condition, ...] | None) -> list[dict[str, object]] | None:
        if where is None:
            return None
        return [{to_camel(name): value for name, value in asdict(one).items() if value is not None} for one in where]


class Citation(JsonModel):
    """Where a passage is: the document's text from `char_start` to `char_end` (Client.text). `page` and `row` count
    from 1. `table_header` is the header row of the table in whose rows the passage begins."""

    char_start: int
    char_end: int
    page: int | None = None
    row: int | None = None
    heading: str | None = None
    table_header: str | None = None


class SaidOfItself(JsonModel):
    """What a document says of itself."""

    title: str | None = None
    tags: tuple[str, ...] | None = None
    date: str | None = None
    url: str | None = None


class FoundSource(JsonModel):
    """A place where the text of a result was found."""

    document_id: str
    filename: str
    document_metadata: SaidOfItself | None = None
    metadata: Citation


class FoundPassage(JsonModel):
    """A passage that answers. `score` is from 0 to 1. `sources` has every place with the same text, this one first.
    `lacks` are the identifiers and numbers of the question that it does not have."""

    content: str
    score: float
    document_id: str
    filename: str
    document_metadata: SaidOfItself | None = None
    metadata: Citation
    sources: tuple[FoundSource, ...] = ()
    lacks: tuple[str, ...] | None = None


class NearestPassage(JsonModel):
    """A passage whose score does not reach the threshold. `lacks` are the words of the question that it does not
    have."""

    document_id: str
    filename: str
    score: float
    metadata: Citation
    lacks: tuple[str, ...] = ()


class NearestPassages(JsonModel):
    """What was nearest to a question that finds nothing: one to three passages, nearest first. `unknown` are the words
    of the question that no passage of the index has."""

    threshold: float
    passages: tuple[NearestPassage, ...]
    unknown: tuple[str, ...] = ()


class FoundPassages(JsonModel):
    """`reranked` is there if a reranker was asked: False says that it failed, and that the order is the search's.
    If there are no results, `near_miss` says what was nearest. If there was nothing to search, `warnings` say why: they
    name the parts of the filter that no document matches."""

    results: tuple[FoundPassage, ...]
    reranked: bool | None = None
    warnings: tuple[str, ...] | None = None
    near_miss: NearestPassages | None = None


class RankedPassages(tuple[FoundPassage, ...]):
    """The passages that a query has found, best first. `reranked`, `warnings` and `near_miss` are those of
    FoundPassages."""

    reranked: bool | None
    warnings: tuple[str, ...] | None
    near_miss: NearestPassages | None

    @classmethod
    def of(cls, answer: FoundPassages) -> RankedPassages:
        found = cls(answer.results)
        found.reranked, found.warnings, found.near_miss = answer.reranked, answer.warnings, answer.near_miss
        return found

    def answer(self) -> FoundPassages:
        """The answer of the server that they are from."""
        return FoundPassages(results=self, reranked=self.reranked, warnings=self.warnings, near_miss=self.near_miss)


class SentenceCitation(JsonModel):
    """A place that a sentence stands on: `text` is the document's text there. `evidence` is the id of the passage that
    it is in."""

    text: str
    evidence: str
    document_id: str
    filename: str
    generation: str
    metadata: Citation


class CitedSentence(JsonModel):
    """`supported` says that the citations have what the sentence says. Without it, nobody has verified the sentence."""

    text: str
    supported: bool
    citations: tuple[SentenceCitation, ...] = ()


class CitedEvidence(JsonModel):
    """A passage that the answer was written from. `id` names it in this answer; `score` is from 0 to 1."""

    id: str
    content: str
    score: float
    document_id: str
    filename: str
    generation: str
    metadata: Citation


class CitedEvidenceFound(JsonModel):
    evidence: tuple[CitedEvidence, ...]


class CitedEnd(JsonModel):
    """`text` has the supported sentences, or says that the documents have no information: then it is not `answered`.
    `model` names what wrote the answer, if anything was asked. `warnings` and `near_miss` are those of FoundPassages.
    `lacks` are the identifiers and numbers of the question that none of the evidence has."""

    text: str
    answered: bool
    model: str | None = None
    warnings: tuple[str, ...] | None = None
    near_miss: NearestPassages | None = None
    lacks: tuple[str, ...] | None = None


class CitedAnswer(CitedEnd):
    """The whole answer."""

    sentences: tuple[CitedSentence, ...] = ()
    evidence: tuple[CitedEvidence, ...] = ()


class Uploaded(JsonModel):
    """The document that an upload has made, or the one that exists with the same bytes: then it is not `is_new`."""

    id: str
    filename: str
    status: Status
    format: str | None = None
    lane: Lane | None = None
    is_new: bool = True


class UploadAddress(JsonModel):
    """Where to send a file, and how. The address is a secret: who has it can use it."""

    id: str
    method: str
    url: str
    headers: Mapping[str, str] = MappingProxyType({})

    def __repr__(self) -> str:
        return f"UploadAddress(id={self.id!r})"


class DocumentState(JsonModel):
    """A document as it is now."""

    id: str
    filename: str
    status: Status
    retry_count: int
    fail_reason: str | None = None
    remedy: str | None = None
    notes: tuple[str, ...] | None = None
    chunk_count: int | None = None
    page_count: int | None = None
    ocr_applied: bool | None = None
    ocr_pages: int | None = None
    pages_without_text: int | None = None
    parts: int | None = None
    parts_read: int | None = None
    extractor_until: datetime | None = None
    created_at: datetime
    updated_at: datetime

    @property
    def is_settled(self) -> bool:
        """Whether no work is going on: it is COMPLETED or FAILED."""
        return self.status in (Status.COMPLETED, Status.FAILED)


class ListedDocument(JsonModel):
    id: str
    filename: str
    status: Status
    fail_reason: str | None = None
    remedy: str | None = None
    notes: tuple[str, ...] | None = None
    chunk_count: int | None = None
    ocr_applied: bool | None = None
    pages_without_text: int | None = None
    created_at: datetime


class ListedDocuments(JsonModel):
    """A page of a listing. `total` counts the whole listing. `next_cursor` is there if there are more."""

    documents: tuple[ListedDocument, ...]
    total: int
    next_cursor: str | None = None


class DocumentPassage(JsonModel):
    """A chunk of a document; `chunk_index` counts them from 0."""

    id: str
    chunk_index: int
    content: str
    metadata: Citation


class DocumentPassages(JsonModel):
    chunks: tuple[DocumentPassage, ...]
    next_cursor: str | None = None


class SignedIn(JsonModel):
    """A token and when it ends."""

    token: str
    expires_at: datetime

    def __repr__(self) -> str:
        return f"SignedIn(expires_at={self.expires_at!r})"


class ErrorAnswer(JsonModel):
    error: str
    message: str
