"""Why a question does not find a document, as the server answers it. A field that the server leaves out is None."""

from __future__ import annotations

from collections.abc import Mapping

from ragbase.client.answers import Citation
from ragbase.domain.document import Status
from ragbase.messages.json_model import JsonModel


class WordReport(JsonModel):
    """`worth` is the term's share of the worth of all terms. `passages` of the index have it, `chunks` of the document.
    `in_file` is there if the file was looked at."""

    term: str
    worth: float
    passages: int
    chunks: int
    in_file: bool | None = None


class CandidateReport(JsonModel):
    """The document's best places. Search takes `limit` chunks by meaning and as many by words, of `passages`."""

    by_meaning: int | None = None
    by_words: int | None = None
    limit: int
    looked_at: int
    passages: int
    chunks: int


class PassageReport(JsonModel):
    """The document's best chunk and its scores (docs/ranking.md)."""

    content: str
    metadata: Citation
    confidence: float
    cosine: float
    background: float
    bm25: float
    coverage: float
    close_coverage: float
    dense_score: float
    sparse_score: float
    combined_score: float


class JoinedReport(JsonModel):
    """A piece of the text over a border between chunks, judged as if it were a chunk."""

    char_start: int
    char_end: int
    coverage: float
    chunk_coverage: float
    rank: int | None = None
    confidence: float


class BetterResult(JsonModel):
    """A result above the document."""

    rank: int
    document_id: str
    filename: str
    combined_score: float


class DocumentExplanation(JsonModel):
    """`stage` is where the document is lost, one of those in docs/cli.md; `reason` says it for a person, and `remedy`
    what can be done. The other fields are the figures of the stages."""

    stage: str
    reason: str
    remedy: str | None = None
    filename: str
    document_id: str | None = None
    status: Status | None = None
    error_code: str | None = None
    bucket_generation: int | None = None
    bucket_size: int | None = None
    record_generation: int | None = None
    shown_generation: int | None = None
    index: str | None = None
    calibration: str | None = None
    held_chunks: int | None = None
    chunk_count: int | None = None
    refused_by: Mapping[str, str] | None = None
    pages_without_text: tuple[int, ...] | None = None
    top_k: int
    threshold: float
    rank: int | None = None
    words: tuple[WordReport, ...] | None = None
    candidates: CandidateReport | None = None
    best: PassageReport | None = None
    joined: JoinedReport | None = None
    better: tuple[BetterResult, ...] | None = None

    @property
    def is_found(self) -> bool:
        return self.stage == "FOUND"
