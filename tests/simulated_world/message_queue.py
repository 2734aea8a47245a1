"""A queue that delivers at least once, in any order and at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import NamedTuple

from ragbase.domain.document import Document
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from tests.simulated_world.faults import Crash, Faults, Kind
from tests.simulated_world.instances import Instance
from tests.simulated_world.schedule import Schedule

TRANSIT = 0.02
"""Seconds that a message takes when nothing delays it."""
_FIRST_BACKOFF, _LONGEST_BACKOFF = 10.0, 600.0
"""Seconds until a failed message is delivered again: Pub/Sub's defaults. (Our lanes on Google Cloud start at 20 s.)"""

FEWEST_DELIVERIES, MOST_DELIVERIES = 5, 20
"""After how many deliveries a message is undeliverable: Pub/Sub's default, and the lanes' setting."""

Command = Callable[[], object]
"""A call that a user or a scheduler repeats until it works."""


@dataclass(slots=True)
class Message:
    """`name` is unique in the run. It stays the same when other messages are left out."""

    name: str
    topic: str
    body: ObjectEvent | Job | Command
    reason: str = ""
    deliveries: int = 0
    given_up_after: int = 0
    """Deliveries that the message had before it became a dead letter."""


class Duplicate(NamedTuple):
    """An active document with the same bytes, the index that has it, and the release whose settings have made it."""

    document_id: str
    generation: int
    index_name: str
    release: int


@dataclass(slots=True)
class Task:
    """The work on one delivery. It calls ports, and each call may go wrong."""

    name: str
    message: Message
    source: Random
    calls: int = 0
    calls_beside: int = 0
    """Of the port that is beside the others (steps.py)."""
    held: set[tuple[str, str]] = field(default_factory=set)
    """Document id and text hash of each text that the vector store has held since the task began."""
    paid: set[tuple[str, str]] = field(default_factory=set)
    """The same for each text that this task has embedded."""
    duplicates: set[Duplicate] = field(default_factory=set)
    """Those that it had when it began."""
    instance: Instance = field(default_factory=Instance)
    """The process that does it."""
    claims: set[tuple[str, int]] = field(default_factory=set)
    """The claims that it has made: worker and number of each."""
    is_overdue: bool = False
    """Whether it takes so long that the queue has delivered the message again, and no longer hears how it ends."""
    is_excused: bool = False
    """Whether its attempt need not count: a service was away, or it has got further until its time was over."""
    breaks: int = 0
    """How many of its calls raised an unexpected error."""
    looked: datetime | None = None
    """When it last looked whether flips are held."""
    index: str = ""
    """The name of the index that was the current one when it last asked: it writes there."""
    written: set[tuple[str, int, str]] = field(default_factory=set)
    """Document id, generation and index of the chunks that it has written."""
    robbed: set[str] = field(default_factory=set)
    """Documents of which a late call of somebody else has removed chunks since the task wrote them."""
    disturbed: set[str] = field(default_factory=set)
    """Documents whose chunks somebody else has changed by a late call since the task began."""
    seen: dict[str, Document] = field(default_factory=dict)
    """Each record as its last update has found or left it, by document id."""

    @property
    def is_broken(self) -> bool:
        return self.breaks > 0


@dataclass(slots=True, kw_only=True)
class MessageQueue:
    """Gives each delivery to its own task. `begin` makes the task, `handle` does its work.

    A delivery that takes longer than `deadline` seconds counts as lost, except in topics `without_deadline`. After
    `max_deliveries`, a message of a topic `with_dead_letters` goes to `send_dead_letter`.
    """

    schedule: Schedule
    faults: Faults
    begin: Callable[[Message, str, Random], Task]
    handle: Callable[[Task], None]
    send_dead_letter: Callable[[Message, str], None]
    with_dead_letters: frozenset[str]
    without_deadline: frozenset[str]
    deadline: float
    max_deliveries: int
    report: Callable[[str, str], None]

    def send(self, message: Message) -> None:
        source = self.faults.source(message.name)
        late = self.faults.message(message.name, Kind.LATE, source)
        again = self.faults.message(message.name, Kind.DUPLICATE, source)
        lost = self.faults.message(message.name, Kind.LOST, source)
        if lost is not None and message.topic in self.with_dead_letters - self.without_deadline:
            self.report(message.name, "is lost")
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
                task.is_overdue = True
                self.report(task.name, "takes too long: the queue delivers the message again")
                self._deliver_again(0.0, task.message)

        if task.message.topic not in self.without_deadline:
            self.schedule.after(self.deadline, overdue)
        try:
            self.handle(task)
        except Crash:
            self.report(task.name, "dies")
            if task.message.topic in self.without_deadline:
                self._deliver_again(self.deadline, task.message)
            return  # the deadline of other topics will pass
        except (AttributeError, NameError, TypeError):  # a mistake in the code, or in a planted bug: end the run
            raise
        except Exception as error:  # noqa: BLE001 - the queue handles all errors alike
            self.report(task.name, f"fails: {error!r}")
            if not task.is_overdue:
                self._failed(task, f"{type(error).__name__}: {error}")
        else:
            if self.faults.message(task.name, Kind.UNACKNOWLEDGED, task.source) is not None:
                self.report(task.name, "is done, but its acknowledgement is lost")
                return
            self.report(task.name, "is done")
        finished = True

    def _failed(self, task: Task, reason: str) -> None:
        message = task.message
        if message.deliveries >= self.max_deliveries and message.topic in self.with_dead_letters:
            self.send_dead_letter(message, reason)
            return
        delay = min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** min(message.deliveries - 1, 10))
        self._deliver_again(delay * (0.75 + task.source.random() / 2), message)

    def _deliver_again(self, seconds: float, message: Message) -> None:
        for later in self.faults.redeliveries():
            self._deliver_in(seconds + later, message)
