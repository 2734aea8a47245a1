"""Run the sources of a file that are due, one after another, until the time is up."""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.bootstrap.sources import open_source
from ragbase.domain.errors import RagbaseError
from ragbase.sources.described import DescribedSource
from ragbase.sources.rounds import LEASE, MAX_FAILURES, Rounds, SourceState
from ragbase.sources.sync import SourceChange, sync

_SAVED_EVERY = timedelta(seconds=30)
"""Between two writes of the state while a slice runs. Firestore takes about one a second of one document."""


Syncing = Callable[[DescribedSource], Generator[tuple[SourceChange, str | None], None, None]]
"""Syncs a source, and yields what became of each name, and the error of one that failed."""


@dataclass(frozen=True, slots=True)
class SourceRun:
    """One slice of one source, as it ended."""

    source: DescribedSource
    state: SourceState


def run_sources(
    sources: Sequence[DescribedSource],
    profile: Profile,
    *,
    syncing: Syncing,
    asked: Collection[str] = (),
    end: datetime | None = None,
) -> Generator[SourceRun, None, None]:
    """A slice of each source that is due, or of those that were `asked` for, due or not; nothing of one that somebody
    else is running. The one that has waited longest comes first. None begins after `end`, and the one at work stops
    soon after it; the next call goes on.

    An error ends the round of its source and is in the state and the log; the other sources go on.
    """
    rounds, clock = Rounds(profile.checkpoints), profile.clock
    chosen = [source for source in sources if not asked or source.name in asked]
    for source in sorted(chosen, key=lambda source: _begun(rounds.state(source.name))):
        now = clock.now()
        if end is not None and now >= end:
            return
        every = timedelta(hours=source.every)
        state = rounds.take(source.name, uuid.uuid4().hex, every=every, now=now, asked=bool(asked))
        if state is not None:
            yield SourceRun(source, _Slice(source, profile, rounds, state, syncing=syncing, end=end).run())


def into_bucket(profile: Profile) -> Syncing:
    """Brings files into the bucket. Functions elsewhere do the rest."""

    def outcomes(source: DescribedSource) -> Generator[tuple[SourceChange, str | None], None, None]:
        with closing(open_source(source.address, profile, source.root)) as opened:
            profile.look_at_bucket()
            steps = sync(
                opened,
                profile.bucket,
                root=opened.root if source.root is None else source.root,
                delete=source.delete,
                allowed=profile.extractor.allowed,
            )
            for step in steps:
                yield step.change, step.error

    return outcomes


def _begun(state: SourceState | None) -> float:
    return state.begun.timestamp() if state is not None else 0.0


class _Slice:
    def __init__(
        self,
        source: DescribedSource,
        profile: Profile,
        rounds: Rounds,
        state: SourceState,
        *,
        syncing: Syncing,
        end: datetime | None,
    ) -> None:
        self._source = source
        self._profile = profile
        self._rounds = rounds
        self._before = state
        self._syncing = syncing
        self._end = end
        self._counts = Counter[SourceChange]()
        self._failures = list(state.failures)
        self._saved_at = profile.clock.now()

    def run(self) -> SourceState:
        """The state at its end, which is saved."""
        try:
            is_complete = self._sync()
        except RagbaseError as error:
            return self._ended(str(error))
        except Exception as error:  # noqa: BLE001 - in the state and the log; another source goes on
            return self._ended(f"{type(error).__name__}: {error}")
        return self._ended("") if is_complete else self._paused()

    def _sync(self) -> bool:
        """Whether the whole source was compared."""
        clock = self._profile.clock
        with closing(self._syncing(self._source)) as outcomes:
            for change, error in outcomes:
                self._counts[change if error is None else SourceChange.FAILED] += 1
                if error is not None:
                    self._failures.append(error)
                now = clock.now()
                if now - self._saved_at >= _SAVED_EVERY and not self._saved(now):
                    return False
                if self._end is not None and now >= self._end:
                    return False
        return True

    def _saved(self, now: datetime) -> bool:
        self._saved_at = now
        return self._rounds.save(self._source.name, replace(self._state(), held_until=now + LEASE))

    def _state(self) -> SourceState:
        before, counts = self._before, self._counts
        return replace(
            before,
            added=before.added + counts[SourceChange.ADDED],
            changed=before.changed + counts[SourceChange.CHANGED],
            deleted=before.deleted + counts[SourceChange.DELETED],
            unchanged=counts[SourceChange.UNCHANGED],
            vanished=counts[SourceChange.VANISHED],
            left_out=counts[SourceChange.LEFT_OUT],
            failed=before.failed + counts[SourceChange.FAILED],
            failures=tuple(dict.fromkeys(self._failures))[:MAX_FAILURES],
        )

    def _paused(self) -> SourceState:
        state = replace(self._state(), held_until=None)
        self._rounds.save(self._source.name, state)
        self._log("source.paused", state)
        return state

    def _ended(self, error: str) -> SourceState:
        now = self._profile.clock.now()
        state = self._state()
        completed = state.completed if error else now
        state = replace(state, ended=now, completed=completed, held_until=None, error=error)
        self._rounds.save(self._source.name, state)
        if error:
            self._log("source.failed", state, level=logging.ERROR, reason=error)
        else:
            self._log("source.completed", state)
        return state

    def _log(self, action: str, state: SourceState, *, level: int = logging.INFO, **facts: object) -> None:
        telemetry.log(
            action,
            level=level,
            source=self._source.name,
            added=state.added,
            changed=state.changed,
            deleted=state.deleted,
            unchanged=state.unchanged,
            failed=state.failed,
            **facts,
        )
