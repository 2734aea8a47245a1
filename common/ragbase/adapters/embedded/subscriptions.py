"""Threads that take messages from the local queue and pass them to the use cases, as push subscriptions do."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice, takewhile
from typing import TypeVar

from ragbase import telemetry
from ragbase.adapters.embedded.local_queue import LEASE, Delivery, LocalQueue
from ragbase.domain.errors import ConfigurationError, RagbaseError, TransientError, Unavailable

_POLL = 0.25
"""Seconds between checks of the queue without a notification: for messages of other processes, and for retries."""

_POLL_WITHOUT_ROOM = 1.0
"""The same where there is no room for more than short messages."""

_NEWEST = 500
"""Messages among which the short ones are looked for then."""

_GROUP = 32
"""The most short messages in one commit. It limits how long others wait for the file."""

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0
"""Seconds between two tries of what the disk has refused."""

_REMEDY = "Free space on the disk, or stop the program that locks the file. ragbase then goes on by itself."

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Subscription:
    """What to do with a topic's messages, and in how many threads. Raising gives the message back to the queue.

    `done` is called after each message, as soon as others see what was done. A message for which `is_short` is true is
    handled in one commit with the next ones (LocalQueue.together). `has_room` raises Unavailable if there is no room
    for what messages write: then only short ones are handled.
    """

    handle: Callable[[Delivery], object]
    threads: int
    done: Callable[[Delivery], object] = lambda _: None
    is_short: Callable[[Delivery], bool] = lambda _: False
    has_room: Callable[[], object] = lambda: None


class Subscriptions:
    """The subscriptions of one process. A context manager: entering it starts the threads, leaving it stops them."""

    def __init__(
        self,
        queue: LocalQueue,
        subscriptions: Mapping[str, Subscription],
        tidy: Callable[[], object] = lambda: None,
        tidy_at_end: Callable[[], object] = lambda: None,
    ) -> None:
        """`tidy` is called now and then, `tidy_at_end` when all threads have ended."""
        self._queue = queue
        self._tidy = tidy
        self._tidy_at_end = tidy_at_end
        self._stopping = threading.Event()
        self._waiting = 0
        self._ended = False
        self._counting = threading.Lock()
        self._lanes = {topic: _Lane(topic, queue, subscription) for topic, subscription in subscriptions.items()}
        self._threads = [
            threading.Thread(target=self._work, args=(lane,), name=f"{topic}-{number}", daemon=True)
            for topic, lane in self._lanes.items()
            for number in range(lane.subscription.threads)
        ]
        self._threads.append(threading.Thread(target=self._keep_leases, name="leases", daemon=True))
        queue.listen(self._wake)

    def __enter__(self) -> Subscriptions:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Finish the messages in work, give back those that are not started, and end all threads."""
        self._stopping.set()
        for lane in self._lanes.values():
            lane.stop()
        for thread in self._threads:
            thread.join()
        try:
            for lane in self._lanes.values():
                lane.close()
        except (TransientError, sqlite3.Error, OSError) as error:
            # Finished messages are delivered again, and their work is already done.
            telemetry.log("queue.unavailable", level=logging.ERROR, reason=str(error), remedy=_REMEDY)
        self._tidy_at_end()

    def _wake(self, topic: str) -> None:
        lane = self._lanes.get(topic)
        if lane is not None:
            lane.wake()

    def _work(self, lane: _Lane) -> None:
        try:
            self._deliver(lane)
        except ConfigurationError as error:  # the file is damaged: who waits for the work learns it from the file, too
            if not self._ended:
                self._ended = True
                telemetry.log("queue.ended", level=logging.WARNING, reason=str(error))

    def _deliver(self, lane: _Lane) -> None:
        while not self._stopping.is_set():
            news = lane.news
            if not self._has_room(lane):
                self._persistently(partial(self._handle_short, lane, self._newest_short))
                lane.wait(news, _POLL_WITHOUT_ROOM)
                continue
            if not lane.has_ready:
                self._persistently(partial(self._handle_short, lane, self._next_short))
            delivery = self._persistently(lane.take)
            if delivery is None:
                lane.wait(news, _POLL)
            else:
                self._handle(lane, delivery)

    def _has_room(self, lane: _Lane) -> bool:
        """Whether there is room for the lane's messages. Reported once, however many threads wait, as in
        `_persistently`."""
        with lane.asking_for_room:
            reason = None
            try:
                lane.subscription.has_room()
            except Unavailable as error:
                reason = str(error)
            has_waited, lane.waits_for_room = lane.waits_for_room, reason is not None
            if lane.waits_for_room is not has_waited:
                self._note_waiting(1 if lane.waits_for_room else -1, reason or "")
        return reason is None

    def _handle_short(self, lane: _Lane, short: Callable[[_Lane, int], list[Delivery]]) -> None:
        """Handle the topic's messages as long as `short` gives some. The lane's other threads wait meanwhile: only one
        can write, and all share one interpreter."""
        with lane.handling_short:
            while not self._stopping.is_set() and short(lane, 1):
                self._handle_together(lane, short)

    def _handle_together(self, lane: _Lane, short: Callable[[_Lane, int], list[Delivery]]) -> None:
        done: list[Delivery] = []
        with self._queue.together() as ids:
            for delivery in short(lane, _GROUP):
                reason = self._problem_with(delivery, lane)
                if reason is None:
                    done.append(delivery)
                    ids.append(delivery.id)
                else:
                    self._queue.postpone(delivery, reason)
        for delivery in done:
            lane.subscription.done(delivery)

    def _next_short(self, lane: _Lane, limit: int) -> list[Delivery]:
        """The topic's next messages as long as they are short."""
        return list(takewhile(lane.subscription.is_short, self._queue.waiting(lane.topic, limit)))

    def _newest_short(self, lane: _Lane, limit: int) -> list[Delivery]:
        """Those of the newest that are short: where there is no room, others stay before them."""
        newest = self._queue.waiting(lane.topic, _NEWEST, newest=True)
        return list(islice(filter(lane.subscription.is_short, newest), limit))

    def _handle(self, lane: _Lane, delivery: Delivery) -> None:
        reason = self._problem_with(delivery, lane)
        if reason is not None:
            self._persistently(lambda: self._queue.postpone(delivery, reason))
        else:
            lane.done(delivery)
            lane.subscription.done(delivery)

    def _problem_with(self, delivery: Delivery, lane: _Lane) -> str | None:
        """Handle a message. Returns why it has to be delivered again; None if it is done."""
        try:
            lane.subscription.handle(delivery)
        except Exception as error:  # noqa: BLE001 - the queue keeps the last reason
            if not isinstance(error, RagbaseError):
                telemetry.log("delivery.error", level=logging.ERROR, topic=lane.topic, error=repr(error))
            return f"{type(error).__name__}: {error}"
        return None

    def _keep_leases(self) -> None:
        with suppress(ConfigurationError):  # as in _work
            while not self._stopping.wait(LEASE / 3):
                self._persistently(self._queue.extend)
                self._tidy()

    def _persistently(self, action: Callable[[], Result]) -> Result | None:
        """The result of `action`, as soon as it works: the disk may be full, or the file locked. Reported once, however
        many threads wait. None if the subscriptions stop before."""
        wait = _FIRST_WAIT
        is_waiting = False
        try:
            while True:
                try:
                    return action()
                except (TransientError, sqlite3.Error, OSError) as error:
                    if not is_waiting:
                        is_waiting = True
                        self._note_waiting(1, str(error))
                    if self._stopping.wait(wait):
                        return None
                    wait = min(2 * wait, _LONGEST_WAIT)
        finally:
            if is_waiting:
                self._note_waiting(-1)

    def _note_waiting(self, change: int, reason: str = "") -> None:
        """Report the first thread that waits for the file, and the moment when none waits any more."""
        with self._counting:
            before, self._waiting = self._waiting, self._waiting + change
            if before == 0:
                telemetry.log("queue.unavailable", level=logging.ERROR, reason=reason, remedy=_REMEDY)
            elif self._waiting == 0:
                telemetry.log("queue.available", level=logging.WARNING)


class _Lane:
    """One topic's messages in this process, taken in small batches. Each batch is acknowledged with the next one.

    If the process dies before that, the messages are delivered again, and their work is already done.
    """

    def __init__(self, topic: str, queue: LocalQueue, subscription: Subscription) -> None:
        self.topic = topic
        self.subscription = subscription
        self.news = 0
        self.waits_for_room = False
        self.asking_for_room = threading.Lock()
        self.handling_short = threading.Lock()
        self._queue = queue
        self._ready: deque[Delivery] = deque()
        self._done: list[int] = []
        self._taking = threading.Lock()
        self._changed = threading.Condition()

    @property
    def has_ready(self) -> bool:
        """Whether messages that were taken have not begun yet."""
        return bool(self._ready)

    def take(self) -> Delivery | None:
        """The next message, or None if there is none now."""
        with self._taking:
            if not self._ready:
                done = self._acknowledged()
                try:
                    batch = self._queue.receive(self.topic, 2 * self.subscription.threads, done)
                except BaseException:
                    with self._changed:
                        self._done += done
                    raise
                self._ready.extend(batch)
                self._notify(len(batch) - 1)
            return self._ready.popleft() if self._ready else None

    def done(self, delivery: Delivery) -> None:
        with self._changed:
            self._done.append(delivery.id)

    def wait(self, news: int, seconds: float) -> None:
        """Sleep until something new has come since `news` was read, but no longer than `seconds`."""
        with self._changed:
            if self.news == news:
                self._changed.wait(seconds)

    def wake(self) -> None:
        self._notify(1)

    def stop(self) -> None:
        self._notify(self.subscription.threads)

    def close(self) -> None:
        """Acknowledge finished messages and give back those that were not started."""
        self._queue.receive(self.topic, 0, self._acknowledged())
        self._queue.give_back(self._ready)
        self._ready.clear()

    def _acknowledged(self) -> list[int]:
        with self._changed:
            done, self._done = self._done, []
            return done

    def _notify(self, threads: int) -> None:
        if threads > 0:
            with self._changed:
                self.news += 1
                self._changed.notify(threads)
