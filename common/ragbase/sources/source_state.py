"""How far the run of a scheduled source is, and how the last one ended: one short text for each source.

A *run* is one sync of the source, from its first name to its last deletion. It is done in *slices*, each in one piece
by one process, which has the lease of the source meanwhile.
"""

from __future__ import annotations

from datetime import datetime

from ragbase.domain.lease import Lease
from ragbase.messages.json_model import JsonModel, read_json
from ragbase.messages.source_runs import RunCounts, RunPhase
from ragbase.sources.left_out_kinds import LeftOutKind
from ragbase.sources.sources_file import ScheduledSource


class SourceState(JsonModel):
    """`plan` is what the run was begun with. `address` is the source's own name, and `root` the folder of the bucket
    for its documents, as the last slice that opened the source has found them. All names up to `after` are compared,
    and with `is_listed` all there are; `present` and `gone` count documents for the check of their share. What has
    vanished is in `pages` (see VanishedPages), of which the first `deleted_pages` are done.

    `error` is why this run, or its last slice, failed, `file_error` why its first file did, and `error_before` what the
    run before ended with. `attempts` counts the slices since the last that got any further, `slice` all there were."""

    plan: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    has_failed: bool = False
    error: str | None = None
    file_error: str | None = None
    error_before: str | None = None
    counts: RunCounts = RunCounts()
    left_out: tuple[LeftOutKind, ...] = ()
    address: str | None = None
    root: str | None = None
    after: str = ""
    is_listed: bool = False
    present: int = 0
    gone: int = 0
    pages: int = 0
    deleted_pages: int = 0
    slice: int = 0
    attempts: int = 0
    seen_at: datetime | None = None
    lease_until: datetime | None = None

    @property
    def is_begun(self) -> bool:
        return self.started_at is not None and self.ended_at is None

    @property
    def last_error(self) -> str | None:
        """None if the last run that ended did so without one."""
        return self.error or self.file_error or (self.error_before if self.is_begun else None)

    def phase(self, now: datetime) -> RunPhase:
        if self.started_at is None:
            return RunPhase.NEVER
        if self.ended_at is None:
            return RunPhase.RUNNING if self.is_leased(now) else RunPhase.UNFINISHED
        return RunPhase.FAILED if self.has_failed else RunPhase.DONE

    def is_leased(self, now: datetime) -> bool:
        return self.lease_until is not None and Lease("", self.slice, self.lease_until).runs(now)

    def next_run(self, scheduled: ScheduledSource) -> datetime | None:
        """When the next slice is due; None for at once."""
        return None if self.started_at is None or self.is_begun else self.started_at + scheduled.every

    def begun(self, scheduled: ScheduledSource, now: datetime) -> SourceState:
        """A new run."""
        return SourceState(
            plan=plan_of(scheduled),
            started_at=now,
            error_before=self.last_error,
            address=self.address,
            root=self.root,
            slice=self.slice,
        )

    def ended(self, now: datetime, failure: str | None = None) -> SourceState:
        return self.model_copy(
            update={
                "ended_at": now,
                "has_failed": failure is not None,
                "error": failure,
                "pages": 0,
                "deleted_pages": 0,
                "lease_until": None,
            }
        )


def plan_of(scheduled: ScheduledSource) -> str:
    """What a run cannot change in the middle."""
    return repr((scheduled.address, scheduled.root, scheduled.delete, scheduled.force))


def read_state(text: str | None) -> SourceState:
    """The state in the text; that of a source that never ran if there is none."""
    return read_json(SourceState, text.encode(), "state of a source") if text is not None else SourceState()
