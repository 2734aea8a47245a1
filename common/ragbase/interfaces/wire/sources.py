"""The scheduled sources and their runs, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.engine.failed_documents import failed_of_sources
from ragbase.engine.wait import problem_of
from ragbase.interfaces.wire.left_out import LeftOutFiles, left_out_files
from ragbase.messages.json_model import JsonModel
from ragbase.sources.source_leases import SourceLeases
from ragbase.sources.source_state import RunCounts, RunPhase, SourceState
from ragbase.sources.sources_file import ScheduledSource

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document


class SourceSummary(JsonModel):
    """A scheduled source. The times, `counts` and `left_out` are of the run that goes on, or else of the last one, but
    that `counts.failed` counts the files that the run could not bring and the documents of the source that are FAILED
    now. `error` is the last error of a run, until one ends without one, or that of the first such document.
    `next_run_at` in the past means: as soon as somebody looks."""

    name: str
    address: str
    prefix: str | None
    delete: bool
    every_minutes: int
    state: RunPhase
    started_at: datetime | None
    ended_at: datetime | None
    next_run_at: datetime
    counts: RunCounts
    left_out: tuple[LeftOutFiles, ...] | None
    error: str | None


class SourceList(JsonModel):
    sources: tuple[SourceSummary, ...]


def source_list(sources: Iterable[ScheduledSource], profile: Profile) -> SourceList:
    leases, now = SourceLeases(profile.checkpoints, profile.clock), profile.clock.now()
    states = [(source, leases.state(source.name)) for source in sources]
    failed = failed_of_sources([state for _, state in states], bucket=profile.bucket, documents=profile.documents)
    return SourceList(
        sources=tuple(
            _summary(source, state, documents, now) for (source, state), documents in zip(states, failed, strict=True)
        )
    )


def _summary(source: ScheduledSource, state: SourceState, failed: Sequence[Document], now: datetime) -> SourceSummary:
    counts = state.counts
    return SourceSummary(
        name=source.name,
        address=source.address,
        prefix=source.root,
        delete=source.delete,
        every_minutes=int(source.every.total_seconds()) // 60,
        state=state.phase(now),
        started_at=state.started_at,
        ended_at=state.ended_at,
        next_run_at=state.next_run(source) or now,
        counts=counts.model_copy(update={"failed": counts.failed + len(failed)}),
        left_out=left_out_files(state.left_out),
        error=state.last_error or next((problem_of(document) for document in failed), None),
    )
