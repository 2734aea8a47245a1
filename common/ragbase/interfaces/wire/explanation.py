"""The bodies of /api/explain. `ragbase explain --json` prints the same."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import Field, StringConstraints

from ragbase.domain.limits import MAX_PATH
from ragbase.interfaces.wire.chunk_metadata import chunk_metadata
from ragbase.interfaces.wire.query import QuestionRequest
from ragbase.messages.api.explanation import (
    BetterResultBody,
    CandidateFiguresBody,
    ExplainResponse,
    JoinedFiguresBody,
    PassageFiguresBody,
    SearchSettingsBody,
    WordFiguresBody,
)
from ragbase.retrieval.explain.explanation import Explanation, InIndex


class ExplainRequest(QuestionRequest):
    """A question as it was asked, and the document that it should find."""

    document: Annotated[str, StringConstraints(min_length=1, max_length=MAX_PATH)] = Field(
        description="the id of a document, or its name in the bucket"
    )


def explain_response(one: Explanation) -> ExplainResponse:
    record, seen = one.record, one.in_index
    active = record.active if record is not None else None
    return ExplainResponse(
        stage=one.stage,
        reason=one.reason,
        remedy=one.remedy,
        filename=one.name,
        document_id=record.id if record is not None else None,
        status=record.status if record is not None and not record.tombstone else None,
        error_code=record.failure.code.value if record is not None and record.failure is not None else None,
        bucket_generation=one.stored.generation if one.stored is not None else None,
        bucket_size=one.stored.size if one.stored is not None else None,
        record_generation=record.generation if record is not None else None,
        shown_generation=active.generation if active is not None else None,
        index=seen.index if seen is not None else None,
        calibration=seen.calibration if seen is not None else None,
        held_chunks=one.held_chunks,
        chunk_count=active.chunk_count if active is not None else None,
        refused_by=dict(one.refused_by) or None,
        pages_without_text=(tuple(seen.pages_without_text) or None) if seen is not None else None,
        top_k=one.top_k,
        threshold=one.threshold,
        rank=seen.rank if seen is not None else None,
        words=_words(seen) if seen is not None else None,
        candidates=_candidates(seen) if seen is not None else None,
        best=_best(seen) if seen is not None else None,
        joined=_joined(seen) if seen is not None else None,
        better=_better(seen) if seen is not None else None,
        settings=SearchSettingsBody(**asdict(one.settings)) if one.settings is not None else None,
    )


def _words(seen: InIndex) -> tuple[WordFiguresBody, ...]:
    return tuple(
        WordFiguresBody(
            term=word.term, worth=word.worth, passages=word.passages, chunks=word.chunks, in_file=word.in_file
        )
        for word in seen.words
    )


def _candidates(seen: InIndex) -> CandidateFiguresBody:
    ranks = seen.candidates
    return CandidateFiguresBody(
        by_meaning=ranks.by_meaning,
        by_words=ranks.by_words,
        limit=ranks.limit,
        looked_at=ranks.looked_at,
        passages=ranks.passages,
        chunks=ranks.chunks,
    )


def _best(seen: InIndex) -> PassageFiguresBody:
    best = seen.best
    return PassageFiguresBody(
        content=best.chunk.text,
        metadata=chunk_metadata(best.chunk),
        confidence=best.confidence,
        cosine=best.facts.cosine,
        background=best.background,
        bm25=best.facts.bm25,
        coverage=best.facts.coverage,
        close_coverage=best.facts.close_coverage,
        dense_score=best.breakdown.dense_score,
        sparse_score=best.breakdown.sparse_score,
        combined_score=best.breakdown.combined_score,
    )


def _joined(seen: InIndex) -> JoinedFiguresBody | None:
    joined = seen.joined
    if joined is None:
        return None
    return JoinedFiguresBody(
        char_start=joined.char_start,
        char_end=joined.char_end,
        coverage=joined.coverage,
        chunk_coverage=joined.chunk_coverage,
        rank=joined.rank,
        confidence=joined.confidence,
    )


def _better(seen: InIndex) -> tuple[BetterResultBody, ...]:
    return tuple(
        BetterResultBody(
            rank=better.rank,
            document_id=better.document.id,
            filename=better.document.source,
            combined_score=better.combined_score,
        )
        for better in seen.better
    )
