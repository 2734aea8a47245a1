"""Who works on a scheduled source: one process at a time, by a lease that runs out if the process dies."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime

from ragbase import telemetry
from ragbase.domain.errors import Busy
from ragbase.domain.lease import SOURCE_LEASE, Lease
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.passed import is_ahead
from ragbase.leases.kept_lease import FREE, KeptLease
from ragbase.ports import Checkpoints, Clock
from ragbase.sources.source_state import SourceState, plan_of, read_state
from ragbase.sources.sources_file import ScheduledSource

BEAT = SOURCE_LEASE.total_seconds() / 4
"""Seconds between two beats, which renew the lease: two may fail."""

KILLED = (
    f"{MAX_RETRIES + 1} slices of this run ended before they got any further, without a word: their process was "
    "killed, perhaps for its time or its memory."
)


class SourceLease:
    """The right to work on one source, and its state as this process knows it."""

    def __init__(self, source: ScheduledSource, state: SourceState, kept: KeptLease) -> None:
        self.source = source
        self.state = state
        self._kept = kept

    def beat(self) -> bool:
        """Renew the lease. False if somebody else has it."""
        return self._kept.renew()

    def save(self, state: SourceState) -> None:
        """Raises Busy if somebody else has taken over."""
        self._note(state, self._kept.renew(lambda _: _text(state)))

    def release(self, state: SourceState) -> None:
        """Save the state and let others work on the source. Raises Busy as `save` does."""
        self._note(state, self._kept.give_back(lambda _: _text(state)))

    def _note(self, state: SourceState, is_kept: bool) -> None:
        if not is_kept:
            raise Busy(f"Another process has taken over the source {self.source.name}, and goes on with it.")
        self.state = state


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
        given_up = False

        def begin(text: str | None) -> tuple[str | None, bool]:
            nonlocal given_up
            given_up = False
            state = read_state(text)
            if not (now or _is_due(state, source, moment)):
                return text, False
            if not state.is_begun or state.plan != plan_of(source):
                state = state.begun(source, moment)
            elif state.attempts > MAX_RETRIES and not now:
                given_up = True
                return _text(state.ended(moment, state.error or KILLED)), False
            begun = state.model_copy(update={"attempts": state.attempts + 1, "seen_at": moment})
            return _text(begun), True

        kept = KeptLease(
            _place(source.name),
            self._checkpoints,
            self._clock,
            length=SOURCE_LEASE,
            lease_in=_lease_in,
            with_lease=_with_lease,
        )
        is_taken = kept.take(begin=begin)
        if given_up:
            log_failure(source.name, self.state(source.name).error or KILLED)
        return SourceLease(source, self.state(source.name), kept) if is_taken else None


def log_failure(source: str, reason: str) -> None:
    """An alert counts this entry (terraform/log_metrics.tf)."""
    telemetry.log("source.failed", level=logging.ERROR, source=source, reason=reason)


def _is_due(state: SourceState, source: ScheduledSource, now: datetime) -> bool:
    next_run = state.next_run(source)
    if next_run is None or state.plan != plan_of(source):
        return True
    return next_run <= now or is_ahead(next_run - source.every, now)  # the clock was put back since the last run


def _place(name: str) -> str:
    return f"source-{name}"


def _text(state: SourceState) -> str:
    return state.to_json().decode()


def _lease_in(text: str | None) -> Lease:
    """The number of the slice names the claim."""
    state = read_state(text)
    return Lease("", state.slice, state.lease_until or FREE.until)


def _with_lease(text: str | None, lease: Lease) -> str:
    until = lease.until if lease.until != FREE.until else None
    return _text(read_state(text).model_copy(update={"slice": lease.claim, "lease_until": until}))
