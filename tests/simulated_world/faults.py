"""The faults of a simulated world. A seed and a name decide each of them, so that each can be left out alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import NamedTuple


class Crash(BaseException):
    """The process dies here: no later code and no handler runs."""


class Kind(StrEnum):
    """What can go wrong with a port call, a message or a worker."""

    CRASH_BEFORE = "the worker dies before the call"
    CRASH_AFTER = "the worker dies after the call"
    FAIL_BEFORE = "the call fails with a transient error"
    FAIL_AFTER = "the call works, but its answer is lost"
    FAIL_MEANWHILE = "the call fails, and takes effect later"
    CRASH_MEANWHILE = "the worker dies during the call, which takes effect later"
    BREAK = "the call raises an unexpected error"
    STALL = "the worker stalls"
    OUTAGE = "a service is away for minutes"
    DUPLICATE = "the message is delivered twice"
    LATE = "the message is late"
    LOST = "the message is lost"
    UNACKNOWLEDGED = "the acknowledgement is lost"
    REFUSED = "the publisher refuses the messages of a document, whenever they come"
    SHARED = "an instance works on several jobs at once"
    RELEASE = "a deployment changes the settings"
    CLOCK = "the clock is put right, by an hour, a day or more"
    DAMAGE = "the index loses a chunk of a document, or has one too many"


CALL_FAULTS = (
    Kind.CRASH_BEFORE,
    Kind.CRASH_AFTER,
    Kind.CRASH_MEANWHILE,
    Kind.FAIL_BEFORE,
    Kind.FAIL_AFTER,
    Kind.FAIL_MEANWHILE,
    Kind.BREAK,
    Kind.STALL,
)
MESSAGE_FAULTS = (Kind.DUPLICATE, Kind.LATE, Kind.UNACKNOWLEDGED)
LOSSES = (0.0, 0.0, 0.0, 0.2)
"""How likely a message is lost. Queues promise to lose none; if one is lost, the janitor repairs it."""
_SHARE = 0.6
"""The share of the kinds of faults that one world has."""
_MOST_FAULTS = 0.12
"""The largest share of calls that go wrong: with more of them, almost no job would come to its end."""
LONGEST_STALL = 400.0
"""Seconds: more than an attempt may take."""
LATEST = 900.0
"""The most seconds that a message is late."""


_OUTAGES = (0, 0, 1, 2)
_SERVICES = ("documents", "bucket", "publisher", "indexes", "vectors", "embedder", "dead_letters")
_LATEST_OUTAGE = 600.0
_OUTAGE_SECONDS = (60.0, 900.0, 4000.0)
"""How long a service is away: up to more than an hour, in which a queue delivers a message more often than it may."""

_PUT_RIGHT = 0.15
"""The share of the worlds in which somebody puts the clock right, once or twice."""
_LATEST_PUT_RIGHT = 900.0
_HOURS = (-25.0, -24.0, -1.0, 1.0, 24.0, 25.0)

_BESIDE = 0.3
"""The share of the worlds in which calls of a port beside the others go wrong, too."""
_REFUSED = (0.0, 0.0, 0.0, 0.3)
_JOBS = (1, 2, 8)
_DEPLOYED = 0.5
"""The share of the worlds in which a deployment changes the settings."""
_NEW = 0.5
"""The share of the jobs that go to new instances while a deployment goes on."""
_LATEST_DEPLOYMENT = 300.0
_DEPLOYMENT_SECONDS = (1.0, 300.0, 900.0)
"""How long old and new instances work side by side."""

_SLOW, _SLOWER = 0.9, 20
"""One call in ten takes about twenty times as long. In this time, others can finish a whole job. It can also be longer
than a lease, so that a document loses its attempts to workers who only take it over from each other. No number of
retries is enough for a world that stays like this: it ends when nothing goes wrong any more."""


def random_of(name: str) -> Random:
    """A source of random numbers. The same name always gives the same numbers."""
    return Random(name)


class Outage(NamedTuple):
    """A port that answers no call between two times, in seconds."""

    port: str
    begins: float
    ends: float


class Jump(NamedTuple):
    """The clock is put right at a time, by so many seconds."""

    at: float
    by: float


class Step(NamedTuple):
    """What happens at one port call: how many seconds it takes, and what goes wrong."""

    seconds: float
    fault: Kind | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRates:
    """How likely each fault is, for each call or message. Each seed has its own rates: some worlds have one kind often,
    some have all kinds."""

    calls: tuple[tuple[float, Kind], ...]
    messages: dict[Kind, float]
    pace: float
    """The most seconds that a usual call takes."""
    outages: tuple[Outage, ...] = ()
    damage: float = 0.0
    """How likely the index is damaged for a document, once users are done."""
    refused: float = 0.0
    """How likely the messages of a document are refused."""
    jobs: int = 1
    """How many jobs an instance works on at once, at most."""
    deployment: tuple[float, float] | None = None
    """When instances with new settings begin to replace the old ones, and when they have, in seconds."""
    jumps: tuple[Jump, ...] = ()
    beside: bool = True
    """Whether the faults of calls strike those of a port beside the others."""

    @classmethod
    def of(cls, random: Random) -> FaultRates:
        threshold, calls = 0.0, []
        for kind in CALL_FAULTS:
            if random.random() < _SHARE:
                threshold += random.choice((0.003, 0.01, 0.03))
                calls.append((threshold, kind))
        less = min(1.0, _MOST_FAULTS / threshold) if calls else 1.0
        return cls(
            calls=tuple((less * threshold, kind) for threshold, kind in calls),
            messages={kind: random.choice((0.0, 0.1, 0.4)) for kind in MESSAGE_FAULTS}
            | {Kind.LOST: random.choice(LOSSES)},
            pace=random.choice((0.01, 0.1, 1.0)),
            outages=tuple(_outage(random) for _ in range(random.choice(_OUTAGES))),
            damage=random.choice((0.0, 0.5, 0.9)),
            refused=random.choice(_REFUSED),
            jobs=random.choice(_JOBS),
            deployment=_deployment(random),
            beside=random.random() < _BESIDE,
            jumps=_jumps(random),
        )

    @classmethod
    def none(cls) -> FaultRates:
        return cls(calls=(), messages={}, pace=0.01)


def _outage(random: Random) -> Outage:
    begins = random.uniform(0.0, _LATEST_OUTAGE)
    return Outage(random.choice(_SERVICES), begins, begins + random.choice(_OUTAGE_SECONDS))


def _jumps(random: Random) -> tuple[Jump, ...]:
    if random.random() >= _PUT_RIGHT:
        return ()
    times = [random.uniform(0.0, _LATEST_PUT_RIGHT) for _ in range(random.choice((1, 2)))]
    return tuple(Jump(at, 3600.0 * random.choice(_HOURS)) for at in times)


def _deployment(random: Random) -> tuple[float, float] | None:
    begins, length = random.uniform(0.0, _LATEST_DEPLOYMENT), random.choice(_DEPLOYMENT_SECONDS)
    return (begins, begins + length) if random.random() < _DEPLOYED else None


@dataclass(slots=True)
class Faults:
    """The faults of one run. `only` names those that may happen. Without it, all faults of the seed happen.

    Each task and each message has its own source of random numbers, and always draws equally many. So a fault that is
    left out at one place changes no draw at another.
    """

    seed: int
    rates: FaultRates
    only: Collection[str] | None = None
    happened: dict[str, Kind] = field(default_factory=dict)
    counts: Counter[Kind] = field(default_factory=Counter)
    stopped: bool = False
    """From now on nothing goes wrong."""

    def source(self, name: str) -> Random:
        return random_of(f"{self.seed} {name}")

    def call(self, task: str, number: int, position: int, source: Random) -> Step:
        """What happens at the `number`th port call of a task. The world has made `position` calls before it."""
        drawn, length = source.random(), source.random()
        seconds = self.rates.pace * length * (_SLOWER if length > _SLOW and not self.stopped else 1)
        for threshold, kind in self.rates.calls:
            if drawn < threshold:
                if not self._happens(f"{task} call {number}", kind):
                    break
                return Step(LONGEST_STALL * length, kind) if kind is Kind.STALL else Step(seconds, kind)
        return Step(seconds, None)

    def beside(self, task: str, number: int, position: int) -> Step:
        """What happens at the `number`th call that a task makes of a port beside the others. It takes no time, and has
        a source of its own: what else happens in the world of a seed is as it is without the port."""
        if not self.rates.beside:
            return Step(0.0, None)
        name = f"{task} beside"
        step = self.call(name, number, position, self.source(f"{name} {number}"))
        return step if step.fault is Kind.STALL else Step(0.0, step.fault)

    def is_away(self, port: str, seconds: float) -> bool:
        """Whether the port answers no call at this time."""
        return any(
            outage.port == port
            and outage.begins <= seconds < outage.ends
            and self._happens(f"outage {number}", Kind.OUTAGE)
            for number, outage in enumerate(self.rates.outages)
        )

    def jump(self, number: int) -> bool:
        """Whether this jump of the clock happens."""
        return self._happens(f"jump {number}", Kind.CLOCK)

    def message(self, name: str, kind: Kind, source: Random) -> float | None:
        """If the fault happens to the message: how many seconds late. Else None."""
        drawn, length = source.random(), source.random()
        if drawn < self.rates.messages.get(kind, 0.0) and self._happens(f"{name} {kind.name}", kind):
            return LATEST * length**4  # mostly short, so that events overtake each other
        return None

    def release(self, name: str, seconds: float) -> int:
        """Which settings a process with this name has at this time: 0, or 1 for those after the deployment."""
        if self.rates.deployment is None:
            return 0
        begins, ends = self.rates.deployment
        is_new = seconds >= ends or (seconds >= begins and self.source(f"release of {name}").random() < _NEW)
        return int(is_new and (self.stopped or self._happens("deployment", Kind.RELEASE)))

    def refuses(self, name: str, *, dead_letters: bool) -> bool:
        """Whether no message about a document with this name is taken. Some are taken as jobs, or as dead letters."""
        source = self.source(f"refusal of {name}")
        drawn, kind = source.random(), source.choice(("all", "jobs", "dead letters"))
        concerns = kind in ("all", "dead letters" if dead_letters else "jobs")
        return concerns and drawn < self.rates.refused and self._happens(f"refusal of {name}", Kind.REFUSED)

    def shares(self, task: str) -> bool:
        """Whether a task shares an instance that has another one."""
        return self._happens(f"{task} shares", Kind.SHARED)

    def damages(self, name: str) -> float | None:
        """If the index is damaged for this document: where, from 0 to 1. Else None."""
        source = self.source(f"damage of {name}")
        drawn, place = source.random(), source.random()
        return place if drawn < self.rates.damage and self._happens(f"damage of {name}", Kind.DAMAGE) else None

    def redeliveries(self) -> tuple[float, ...]:
        """For each redelivery of a message: how many seconds later than usual it comes."""
        return (0.0,)

    def _happens(self, name: str, kind: Kind) -> bool:
        if self.stopped or (self.only is not None and name not in self.only):
            return False
        self.happened[name] = kind
        self.counts[kind] += 1
        return True
