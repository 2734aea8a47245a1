"""A queue that delivers at least once, and says nothing about order or time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.testing.faults import Crash, Faults, Kind
from ragbase.testing.schedule import Schedule

TRANSIT = 0.02
"""Seconds that a message takes when nothing delays it."""
_FIRST_BACKOFF, _LONGEST_BACKOFF = 10.0, 600.0
"""Seconds between deliveries of a message that was given back: ours of the lanes on Google Cloud."""

FEWEST_DELIVERIES, MOST_DELIVERIES = 5, 20
"""After how many a message is given up: Pub/Sub's default, and what the lanes have."""

Command = Callable[[], object]
"""What a user or a scheduler asks for, again and again until it has worked."""


@dataclass(slots=True)
class Message:
    """`name` tells it from all others of the run, and stays the same when other messages are left out of it."""

    name: str
    topic: str
    body: ObjectEvent | Job | Command
    reason: str = ""
    deliveries: int = 0
    given_up_after: int = 0
    """Deliveries that the message had before it became a dead letter."""


@dataclass(slots=True)
class Task:
    """One delivery at work: it calls ports, and each call may go wrong."""

    name: str
    message: Message
    source: Random
    calls: int = 0
    held: set[tuple[str, str]] = field(default_factory=set)
    """Document and text hash of what the vector store has had ever since the task began."""
    paid: set[tuple[str, str]] = field(default_factory=set)
    """What this task has had embedded, likewise."""
    twins: set[tuple[str, int]] = field(default_factory=set)
    """The live documents with equal bytes, and their generations, as the task began."""
    worker: str = ""


@dataclass(slots=True, kw_only=True)
class MessageQueue:
    """Hands messages to tasks of their own. `begin` makes the task of a delivery, `handle` is its work.

    `deadline` is how many seconds a delivery may take before the queue believes it lost. After `max_deliveries` a
    message of `mortal` topics goes to `bury` instead. Those of `patient` topics have all the time they want.
    """

    schedule: Schedule
    faults: Faults
    begin: Callable[[Message, str, Random], Task]
    handle: Callable[[Task], None]
    bury: Callable[[Message, str], None]
    mortal: frozenset[str]
    patient: frozenset[str]
    deadline: float
    max_deliveries: int
    says: Callable[[str, str], None]

    def send(self, message: Message) -> None:
        source = self.faults.source(message.name)
        late = self.faults.message(message.name, Kind.LATE, source)
        again = self.faults.message(message.name, Kind.DUPLICATE, source)
        lost = self.faults.message(message.name, Kind.LOST, source)
        if lost is not None and message.topic in self.mortal - self.patient:
            self.says(message.name, "is lost")
            return
        self._deliver_in(TRANSIT + (late or 0.0), message)
        if again is not None:
            self._deliver_in(TRANSIT + again, message)

    def _deliver_in(self, seconds: float, message: Message) -> None:
        self.schedule.after(seconds, lambda: self._deliver(message))

    def _deliver(self, message: Message) -> None:
        message.deliveries += 1
        name = f"{message.name}, delivery {message.deliveries}"
        task = self.begin(message, name, self.faults.source(name))
        self.schedule.spawn(lambda: self._work(task), task)

    def _work(self, task: Task) -> None:
        finished = False

        def overdue() -> None:
            if not finished:
                self.says(task.name, "takes so long that the queue delivers the message again")
                self._deliver_again(0.0, task.message)

        if task.message.topic not in self.patient:
            self.schedule.after(self.deadline, overdue)
        try:
            self.handle(task)
        except Crash:
            self.says(task.name, "is dead")
            if task.message.topic in self.patient:
                self._deliver_again(self.deadline, task.message)
            return  # or else it is overdue, sooner or later
        except Exception as error:  # noqa: BLE001 - the queue does not ask what it was
            self.says(task.name, f"gives the message back: {error!r}")
            self._given_back(task, f"{type(error).__name__}: {error}")
        else:
            if self.faults.message(task.name, Kind.UNACKNOWLEDGED, task.source) is not None:
                self.says(task.name, "is done, but its acknowledgement is lost")
                return
            self.says(task.name, "is done")
        finished = True

    def _given_back(self, task: Task, reason: str) -> None:
        message = task.message
        if message.deliveries >= self.max_deliveries and message.topic in self.mortal:
            self.bury(message, reason)
            return
        delay = min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** min(message.deliveries - 1, 10))
        self._deliver_again(delay * (0.75 + task.source.random() / 2), message)

    def _deliver_again(self, seconds: float, message: Message) -> None:
        for more in self.faults.redeliveries():
            self._deliver_in(seconds + more, message)
