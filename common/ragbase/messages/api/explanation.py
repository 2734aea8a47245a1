"""What /api/explain answers. `ragbase explain --json` prints the same."""

from __future__ import annotations

from ragbase.domain.calibration import CalibrationOrigin
from ragbase.domain.document import Status
from ragbase.domain.loss_stage import LossStage
from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.json_model import JsonModel


class WordFiguresBody(JsonModel):
    """`worth` is the term's share of the worth of all. `passages` of the index have it, `chunks` of the document."""

    term: str
    worth: float
    passages: int
    chunks: int
    in_file: bool | None = None


class CandidateFiguresBody(JsonModel):
    """The document's best places. Search takes `limit` chunks by meaning and as many by words, of `passages`."""

    by_meaning: int | None = None
    by_words: int | None = None
    limit: int
    looked_at: int
    passages: int
    chunks: int


class PassageFiguresBody(JsonModel):
    """The document's best chunk and its scores (docs/ranking.md)."""

    content: str
    metadata: ChunkMetadata
    confidence: float
    cosine: float
    background: float
    bm25: float
    coverage: float
    close_coverage: float
    dense_score: float
    sparse_score: float
    combined_score: float


class JoinedFiguresBody(JsonModel):
    """A piece of the text over a border between chunks, judged as if it were a chunk."""

    char_start: int
    char_end: int
    coverage: float
    chunk_coverage: float
    rank: int | None = None
    confidence: float


class BetterResultBody(JsonModel):
    """A result above the document."""

    rank: int
    document_id: str
    filename: str
    combined_score: float


class SearchSettingsBody(JsonModel):
    """What decides, beside the question, what is found. `model` is the embedding model; without an index it is left
    out."""

    model: str | None = None
    language: str
    chunk_size: int
    chunk_overlap: int
    chunk_unit: str


class ExplainResponse(JsonModel):
    """What search makes of one document. `filename` is its name in the bucket. What is not known, or does not matter at
    the stage, is left out."""

    stage: LossStage
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
    calibration: CalibrationOrigin | None = None
    held_chunks: int | None = None
    chunk_count: int | None = None
    refused_by: dict[str, str] | None = None
    pages_without_text: tuple[int, ...] | None = None
    top_k: int
    threshold: float
    rank: int | None = None
    words: tuple[WordFiguresBody, ...] | None = None
    candidates: CandidateFiguresBody | None = None
    best: PassageFiguresBody | None = None
    joined: JoinedFiguresBody | None = None
    better: tuple[BetterResultBody, ...] | None = None
    settings: SearchSettingsBody | None = None

    @property
    def is_found(self) -> bool:
        return self.stage is LossStage.FOUND
