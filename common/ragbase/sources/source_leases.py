"""Who works on a scheduled source: one process at a time, by a lease that runs out if the process dies."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from ragbase import telemetry
from ragbase.domain.errors import Busy
from ragbase.domain.limits import MAX_RETRIES
from ragbase.ports import Checkpoints, Clock
from ragbase.sources.source_state import SourceState, plan_of, read_state
from ragbase.sources.sources_file import ScheduledSource

LEASE = timedelta(minutes=2)
BEAT = LEASE.total_seconds() / 4
"""Seconds between two beats, which renew the lease: two may fail."""

KILLED = (
    f"{MAX_RETRIES + 1} slices of this run ended before they got any further, without a word: their process was "
    "killed, perhaps for its time or its memory."
)


class SourceLease:
    """The right to work on one source, and its state as this process knows it."""

    def __init__(self, source: ScheduledSource, state: SourceState, checkpoints: Checkpoints, clock: Clock) -> None:
        self.source = source
        self.state = state
        self._checkpoints = checkpoints
        self._clock = clock

    def beat(self) -> bool:
        """Renew the lease. False if somebody else has it."""
        until = self._clock.now() + LEASE

        def change(state: SourceState) -> SourceState:
            is_free = state.lease_until is None  # a beat that is late
            return state if is_free else state.model_copy(update={"lease_until": until})

        return self._update(change)

    def save(self, state: SourceState) -> None:
        """Raises Busy if somebody else has taken over."""
        self._replace(state.model_copy(update={"lease_until": self._clock.now() + LEASE}))

    def release(self, state: SourceState) -> None:
        """Save the state and let others work on the source. Raises Busy as `save` does."""
        self._replace(state.model_copy(update={"lease_until": None}))

    def _replace(self, state: SourceState) -> None:
        if not self._update(lambda _: state):
            raise Busy(f"Another process has taken over the source {self.source.name}, and goes on with it.")
        self.state = state

    def _update(self, change: Callable[[SourceState], SourceState]) -> bool:
        mine = False

        def attempt(text: str | None) -> str | None:
            nonlocal mine
            state = read_state(text)
            mine = state.slice == self.state.slice
            return _text(change(state)) if mine else text

        self._checkpoints.update(_place(self.source.name), attempt)
        return mine


class SourceLeases:
    """The states of all sources, and their leases."""

    def __init__(self, checkpoints: Checkpoints, clock: Clock) -> None:
        self._checkpoints = checkpoints
        self._clock = clock

    def state(self, name: str) -> SourceState:
        return read_state(self._checkpoints.load(_place(name)))

    def due(self, sources: Iterable[ScheduledSource]) -> Sequence[ScheduledSource]:
        """Those with something to do, the one that was worked on longest ago first, so that a large one does not hold
        up the others."""
        now = self._clock.now()
        found = [(self.state(source.name), source) for source in sources]
        due = [(state, source) for state, source in found if _is_due(state, source, now)]
        return [
            source for _, source in sorted(due, key=lambda one: one[0].seen_at.timestamp() if one[0].seen_at else 0)
        ]

    def take(self, source: ScheduledSource, *, now: bool = False) -> SourceLease | None:
        """The lease for one slice: of the run that is not finished, or of a new one if it is due or `now` is set. None
        if somebody else has it, or nothing is due.

        A run of which too many slices got no further ends here, as FAILED.
        """
        moment = self._clock.now()
        taken: SourceState | None = None
        given_up = False

        def change(text: str | None) -> str | None:
            nonlocal taken, given_up
            taken, given_up = None, False
            state = read_state(text)
            if state.is_leased(moment) or not (now or _is_due(state, source, moment)):
                return text
            if not state.is_begun or state.plan != plan_of(source):
                state = state.begun(source, moment)
            elif state.attempts > MAX_RETRIES and not now:
                given_up = True
                return _text(state.ended(moment, state.error or KILLED))
            taken = state.model_copy(
                update={
                    "slice": state.slice + 1,
                    "attempts": state.attempts + 1,
                    "seen_at": moment,
                    "lease_until": moment + LEASE,
                }
            )
            return _text(taken)

        self._checkpoints.update(_place(source.name), change)
        if given_up:
            log_failure(source.name, self.state(source.name).error or KILLED)
        return SourceLease(source, taken, self._checkpoints, self._clock) if taken is not None else None


def log_failure(source: str, reason: str) -> None:
    """An alert counts this entry (terraform/log_metrics.tf)."""
    telemetry.log("source.failed", level=logging.ERROR, source=source, reason=reason)


def _is_due(state: SourceState, source: ScheduledSource, now: datetime) -> bool:
    next_run = state.next_run(source)
    return next_run is None or next_run <= now or state.plan != plan_of(source)


def _place(name: str) -> str:
    return f"source-{name}"


def _text(state: SourceState) -> str:
    return state.to_json().decode()
