"""One slice of the run of a scheduled source: as much of a sync as the time allows, from where the last slice stopped.

A slice is done in legs of some seconds. After a leg all uploads of its names have ended, and the state says so: how far
the comparison is, what it counted, and which pages hold what has vanished. So a slice that is killed costs one leg, and
the next one compares its names again, which changes nothing. Deletions begin after the last name, and have the bound of
`sync`, over all slices together. Each deletes the generation that the comparison saw, and no other one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from datetime import datetime, timedelta

from ragbase import telemetry
from ragbase.domain.errors import Busy, RagbaseError, TransientError
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.name_forms import nfc
from ragbase.domain.program_files import ProgramFiles
from ragbase.formats.file_selection import FileSelection
from ragbase.formats.table import FORMATS
from ragbase.ports import Bucket, Checkpoints, Clock, DocumentSource, SourceEntry
from ragbase.sources.left_out_kinds import LeftOutKinds
from ragbase.sources.pairs import Pair, pairs
from ragbase.sources.source_leases import SourceLease, log_failure
from ragbase.sources.source_state import SourceState
from ragbase.sources.sync import WORKERS, SyncRun, done
from ragbase.sources.sync_step import SourceChange, SyncStep
from ragbase.sources.vanished_pages import VanishedPages

_LEG = timedelta(seconds=15)

Heartbeat = Callable[[Callable[[], bool]], AbstractContextManager[object]]
"""Calls the function now and then while the context is entered, so that the lease is renewed."""


def run_slice(
    lease: SourceLease,
    open_source: Callable[[], DocumentSource],
    *,
    bucket: Bucket,
    checkpoints: Checkpoints,
    clock: Clock,
    heartbeat: Heartbeat,
    allowed: Collection[str] = FORMATS,
    program_files: ProgramFiles | None = None,
    until: datetime | None = None,
) -> Iterator[SyncStep]:
    """Go on with the run until it ends, or until that time, and say what became of each name. Files of the formats
    `allowed` are uploaded, `program_files` are left out.

    How it ended is in `lease.state`, and in the log. Then the lease is free. Raises Unavailable if the state cannot be
    kept, and what is no error of ragbase after it has noted it.
    """
    selection = FileSelection(allowed, program_files)
    slice = _Slice(lease, bucket=bucket, checkpoints=checkpoints, clock=clock, selection=selection, until=until)
    try:
        with (
            heartbeat(lease.beat),
            closing(open_source()) as source,
            ThreadPoolExecutor(WORKERS, thread_name_prefix="sync") as workers,
        ):
            try:
                yield from slice.steps(source, workers)
            finally:
                workers.shutdown(wait=True, cancel_futures=True)
        slice.pause()
    except Busy as error:
        telemetry.log("source.taken_over", level=logging.WARNING, source=lease.source.name, reason=str(error))
    except TransientError as error:
        slice.postpone(str(error))
    except RagbaseError as error:
        slice.fail(str(error))
    except Exception as error:
        slice.fail(f"{type(error).__name__}: {error}")
        raise
    finally:
        with suppress(Busy):
            lease.release(lease.state)


class _TimeUp(Exception):
    """The slice is over."""


class _Slice:
    def __init__(
        self,
        lease: SourceLease,
        *,
        bucket: Bucket,
        checkpoints: Checkpoints,
        clock: Clock,
        selection: FileSelection,
        until: datetime | None,
    ) -> None:
        self._lease = lease
        self._scheduled = lease.source
        self._bucket = bucket
        self._clock = clock
        self._selection = selection
        self._until = until
        self._state = lease.state
        self._counts = lease.state.counts
        self._left_out = LeftOutKinds(lease.state.left_out)
        self._file_error = lease.state.file_error
        self._compared = lease.state.after
        self._is_listed = lease.state.is_listed
        self._vanished = VanishedPages(checkpoints, lease.source.name, slice=lease.state.slice, count=lease.state.pages)

    def steps(self, source: DocumentSource, workers: Executor) -> Iterator[SyncStep]:
        root = nfc(source.root if self._scheduled.root is None else self._scheduled.root)
        self._state = self._state.model_copy(update={"address": source.address, "root": root})
        run = SyncRun(
            source,
            self._bucket,
            root,
            delete=self._scheduled.delete,
            force=self._scheduled.force,
            dry_run=False,
            selection=self._selection,
        )
        run.present, run.vanished = self._state.present, self._state.gone
        run.left_out = self._counts.left_out
        if not self._state.is_listed:
            yield from self._compare(run, source, root, workers)
        if self._state.is_listed:
            run.check_address()
            if self._scheduled.delete:
                run.check_share()
                yield from self._delete(run)
            if self._state.deleted_pages == self._state.pages:
                self._end()
                telemetry.log("source.done", source=self._scheduled.name, **self._counts.model_dump())

    def pause(self) -> None:
        """After a slice without a fault: if it got no further, that counts as one."""
        if self._state.is_begun and self._state.attempts:
            self.postpone("The list of this source took longer than a slice. Divide it into several sources.")

    def postpone(self, reason: str) -> None:
        """The next slice tries again, unless too many did."""
        if self._state.attempts > MAX_RETRIES:
            self.fail(reason)
            return
        telemetry.log("source.postponed", level=logging.WARNING, source=self._scheduled.name, reason=reason)
        with suppress(Busy):
            self._keep(self._state.model_copy(update={"error": reason}))

    def fail(self, reason: str) -> None:
        """Nothing more is done in this run: the next one begins at the first name."""
        log_failure(self._scheduled.name, reason)
        with suppress(Busy):
            self._end(reason)

    def _compare(self, run: SyncRun, source: DocumentSource, root: str, workers: Executor) -> Iterator[SyncStep]:
        all = pairs(_Timed(source, self._is_over), self._bucket, root, after=self._state.after)
        while not self._is_listed and not self._is_over():
            yield from self._counted(done(run.uploads(self._leg(all), self._vanished.add), workers))
            self._vanished.flush()
            if self._is_listed or self._compared != self._state.after:
                self._keep(
                    self._progress(
                        after=self._compared,
                        is_listed=self._is_listed,
                        present=run.present,
                        gone=run.vanished,
                        pages=self._vanished.count,
                    )
                )

    def _leg(self, all: Iterator[Pair]) -> Iterator[Pair]:
        """The next pairs, for some seconds."""
        began = self._clock.now()
        try:
            for pair in all:
                self._compared = pair.place
                yield pair
                is_late = not began <= self._clock.now() < began + _LEG  # also if the clock was put back
                if is_late or self._is_over():
                    return
        except _TimeUp:
            return
        self._is_listed = True

    def _delete(self, run: SyncRun) -> Iterator[SyncStep]:
        while self._state.deleted_pages < self._state.pages and not self._is_over():
            page = self._state.deleted_pages
            yield from self._counted(run.deletions(self._vanished.read(page)))
            self._keep(self._progress(deleted_pages=page + 1))

    def _counted(self, steps: Iterator[SyncStep]) -> Iterator[SyncStep]:
        for step in steps:
            self._counts = self._counts.with_some(step.change.name.lower(), step.files)
            if step.left_out is not None:
                self._left_out.add(step.left_out)
            if step.change is SourceChange.FAILED and self._file_error is None:
                self._file_error = step.error
            yield step

    def _progress(self, **changed: object) -> SourceState:
        counted = {"counts": self._counts, "left_out": self._left_out.all(), "file_error": self._file_error}
        return self._state.model_copy(update={"attempts": 0, "error": None, **counted, **changed})

    def _end(self, failure: str | None = None) -> None:
        self._keep(self._state.ended(self._clock.now(), failure))
        self._vanished.clear()

    def _keep(self, state: SourceState) -> None:
        """Raises Busy if another process has taken over."""
        self._lease.save(state)
        self._state = state

    def _is_over(self) -> bool:
        return self._until is not None and self._clock.now() >= self._until


class _Timed:
    """A source whose list ends with _TimeUp when the slice is over: one without order is read as a whole before the
    first name is compared."""

    def __init__(self, source: DocumentSource, is_over: Callable[[], bool]) -> None:
        self._source = source
        self._is_over = is_over
        self.address = source.address
        self.root = source.root
        self.in_order = source.in_order
        self.read = source.read
        self.close = source.close

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        for entry in self._source.entries(after=after):
            if self._is_over():
                raise _TimeUp
            yield entry
