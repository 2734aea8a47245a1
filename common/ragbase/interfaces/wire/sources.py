"""The scheduled sources and their last rounds, as the CLI and the function `sources` print them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from ragbase.engine.run_sources import SourceRun
from ragbase.messages.json_model import JsonModel
from ragbase.sources.described import DescribedSource
from ragbase.sources.rounds import SourceState


class RoundStatus(StrEnum):
    """`new` had no round yet, `paused` goes on with the next call, `failed` broke off."""

    NEW = "new"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"


class SourceSummary(JsonModel):
    """A source and its last round. Counts are of documents; `failures` are the first entries that failed alone, and
    `error` is why the round broke off."""

    name: str
    address: str
    status: RoundStatus
    begun_at: datetime | None = None
    ended_at: datetime | None = None
    completed_at: datetime | None = None
    next_at: datetime | None = None
    added: int = 0
    changed: int = 0
    deleted: int = 0
    unchanged: int = 0
    vanished: int = 0
    left_out: int = 0
    failed: int = 0
    failures: tuple[str, ...] = ()
    error: str | None = None


class SourceList(JsonModel):
    sources: tuple[SourceSummary, ...]


def source_summary(source: DescribedSource, state: SourceState | None, now: datetime) -> SourceSummary:
    if state is None:
        return SourceSummary(name=source.name, address=source.address, status=RoundStatus.NEW, next_at=now)
    return SourceSummary(
        name=source.name,
        address=source.address,
        status=_status(state, now),
        begun_at=state.begun,
        ended_at=state.ended,
        completed_at=state.completed,
        next_at=state.next_round(timedelta(hours=source.every)),
        added=state.added,
        changed=state.changed,
        deleted=state.deleted,
        unchanged=state.unchanged,
        vanished=state.vanished,
        left_out=state.left_out,
        failed=state.failed,
        failures=state.failures,
        error=state.error or None,
    )


def run_report(runs: Iterable[SourceRun], now: datetime) -> SourceList:
    return SourceList(sources=tuple(source_summary(run.source, run.state, now) for run in runs))


def _status(state: SourceState, now: datetime) -> RoundStatus:
    if state.is_held(now):
        return RoundStatus.RUNNING
    if state.ended is None:
        return RoundStatus.PAUSED
    return RoundStatus.FAILED if state.error else RoundStatus.COMPLETED
