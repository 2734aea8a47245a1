"""A publisher that refuses the messages of one document, whenever they come."""

from __future__ import annotations

import pytest

from ragbase.domain.document import Status
from ragbase.domain.errors import ErrorCode, PermanentError, Unavailable
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.object_event import EventKind
from ragbase.pipeline.route import route
from ragbase.ports import Topic
from ragbase.testing.publisher import MemoryPublisher
from ragbase.upkeep.dead_letters.replay import Fate, replay
from ragbase.upkeep.reconcile.compare import GRACE
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.retry import retry
from tests.simulation.world import BUCKET, World

TEXT = "Everyone may take twenty-five days of paid leave a year, to be agreed with the team in time."
REASON = "Its job cannot be published: The message is too large."


class Refusing(MemoryPublisher):
    """Takes no job of `large.md`."""

    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        if job.name == "large.md":
            raise PermanentError(ErrorCode.INTERNAL_ERROR, "The message is too large.")
        super().publish(topic, job, reason=reason)


@pytest.fixture
def world() -> World:
    """Both files are routed; the publisher has refused the job of one of them."""
    world = World()
    world.publisher = Refusing()
    for name in ("large.md", "small.md"):
        world.put(name, TEXT)
        route(world.events.popleft(), world.ports())
    return world


def test_the_document_fails_with_the_reason_and_the_others_go_on(world: World) -> None:
    record = world.record("large.md")
    assert record is not None and record.failure is not None
    assert (record.status, record.failure.reason) == (Status.FAILED, REASON)
    (dead_letter,) = world.dead_letters.page(limit=10)
    assert (dead_letter.name, dead_letter.reason) == ("large.md", REASON)
    assert [published.job.name for published in world.publisher.take()] == ["small.md"]


def test_a_retry_fails_again_and_keeps_the_dead_letter(world: World) -> None:
    after = retry(document_id(BUCKET, "large.md"), world.ports())
    assert after.status is Status.FAILED
    assert len(world.dead_letters.page(limit=10)) == 1


def test_a_replay_says_why_it_is_refused(world: World) -> None:
    (dead_letter,) = world.dead_letters.page(limit=10)
    done = replay(dead_letter, world.ports())
    assert (done.fate, done.reason) == (Fate.REFUSED, REASON)
    assert len(world.dead_letters.page(limit=10)) == 1


def test_it_is_completed_once_the_publisher_takes_its_job(world: World) -> None:
    world.publisher = MemoryPublisher()
    (dead_letter,) = world.dead_letters.page(limit=10)
    assert replay(dead_letter, world.ports()).fate is Fate.REPLAYED
    (published,) = world.publisher.take()
    world.handle(published.job)
    record = world.record("large.md")
    assert record is not None and record.status is Status.COMPLETED
    assert world.dead_letters.page(limit=10) == []


def test_a_deletion_needs_no_job(world: World) -> None:
    """Its chunks, if it had some, are left to the janitor."""
    stored = world.bucket.delete("large.md")
    assert stored is not None
    after = route(stored.event(EventKind.DELETED), world.ports())
    assert after is not None and after.tombstone
    assert len(world.dead_letters.page(limit=10)) == 1


def test_a_stuck_document_fails_when_the_janitor_publishes_its_job() -> None:
    world = World()

    class Away(MemoryPublisher):
        def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
            raise Unavailable("Pub/Sub does not answer.")

    world.publisher = Away()
    world.put("large.md", TEXT)
    with pytest.raises(Unavailable):
        route(world.events.popleft(), world.ports())
    world.publisher = Refusing()
    world.clock.advance(2 * GRACE)
    for _ in reconcile(world.ports(), world.index, repairs=True):
        pass
    record = world.record("large.md")
    assert record is not None and record.status is Status.FAILED
