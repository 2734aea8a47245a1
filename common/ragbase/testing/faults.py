"""What goes wrong in a simulated world, decided by a seed and by name, so that each fault can be left out alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import NamedTuple


class Crash(BaseException):
    """The process is gone: nothing after this call happens, no handler runs."""


class Kind(StrEnum):
    """What can be done to a port call, a message or a worker."""

    CRASH_BEFORE = "the worker dies before the call"
    CRASH_AFTER = "the worker dies after the call"
    FAIL_BEFORE = "the call fails in passing"
    FAIL_AFTER = "the call works, but its answer is lost"
    BREAK = "the call raises what nobody expects"
    STALL = "the worker stands still"
    DUPLICATE = "the message is delivered twice"
    LATE = "the message is late"
    LOST = "the message is lost"
    UNACKNOWLEDGED = "the acknowledgement is lost"


CALL_FAULTS = (Kind.CRASH_BEFORE, Kind.CRASH_AFTER, Kind.FAIL_BEFORE, Kind.FAIL_AFTER, Kind.BREAK, Kind.STALL)
MESSAGE_FAULTS = (Kind.DUPLICATE, Kind.LATE, Kind.UNACKNOWLEDGED)
LOSSES = (0.0, 0.0, 0.0, 0.2)
"""How likely a message is lost, against all promises of queues: what the janitor is for."""
_SHARE = 0.6
"""Of the kinds of faults, how many a world knows."""
LONGEST_STALL = 400.0
"""Seconds: more than three leases."""
LATEST = 900.0
"""Seconds by which a message is late at most."""


_SLOW, _SLOWER = 0.9, 20
"""One call in ten takes some twenty times as long as the others: while it does, others get through a whole job."""


def random_of(name: str) -> Random:
    """Always the same choices for a name."""
    return Random(name)  # noqa: S311 - nothing here is secret


class Step(NamedTuple):
    """What happens at one port call: how long it takes, in seconds, and what goes wrong."""

    seconds: float
    fault: Kind | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """How likely each fault is, a call or a message: each seed has its own, so that some worlds see one kind alone and
    often, and some see everything."""

    calls: tuple[tuple[float, Kind], ...]
    messages: dict[Kind, float]
    pace: float
    """Seconds that most calls take at most."""

    @classmethod
    def of(cls, random: Random) -> Weather:
        threshold, calls = 0.0, []
        for kind in CALL_FAULTS:
            if random.random() < _SHARE:
                threshold += random.choice((0.003, 0.01, 0.03))
                calls.append((threshold, kind))
        return cls(
            calls=tuple(calls),
            messages={kind: random.choice((0.0, 0.1, 0.4)) for kind in MESSAGE_FAULTS}
            | {Kind.LOST: random.choice(LOSSES)},
            pace=random.choice((0.01, 0.1, 1.0)),
        )

    @classmethod
    def calm(cls) -> Weather:
        return cls(calls=(), messages={}, pace=0.01)


@dataclass(slots=True)
class Faults:
    """The faults of one run. `only` names those that may happen; without it all do that the seed brings about.

    Each task and message draws from a source of its own, named after it, and always the same number of times: what is
    left out at one place changes nothing that is drawn at another.
    """

    seed: int
    weather: Weather
    only: Collection[str] | None = None
    happened: dict[str, Kind] = field(default_factory=dict)
    counts: Counter[Kind] = field(default_factory=Counter)
    healed: bool = False
    """Nothing goes wrong from here on."""

    def source(self, name: str) -> Random:
        return random_of(f"{self.seed} {name}")

    def call(self, task: str, number: int, position: int, source: Random) -> Step:
        """What happens at the `number`th port call of a task, before which the world made `position` calls."""
        drawn, length = source.random(), source.random()
        seconds = self.weather.pace * length * (_SLOWER if length > _SLOW else 1)
        for threshold, kind in self.weather.calls:
            if drawn < threshold:
                if not self._happens(f"{task} call {number}", kind):
                    break
                return Step(LONGEST_STALL * length, kind) if kind is Kind.STALL else Step(seconds, kind)
        return Step(seconds, None)

    def message(self, name: str, kind: Kind, source: Random) -> float | None:
        """How many seconds late where it happens to the message, else None."""
        drawn, length = source.random(), source.random()
        if drawn < self.weather.messages.get(kind, 0.0) and self._happens(f"{name} {kind.name}", kind):
            return LATEST * length**4  # mostly little, so that events overtake one another
        return None

    def redeliveries(self) -> tuple[float, ...]:
        """How many seconds later than usual a message is delivered again, each time that it is."""
        return (0.0,)

    def _happens(self, name: str, kind: Kind) -> bool:
        if self.healed or (self.only is not None and name not in self.only):
            return False
        self.happened[name] = kind
        self.counts[kind] += 1
        return True
