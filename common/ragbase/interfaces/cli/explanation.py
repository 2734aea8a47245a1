"""What `ragbase explain` prints for a person. docs/cli.md explains the stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ragbase.domain.calibration import CalibrationOrigin
from ragbase.domain.loss_stage import LossStage
from ragbase.interfaces.cli.excerpt import excerpt

if TYPE_CHECKING:
    from ragbase.messages.api.explanation import ExplainResponse

TITLES: Mapping[str, str] = {
    LossStage.FOUND: "found",
    LossStage.LEFT_OUT: "left out",
    LossStage.NOT_IN_BUCKET: "not in the bucket",
    LossStage.NO_RECORD: "no record yet",
    LossStage.WAITING: "waiting to be processed",
    LossStage.FAILED: "failed",
    LossStage.NOT_IN_INDEX: "not in the current index",
    LossStage.OTHER_TENANT: "of another tenant",
    LossStage.FILTERED: "filtered",
    LossStage.EXTRACTION: "extraction lost the words",
    LossStage.CHUNK_CUT: "chunk cut",
    LossStage.NOT_A_CANDIDATE: "not among the candidates",
    LossStage.BELOW_THRESHOLD: "below the threshold",
    LossStage.OUTRANKED: "outranked",
}
"""The stages as a person reads them."""

_CALIBRATIONS: Mapping[str, str] = {
    CalibrationOrigin.KNOWN: "the model's own constants",
    CalibrationOrigin.FITTED: "fitted to this index",
    CalibrationOrigin.LABELLED: "fitted to this index, with labelled questions",
    CalibrationOrigin.MISSING: "none for this model, so the confidence is a guess; make one with: ragbase calibrate",
}


def explanation_fields(one: ExplainResponse, query: str) -> Iterator[tuple[str, str]]:
    """The figures of each stage that was looked at."""
    stored = one.bucket_generation
    yield "bucket", f"generation {stored}, {one.bucket_size or 0:,} bytes" if stored is not None else "not there"
    if one.record_generation is not None:
        shown = one.shown_generation
        shows = f"search shows generation {shown}" if shown is not None else "search shows nothing"
        state = f"{one.status} at generation {one.record_generation}" if one.status is not None else "deleted"
        yield "record", f"{state}; {shows}"
    if one.chunk_count is not None:
        yield "index", f"{one.held_chunks or 0:,} of {one.chunk_count:,} chunks"
    for word in one.words or ():
        file = ", in the file" if word.in_file else ", not in the file" if word.in_file is False else ""
        yield (
            f"word {word.term}",
            f"{word.worth:.0%} of the worth, in {word.chunks:,} of its chunks and {word.passages:,} of the index{file}",
        )
    ranks, best = one.candidates, one.best
    if ranks is not None:
        yield "by meaning", f"{_place(ranks.by_meaning, ranks.looked_at)}; the best {ranks.limit:,} are candidates"
        yield "by words", f"{_place(ranks.by_words, ranks.looked_at)}; the best {ranks.limit:,} are candidates"
    if best is not None:
        yield "best chunk", excerpt(best.content, query)
        yield "place", f"characters {best.metadata.char_start:,}–{best.metadata.char_end:,}"
        yield "confidence", f"{best.confidence:.3f}, and the threshold is {one.threshold:g}"
        yield "calibration", _CALIBRATIONS.get(one.calibration or "", "not known")
        yield (
            "because of",
            f"cosine {best.cosine:.3f} (background {best.background:.3f}), coverage {best.coverage:.2f} "
            f"({best.close_coverage:.2f} among the nearest), BM25 {best.bm25:.1f}",
        )
        yield "rank score", f"{best.combined_score:.3f}"
        rank = f"{one.rank:,}" if one.rank is not None else "none"
        yield "rank", f"{rank}, and {one.top_k:,} were asked for"
    for better in one.better or ():
        yield f"result {better.rank}", f"{better.filename}, rank score {better.combined_score:.3f}"


def _place(place: int | None, looked_at: int) -> str:
    return f"number {place:,}" if place is not None else f"not among the first {looked_at:,}"
