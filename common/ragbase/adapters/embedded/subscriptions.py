"""Threads that take messages from the local queue and hand them to the use cases, as push subscriptions do."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ragbase import telemetry
from ragbase.adapters.embedded.queue import LEASE, Delivery, LocalQueue
from ragbase.domain.errors import RagbaseError

_POLL = 0.25
"""Seconds between looks at the queue when nothing is heard: for other processes' messages, and for retries."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """What is done with a topic's messages, and by how many threads. Raising gives the message back to the queue."""

    handle: Callable[[Delivery], None]
    threads: int


class Subscriptions:
    """The running subscriptions of one process. Used as a context: entered it works, left it has stopped."""

    def __init__(self, queue: LocalQueue, subscriptions: Mapping[str, Subscription]) -> None:
        self._queue = queue
        self._stopping = threading.Event()
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
        """Finish what is in work, give back what is not begun, and end all threads."""
        self._stopping.set()
        for lane in self._lanes.values():
            lane.stop()
        for thread in self._threads:
            thread.join()
        for lane in self._lanes.values():
            lane.close()

    def _wake(self, topic: str) -> None:
        lane = self._lanes.get(topic)
        if lane is not None:
            lane.wake()

    def _work(self, lane: _Lane) -> None:
        while not self._stopping.is_set():
            news = lane.news
            delivery = lane.take()
            if delivery is None:
                lane.wait(news, _POLL)
            else:
                self._handle(lane, delivery)

    def _handle(self, lane: _Lane, delivery: Delivery) -> None:
        try:
            lane.subscription.handle(delivery)
        except Exception as error:  # noqa: BLE001 - the queue delivers again, and keeps the reason of the last time
            if not isinstance(error, RagbaseError):
                telemetry.log("delivery.error", level=logging.ERROR, topic=lane.topic, error=repr(error))
            self._queue.postpone(delivery, f"{type(error).__name__}: {error}")
        else:
            lane.done(delivery)

    def _keep_leases(self) -> None:
        while not self._stopping.wait(LEASE / 3):
            self._queue.extend()


class _Lane:
    """One topic's messages in this process: taken ahead in small lots, acknowledged with the next lot.

    A process that dies before it has acknowledged gets the same messages again, and finds their work done.
    """

    def __init__(self, topic: str, queue: LocalQueue, subscription: Subscription) -> None:
        self.topic = topic
        self.subscription = subscription
        self.news = 0
        self._queue = queue
        self._ready: deque[Delivery] = deque()
        self._done: list[int] = []
        self._taking = threading.Lock()
        self._changed = threading.Condition()

    def take(self) -> Delivery | None:
        """The next message, or None where there is none just now."""
        with self._taking:
            if not self._ready:
                lot = self._queue.receive(self.topic, 2 * self.subscription.threads, self._acknowledged())
                self._ready.extend(lot)
                self._notify(len(lot) - 1)
            return self._ready.popleft() if self._ready else None

    def done(self, delivery: Delivery) -> None:
        with self._changed:
            self._done.append(delivery.id)

    def wait(self, news: int, seconds: float) -> None:
        """Sleep until something has come after `news` was read, but no longer than `seconds`."""
        with self._changed:
            if self.news == news:
                self._changed.wait(seconds)

    def wake(self) -> None:
        self._notify(1)

    def stop(self) -> None:
        self._notify(self.subscription.threads)

    def close(self) -> None:
        """Acknowledge what is done and give back what was not begun."""
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
