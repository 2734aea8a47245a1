"""What is said about one question and one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbase.domain.calibration import CalibrationOrigin
from ragbase.domain.chunk import Chunk
from ragbase.domain.document import Document
from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.loss_stage import LossStage
from ragbase.ports import StoredObject
from ragbase.retrieval.scoring import Facts, ScoreBreakdown


@dataclass(frozen=True, slots=True)
class WordFigures:
    """A term of the question. `worth` is its share of the worth of all terms. `passages` counts the passages of the
    index that have it, and `chunks` those of the document. `in_file` is None where it was not looked up: the chunks
    have the term, or the file is not a text."""

    term: str
    worth: float
    passages: int
    chunks: int
    in_file: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFigures:
    """The document's best chunk, as search judges it. `coverage` in `facts` is the share of the words' worth that it
    has. `background` is the query's: the cosine that a text on any other subject has."""

    chunk: Chunk
    facts: Facts
    background: float
    confidence: float
    breakdown: ScoreBreakdown


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFigures:
    """The best place of a chunk of the document by meaning and by words; None if it is beyond `looked_at`, or has none
    of the words. Search takes the first `limit` of each. `chunks` of the document are among them."""

    by_meaning: int | None
    by_words: int | None
    limit: int
    looked_at: int
    passages: int
    chunks: int


@dataclass(frozen=True, slots=True)
class BetterResult:
    """A result above the document."""

    rank: int
    document: Document
    combined_score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedFigures:
    """A piece of the text over a border between chunks, not longer than `chunks` of the longest one. It has `coverage`
    of the words' worth, and no chunk has more than `chunk_coverage`. As a chunk it would be result number `rank`, with
    this confidence; None if it would be none."""

    char_start: int
    char_end: int
    chunks: int
    coverage: float
    chunk_coverage: float
    rank: int | None
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class InIndex:
    """What the index has of the document, and what search makes of it. `pages_without_text` are those of a file with
    pages that no chunk is of. `lost_together` is the worth of the terms that the file has near each other and no chunk
    has. `calibration` says where the constants of the scores come from. `rank` is its place among all candidates that
    reach the threshold; None if it does not."""

    index: str
    calibration: CalibrationOrigin
    pages_without_text: Sequence[int]
    words: Sequence[WordFigures]
    lost_together: float
    candidates: CandidateFigures
    best: PassageFigures
    joined: JoinedFigures | None
    rank: int | None
    better: Sequence[BetterResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """What decides, beside the question, what is found. `model` is the embedding model of the index; None if there is
    no index."""

    model: str | None
    language: str
    chunk_size: int
    chunk_overlap: int
    chunk_unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """`reason` says it for a person, and `remedy` what can be done. `held_chunks` counts the chunks that the index has
    of the active generation. `refused_by` names the parts of the filter that leave the document out, with what it has
    instead. `in_index` is None if the index has nothing to judge. `left_out` says why the file is not taken from its
    folder or source, if it is LEFT_OUT. `model` is the embedding model of the index that was asked; None if there is
    none. `settings` are those of the profile."""

    stage: LossStage
    reason: str
    remedy: str | None
    name: str
    stored: StoredObject | None
    record: Document | None
    held_chunks: int | None
    refused_by: Mapping[str, str]
    top_k: int
    threshold: float
    in_index: InIndex | None
    model: str | None = None
    left_out: LeftOutFile | None = None
    settings: SearchSettings | None = None
