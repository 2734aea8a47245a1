"""The durable local queue: one topic for each lane, at-least-once delivery, backoff, dead letters."""

from __future__ import annotations

import logging
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial

from pydantic import TypeAdapter, ValidationError

from ragbase import telemetry
from ragbase.adapters.embedded.database import Database
from ragbase.domain.dead_letter import Message, UnreadMessage
from ragbase.domain.errors import MalformedMessage, TransientError
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.messages.job_message import decode_job, encode_job
from ragbase.ports import Clock, Topic

UPLOADS = "uploads"
"""The topic of the bucket's own events."""

LEASE = 60.0
"""Seconds after which a received message is delivered again, unless its worker extends the time."""

MAX_DELIVERIES = 20
"""Deliveries after which a message becomes a dead letter, if not even its failure can be recorded."""

_LONGEST_DELAY = 60.0
_JITTER = 0.25
LONGEST_WAIT = _LONGEST_DELAY * (1 + _JITTER)
"""Seconds after which every message is due, whatever it waits for. One that is due later was written before the clock
was put back."""

_PUT_RIGHT = 1.0
"""Seconds by which the clock and the time since the machine has started must differ from before, for the clock to have
been put right. A slow correction, as NTP makes it, moves it by half a thousandth at most."""

_CLOCK = "The clock of this machine was put back. Messages that were due later are delivered now."

_EVENT = TypeAdapter(ObjectEvent)


@lru_cache(maxsize=128)  # a lane asks several times for the job that it has in hand
def _job(body: str) -> Job:
    return decode_job(body.encode())


@dataclass(frozen=True, slots=True)
class Delivery:
    """A received message. `attempts` counts its deliveries, this one included. Only dead letters have a `reason`."""

    id: int
    topic: str
    body: str
    attempts: int
    reason: str = ""

    @property
    def event(self) -> ObjectEvent:
        return _EVENT.validate_json(self.body)

    @property
    def job(self) -> Job:
        return _job(self.body)

    @property
    def message(self) -> Message:
        """The message, whatever its kind: dead letters come from every topic."""
        try:
            return self.job
        except MalformedMessage:
            pass
        try:
            return self.event
        except ValidationError:
            return UnreadMessage.of(self.body.encode(), {})


class LocalQueue:
    """Implements the Publisher port, and gives messages to the subscriptions of this process, `worker`.

    Messages are due at a time of the clock, since processes share them and end. Where the clock was put back, nothing
    waits for longer than LONGEST_WAIT; where it was put forward, or the machine has slept, no message that this process
    has in hand is delivered a second time.
    """

    def __init__(
        self, database: Database, clock: Clock, worker: str, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """`monotonic` counts seconds, whatever happens to the clock."""
        self._database = database
        self._clock = clock
        self._worker = worker
        self._monotonic = monotonic
        self._putting_right = threading.Lock()
        self._offset: float | None = None
        self._listeners: list[Callable[[str], None]] = []

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the topic whenever this process has added a message."""
        self._listeners.append(listener)

    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        body = encode_job(job).decode()
        self._database.write(
            lambda connection: self._insert(connection, topic.value, body, reason), durable=False, is_one_change=True
        )
        self._notify(topic.value)

    def announce(self, connection: sqlite3.Connection, event: ObjectEvent) -> None:
        """Add the bucket's event in the bucket's own transaction. The bucket calls `announced` after the commit."""
        self._insert(connection, UPLOADS, _EVENT.dump_json(event).decode(), "")

    def announced(self) -> None:
        self._notify(UPLOADS)

    def receive(self, topic: str, limit: int, done: Sequence[int] = ()) -> list[Delivery]:
        """Take up to `limit` messages, the oldest first, and delete those that are `done`, in one commit."""
        self._notice_clock()
        now = self._now()

        def take(connection: sqlite3.Connection) -> list[Delivery]:
            _delete(connection, done)
            rows = connection.execute(
                """
                UPDATE messages SET owner = ?, attempts = attempts + 1, visible_at = ?
                WHERE id IN (
                    SELECT id FROM messages WHERE topic = ? AND visible_at <= ? ORDER BY visible_at, id LIMIT ?
                )
                RETURNING id, topic, body, attempts, reason
                """,
                (self._worker, now + LEASE, topic, now, limit),
            ).fetchall()
            return sorted((Delivery(*row) for row in rows), key=lambda delivery: delivery.id)

        if not done and not self._waiting(topic, now):
            return []
        return self._database.write(take, durable=False)

    def waiting(self, topic: str, limit: int, *, newest: bool = False) -> list[Delivery]:
        """The next deliveries, the oldest first or the `newest`, without taking them. Others may take them, too, but
        `together`."""
        self._notice_clock()
        order = "visible_at DESC, id DESC" if newest else "visible_at, id"
        rows = self._database.reader.execute(
            f"""
            SELECT id, topic, body, attempts + 1, reason FROM messages
            WHERE topic = ? AND visible_at <= ? ORDER BY {order} LIMIT ?
            """,  # noqa: S608 - both are constants
            (topic, self._now(), limit),
        )
        return [Delivery(*row) for row in rows]

    @contextmanager
    def together(self) -> Iterator[list[int]]:
        """Handle messages in one commit with all that their handlers write: see Database.together. Gives a list for the
        ids of those that are done, which are deleted in the end."""
        with self._database.together():
            done: list[int] = []
            yield done
            self._database.write(lambda connection: _delete(connection, done))

    def postpone(self, delivery: Delivery, reason: str) -> None:
        """Give a message back: it is delivered again after 1, 2, 4 … 60 s, plus or minus a quarter. After
        MAX_DELIVERIES it becomes a dead letter. A dead letter is delivered until somebody takes it."""
        if delivery.attempts >= MAX_DELIVERIES and delivery.topic != Topic.DEAD_LETTER.value:
            statement = (
                "UPDATE messages SET topic = ?, reason = ?, attempts = 0, owner = NULL, visible_at = ? WHERE id = ?"
            )
            undeliverable = (
                f"The queue gave up: {delivery.topic} delivered it without success, {delivery.attempts} times. {reason}"
            )
            values: tuple[object, ...] = (Topic.DEAD_LETTER.value, undeliverable, self._now(), delivery.id)
        else:
            # Jitter: messages that failed together must not come back together. It decides nothing else.
            jitter = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311
            delay = min(_LONGEST_DELAY, 2.0 ** min(delivery.attempts - 1, 6)) * jitter
            statement = "UPDATE messages SET attempts = ?, owner = NULL, visible_at = ? WHERE id = ?"
            values = (delivery.attempts, self._now() + delay, delivery.id)
        self._database.write(lambda connection: connection.execute(statement, values), durable=False)

    def drain_dead_letters(self, keep: Callable[[Message, str, int], object]) -> None:
        """Call `keep` with every undeliverable message that is due, its reason and the number of its deliveries. If
        `keep` raises TransientError, the message stays in the queue."""
        done: list[int] = []
        while deliveries := self.receive(Topic.DEAD_LETTER.value, 100, done):
            done = []
            for delivery in deliveries:
                try:
                    keep(delivery.message, delivery.reason, MAX_DELIVERIES)
                except TransientError as error:
                    self.postpone(delivery, str(error))
                else:
                    done.append(delivery.id)

    def give_back(self, deliveries: Iterable[Delivery]) -> None:
        """Return messages that were taken but not started. This delivery does not count."""
        ids = [(self._now(), delivery.id) for delivery in deliveries]
        self._database.write(
            lambda connection: connection.executemany(
                "UPDATE messages SET owner = NULL, attempts = attempts - 1, visible_at = ? WHERE id = ?", ids
            ),
            durable=False,
        )

    def extend(self) -> None:
        """Keep all messages of this worker for another LEASE."""
        until = self._now() + LEASE
        self._database.write(
            lambda connection: connection.execute(
                "UPDATE messages SET visible_at = ? WHERE owner = ?", (until, self._worker)
            ),
            durable=False,
        )

    def release(self, worker: str) -> None:
        """Make the messages of a dead worker available at once."""
        now = self._now()
        self._database.write(
            lambda connection: connection.execute(
                "UPDATE messages SET owner = NULL, visible_at = ? WHERE owner = ?", (now, worker)
            ),
            durable=False,
        )

    def _notice_clock(self) -> None:
        """If the clock was put right since the last look, or this is the first one, let it change no wait."""
        offset = self._now() - self._monotonic()
        if self._offset is not None and abs(offset - self._offset) < _PUT_RIGHT:
            return
        with self._putting_right:
            if self._offset is not None:
                self.extend()
            self._pull_in()
            self._offset = offset

    def _pull_in(self) -> None:
        """Let no message be due later than it may be: those that a process has in hand after a LEASE, all others now.
        That process extends the time of its own."""
        now = self._now()
        query = "SELECT 1 FROM messages WHERE visible_at > ? LIMIT 1"
        if self._database.reader.execute(query, (now + LONGEST_WAIT,)).fetchone() is None:
            return
        late = self._database.write(
            lambda connection: (
                connection.execute(
                    "UPDATE messages SET visible_at = CASE WHEN owner IS NULL THEN ? ELSE ? END WHERE visible_at > ?",
                    (now, now + LEASE, now + LONGEST_WAIT),
                ).rowcount
            ),
            durable=False,
        )
        telemetry.log("queue.clock", level=logging.WARNING, messages=late, reason=_CLOCK)

    def depth(self, topic: str) -> int:
        """How many messages the topic holds, taken or not."""
        (count,) = self._database.reader.execute("SELECT count(*) FROM messages WHERE topic = ?", (topic,)).fetchone()
        return int(count)

    def _insert(self, connection: sqlite3.Connection, topic: str, body: str, reason: str) -> None:
        connection.execute(
            "INSERT INTO messages (topic, body, reason, visible_at) VALUES (?, ?, ?, ?)",
            (topic, body, reason, self._now()),
        )

    def _waiting(self, topic: str, now: float) -> bool:
        row = self._database.reader.execute(
            "SELECT 1 FROM messages WHERE topic = ? AND visible_at <= ? LIMIT 1", (topic, now)
        ).fetchone()
        return row is not None

    def _notify(self, topic: str) -> None:
        for listener in self._listeners:
            self._database.after_commit(partial(listener, topic))

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _delete(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    if ids:
        connection.executemany("DELETE FROM messages WHERE id = ?", [(id,) for id in ids])
