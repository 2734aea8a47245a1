"""How the rounds of a scheduled source go: one at a time, in slices, with a state that everybody can read.

A round compares the whole source. A slice that runs out of time ends without a fault, and the next one goes on: what is
in step already costs a comparison of marks. Only a slice that sees the whole source deletes anything (sources/sync.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from ragbase.ports import Checkpoints

LEASE = timedelta(minutes=15)
"""How long a slice may be silent before another takes its place: it was killed."""

MAX_FAILURES = 5
"""Messages of single entries that a state keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """The last round of a source. `ended` is None while it goes on, in this slice or the next. `holder` runs a slice
    until `held_until`. `error` is why the round broke off; `failures` are the first entries that failed alone.
    `completed` is when the last whole round ended. All counts are of documents: `unchanged` and `vanished` of the last
    slice, the others of the round."""

    begun: datetime
    ended: datetime | None = None
    completed: datetime | None = None
    holder: str = ""
    held_until: datetime | None = None
    added: int = 0
    changed: int = 0
    deleted: int = 0
    unchanged: int = 0
    vanished: int = 0
    left_out: int = 0
    failed: int = 0
    failures: tuple[str, ...] = ()
    error: str = ""

    def is_held(self, now: datetime) -> bool:
        """Whether somebody is running a slice."""
        return self.held_until is not None and now < self.held_until

    def next_round(self, every: timedelta) -> datetime:
        """When there is work again: at once while a round is unfinished or broke off."""
        return self.begun if self.ended is None or self.error else self.begun + every


_STATE = TypeAdapter(SourceState)


class Rounds:
    """The states of all sources, in the checkpoints."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._checkpoints = checkpoints

    def state(self, name: str) -> SourceState | None:
        """None before the first round, or if this version cannot read what another one wrote."""
        return _read(self._checkpoints.load(_key(name)))

    def take(
        self, name: str, holder: str, *, every: timedelta, now: datetime, asked: bool = False
    ) -> SourceState | None:
        """Begin a slice: go on with the unfinished round, or begin one if it is due or somebody has asked for it. None
        if it is not, or another one holds the source."""

        def taken(state: SourceState | None) -> SourceState | None:
            if state is not None and state.is_held(now):
                return state
            if state is not None and not asked and now < state.next_round(every):
                return state
            if state is None or state.ended is not None:
                completed = state.completed if state is not None else None
                state = SourceState(begun=now, completed=completed)
            return replace(state, holder=holder, held_until=now + LEASE)

        state = self._update(name, taken)
        return state if state is not None and state.holder == holder and state.is_held(now) else None

    def save(self, name: str, state: SourceState) -> bool:
        """Save how far a slice is. False if another one has taken its place meanwhile: then it has to stop."""

        def saved(stored: SourceState | None) -> SourceState | None:
            return state if stored is not None and stored.holder == state.holder else stored

        stored = self._update(name, saved)
        return stored == state

    def _update(self, name: str, change: Callable[[SourceState | None], SourceState | None]) -> SourceState | None:
        def text_of(text: str | None) -> str | None:
            before = _read(text)
            after = change(before)
            return text if after == before or after is None else _STATE.dump_json(after).decode()

        return _read(self._checkpoints.update(_key(name), text_of))


def _key(name: str) -> str:
    return f"source-{name}"


def _read(text: str | None) -> SourceState | None:
    try:
        return _STATE.validate_json(text) if text is not None else None
    except ValidationError:
        return None
