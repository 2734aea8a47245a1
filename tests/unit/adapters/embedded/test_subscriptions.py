"""The threads that take messages from the local queue: short messages share a commit."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.local_queue import Delivery, LocalQueue
from ragbase.adapters.embedded.subscriptions import Subscription, Subscriptions
from ragbase.adapters.system.clock import SystemClock
from ragbase.domain.errors import Unavailable
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.ports import Topic

TOPIC = Topic.FAST.value


@pytest.fixture
def queue(database: Database) -> LocalQueue:
    return LocalQueue(database, SystemClock(), "worker")


def publish(queue: LocalQueue, *names: str) -> None:
    for name in names:
        queue.publish(Topic.FAST, Job(document_id=document_id("b", name), bucket="b", name=name, generation=1))


def never(_: Delivery) -> bool:
    return False


def always(_: Delivery) -> bool:
    return True


class Handled:
    """Writes each job as a message of the topic `handled`. Refuses those named `refused`."""

    def __init__(self, queue: LocalQueue, database: Database, awaited: int) -> None:
        self._queue = queue
        self._database = database
        self._awaited = awaited
        self.seen_when_done: dict[str, int] = {}
        self.is_over = threading.Event()

    def handle(self, delivery: Delivery) -> None:
        if delivery.job.name == "refused":
            raise Unavailable("not now")
        insert = "INSERT INTO messages (topic, body, reason, visible_at) VALUES ('handled', ?, '', 0)"
        self._database.write(lambda connection: connection.execute(insert, (delivery.job.name,)))

    def done(self, delivery: Delivery) -> None:
        self.seen_when_done[delivery.job.name] = self._queue.depth("handled")
        if len(self.seen_when_done) == self._awaited:
            self.is_over.set()

    def by(self, is_short: Callable[[Delivery], bool], threads: int = 2) -> Subscriptions:
        return Subscriptions(self._queue, {TOPIC: Subscription(self.handle, threads, self.done, is_short)})


@pytest.mark.parametrize("is_short", [never, always])
def test_each_message_is_handled_once_and_then_said_to_be_done(
    queue: LocalQueue, database: Database, is_short: Callable[[Delivery], bool]
) -> None:
    names = [f"{number}.md" for number in range(100)]
    publish(queue, *names)
    handled = Handled(queue, database, awaited=len(names))
    with handled.by(is_short):
        assert handled.is_over.wait(30)
    assert handled.seen_when_done.keys() == set(names)
    assert (queue.depth("handled"), queue.depth(TOPIC)) == (len(names), 0)


def test_short_messages_share_a_commit_and_are_done_after_it(queue: LocalQueue, database: Database) -> None:
    publish(queue, *"abc")
    handled = Handled(queue, database, awaited=3)
    with handled.by(always):
        assert handled.is_over.wait(30)
    assert handled.seen_when_done == {"a": 3, "b": 3, "c": 3}


def test_a_short_message_that_fails_comes_later_and_the_others_are_done(queue: LocalQueue, database: Database) -> None:
    publish(queue, "a", "refused", "b")
    handled = Handled(queue, database, awaited=2)
    with handled.by(always):
        assert handled.is_over.wait(30)
    assert (queue.depth("handled"), queue.depth(TOPIC)) == (2, 1)

    query = "SELECT attempts, owner FROM messages WHERE topic = ?"
    assert database.reader.execute(query, (TOPIC,)).fetchone() == (1, None)


def test_a_message_that_takes_long_ends_the_short_ones_before_it(queue: LocalQueue, database: Database) -> None:
    publish(queue, "a", "b", "long", "c")
    handled = Handled(queue, database, awaited=4)
    with handled.by(lambda delivery: delivery.job.name != "long", threads=1):
        assert handled.is_over.wait(30)
    assert handled.seen_when_done == {"a": 2, "b": 2, "long": 3, "c": 4}
