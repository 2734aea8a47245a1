"""The scheduled sources and their runs, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.messages.json_model import JsonModel
from ragbase.sources.source_leases import SourceLeases
from ragbase.sources.source_state import RunCounts, RunPhase
from ragbase.sources.sources_file import ScheduledSource

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


class SourceSummary(JsonModel):
    """A scheduled source. The times and `counts` are of the run that goes on, or else of the last one. `error` is the
    last error, until a run ends without one. `next_run_at` in the past means: as soon as somebody looks."""

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
    error: str | None


class SourceList(JsonModel):
    sources: tuple[SourceSummary, ...]


def source_list(sources: Iterable[ScheduledSource], profile: Profile) -> SourceList:
    leases, now = SourceLeases(profile.checkpoints, profile.clock), profile.clock.now()
    return SourceList(sources=tuple(_summary(source, leases, now) for source in sources))


def _summary(source: ScheduledSource, leases: SourceLeases, now: datetime) -> SourceSummary:
    state = leases.state(source.name)
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
        counts=state.counts,
        error=state.last_error,
    )
