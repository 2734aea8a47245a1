"""What /api/sources answers. `ragbase sources list --json` prints the same."""

from __future__ import annotations

from datetime import datetime

from ragbase.messages.json_model import JsonModel
from ragbase.messages.source_runs import RunCounts, RunPhase


class LeftOutFiles(JsonModel):
    """`count` files of one kind that were left out, and why. `endings` are those of their names, the first twenty.
    `files` names each of them, if that was asked for."""

    kind: str
    count: int
    endings: tuple[str, ...]
    reason: str
    files: tuple[str, ...] | None = None


class SourceSummary(JsonModel):
    """A scheduled source. The times, `counts` and `left_out` are of the run that goes on, or else of the last one, but
    that `counts.failed` counts the files that the run could not bring and the documents of the source that are FAILED
    now. `error` is the last error of a run, until one ends without one, or that of the first such document.
    `next_run_at` in the past means: as soon as somebody looks."""

    name: str
    address: str
    prefix: str | None = None
    delete: bool
    every_minutes: int
    state: RunPhase
    started_at: datetime | None = None
    ended_at: datetime | None = None
    next_run_at: datetime
    counts: RunCounts
    left_out: tuple[LeftOutFiles, ...] | None = None
    error: str | None = None


class SourceList(JsonModel):
    sources: tuple[SourceSummary, ...]


class SourcesResponse(SourceList):
    """`error` says what is wrong with the file that describes the sources: then none of them runs."""

    error: str | None = None
