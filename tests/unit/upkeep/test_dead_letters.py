"""What becomes of messages that a queue gave up on: kept with the reason, and replayed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from ragbase.domain.dead_letter import DeadLetter, Message, UnreadMessage
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import Busy, ErrorCode, TransientError
from ragbase.domain.job import Job
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.object_event import EventKind
from ragbase.domain.passed import BETWEEN_DEAD_LETTERS
from ragbase.domain.transitions import failed
from ragbase.domain.work import Failure
from ragbase.ports import Topic
from ragbase.upkeep.dead_letters.find import find_dead_letters
from ragbase.upkeep.dead_letters.keep import INTERVAL, keep_dead_letter
from ragbase.upkeep.dead_letters.replay import Fate, Replay, replay
from ragbase.upkeep.retry import retry
from tests.simulation.world import LEASE, Crash, World

TEXT = "# Leave\n\nEveryone may take twenty-five days of paid leave a year, to be agreed with the team.\n"
GAVE_UP = "The queue gave up: lane delivered the message in vain, 20 times."


@pytest.fixture
def world() -> World:
    return World()


def routed(world: World, name: str = "leave.md") -> Job:
    """The job of an upload that has passed the router, taken from its lane."""
    world.put(name, TEXT)
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    return published.job


def record_of(world: World, name: str = "leave.md") -> Document:
    record = world.record(name)
    assert record is not None
    return record


def give_up(world: World, message: Message, reason: str = GAVE_UP) -> DeadLetter:
    """The queue gives the message up, and again after the longest wait if its document still has attempts left."""
    dead_letter = keep_dead_letter(message, reason, world, deliveries=20)
    while dead_letter is None:
        (again,) = world.publisher.take()
        world.clock.advance(BETWEEN_DEAD_LETTERS)
        dead_letter = keep_dead_letter(again.job, reason, world, deliveries=20)
    assert dead_letter is not None
    return dead_letter


def keep(world: World, message: Message) -> DeadLetter:
    """Another version, or a person, has kept the message."""
    now = world.clock.now()
    dead_letter = DeadLetter(
        message=message, attempts=20, code=ErrorCode.INTERNAL_ERROR, reason=GAVE_UP, first_seen=now, last_seen=now
    )
    world.dead_letters.keep(dead_letter)
    return dead_letter


def replayed(world: World, dead_letter: DeadLetter) -> Replay:
    return replay(dead_letter, world)


def kept(world: World) -> list[DeadLetter]:
    return list(find_dead_letters(world.dead_letters))


def exhaust(world: World, job: Job) -> DeadLetter:
    """The embedder stumbles over the text in all attempts; the lane gives up by itself."""
    world.embedder.failures = [TransientError("the embedder stumbles")] * (MAX_RETRIES + 1)
    for _ in range(MAX_RETRIES):
        with pytest.raises(TransientError, match="stumbles"):
            world.handle(job)
    world.handle(job)
    (published,) = [one for one in world.publisher.take() if one.topic is Topic.DEAD_LETTER]
    return give_up(world, published.job, published.reason)


def test_a_job_that_was_given_up_is_kept_and_its_document_failed(world: World) -> None:
    job = routed(world)
    dead_letter = give_up(world, job)
    record = record_of(world)
    assert record.failure is not None
    assert (record.status, record.failure.code, record.failure.reason) == (
        Status.FAILED,
        ErrorCode.INTERNAL_ERROR,
        GAVE_UP,
    )
    assert kept(world) == [dead_letter]
    assert (dead_letter.message, dead_letter.reason, dead_letter.document_id) == (job, GAVE_UP, record.id)


def test_the_lanes_own_reason_stays_and_the_dead_letter_has_it(world: World) -> None:
    dead_letter = exhaust(world, routed(world))
    failure = record_of(world).failure
    assert failure is not None
    assert (dead_letter.code, dead_letter.reason, dead_letter.attempts) == (
        failure.code,
        failure.reason,
        MAX_RETRIES + 1,
    )
    assert "Gave up after 3 retries" in dead_letter.reason and "the embedder stumbles" in dead_letter.reason


def test_the_last_attempts_reason_says_more_than_the_queues(world: World) -> None:
    job = routed(world)
    world.embedder.failures = [TransientError("the embedder is away")]
    with pytest.raises(TransientError):
        world.handle(job)
    dead_letter = give_up(world, job)
    failure = record_of(world).failure
    assert failure is not None and failure.reason == dead_letter.reason == "the embedder is away"
    assert dead_letter.attempts == 1


def test_a_document_that_is_not_to_blame_gets_another_job_until_it_has_waited_too_long(world: World) -> None:
    job = routed(world)
    for hours in range(24):
        assert keep_dead_letter(job, GAVE_UP, world, deliveries=100) is None
        (again,) = world.publisher.take()
        record = record_of(world)
        assert (again.topic, again.job, record.status, record.failure and record.failure.reason) == (
            Topic.FAST,
            job,
            Status.PENDING,
            GAVE_UP,
        ), hours
        world.clock.advance(timedelta(hours=1))
    dead_letter = keep_dead_letter(job, GAVE_UP, world, deliveries=100)
    assert record_of(world).status is Status.FAILED
    assert kept(world) == [dead_letter]


def test_jobs_that_are_given_up_twice_do_not_multiply(world: World) -> None:
    job = routed(world)
    assert keep_dead_letter(job, GAVE_UP, world, deliveries=100) is None
    for _ in range(3):
        with pytest.raises(Busy):
            keep_dead_letter(job, GAVE_UP, world, deliveries=100)
    (again,) = world.publisher.take()
    assert again.job == job
    world.clock.advance(INTERVAL)
    assert keep_dead_letter(job, GAVE_UP, world, deliveries=100) is None
    (again,) = world.publisher.take()
    world.handle(again.job)
    assert record_of(world).status is Status.COMPLETED


def test_an_event_that_is_given_up_leads_to_the_job_that_it_left_unsent(world: World) -> None:
    world.put("leave.md", TEXT)
    event = world.events.popleft()
    world.handle(event)
    world.publisher.take()  # the record is there, the job is lost
    assert keep_dead_letter(event, GAVE_UP, world, deliveries=100) is None
    world.run()
    assert record_of(world).status is Status.COMPLETED


def test_an_event_that_is_given_up_fails_the_open_record_of_an_older_generation(world: World) -> None:
    routed(world)
    world.put("leave.md", TEXT * 2)
    event = world.events.popleft()
    dead_letter = keep_dead_letter(event, GAVE_UP, world, deliveries=100)
    assert dead_letter is not None and kept(world) == [dead_letter]
    assert record_of(world).status is Status.FAILED
    assert replayed(world, dead_letter).fate is Fate.REPLAYED
    world.run()
    assert record_of(world).status is Status.COMPLETED


def test_what_a_worker_is_working_on_is_left_to_it(world: World) -> None:
    job = routed(world)
    world.embedder.failures = [Crash()]
    with pytest.raises(Crash):
        world.handle(job)
    with pytest.raises(Busy):
        give_up(world, job)
    assert kept(world) == []
    world.clock.advance(LEASE)
    give_up(world, job)
    assert record_of(world).status is Status.FAILED


def test_a_worker_that_claims_while_no_other_job_can_be_published_is_waited_for(world: World) -> None:
    """It may have the last delivery of the other copy. If it stops, only this message asks for the document."""
    job = routed(world)

    class LetsAWorkerClaim:
        def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
            world.embedder.failures = [Crash()]
            with pytest.raises(Crash):
                world.handle(job)
            raise ValueError("the publisher has a bug")

    with pytest.raises(Busy):
        keep_dead_letter(job, GAVE_UP, world.ports(publisher=LetsAWorkerClaim()), deliveries=100)
    assert kept(world) == []
    world.clock.advance(LEASE)
    assert keep_dead_letter(job, GAVE_UP, world, deliveries=100) is None
    world.run()
    assert record_of(world).status is Status.COMPLETED


def test_a_message_that_is_given_up_twice_is_one_dead_letter(world: World) -> None:
    job = routed(world)
    first = give_up(world, job)
    world.clock.advance(timedelta(minutes=1))
    again = give_up(world, job)
    assert kept(world) == [replace(again, first_seen=first.first_seen)]
    assert again.last_seen > first.last_seen


def test_a_job_of_an_unknown_document_and_bytes_that_nothing_reads_are_kept(world: World) -> None:
    unknown = give_up(world, Job(document_id="unknown", bucket="bucket", name="a.md", generation=1))
    unread = give_up(world, UnreadMessage.of(b"\xff", {}))
    assert {dead_letter.id for dead_letter in kept(world)} == {unknown.id, unread.id}
    assert (unknown.attempts, unread.document_id) == (20, None)
    assert [replayed(world, dead_letter).fate for dead_letter in (unknown, unread)] == [Fate.REFUSED] * 2
    assert len(kept(world)) == 2
    assert not world.publisher.take()


def test_a_replay_gives_a_failed_document_a_fresh_round(world: World) -> None:
    dead_letter = exhaust(world, routed(world))
    assert replayed(world, dead_letter) == Replay(dead_letter, Fate.REPLAYED)
    assert (record_of(world).status, record_of(world).attempts) == (Status.PENDING, 0)
    assert kept(world) == []
    world.run()
    assert record_of(world).status is Status.COMPLETED
    assert world.shown("leave.md") == [TEXT.strip()]


@pytest.mark.parametrize("times", [2, 3])
def test_a_replay_that_was_cut_short_can_be_done_again(world: World, times: int) -> None:
    dead_letter = exhaust(world, routed(world))
    for _ in range(times):
        replayed(world, dead_letter)
        world.dead_letters.keep(dead_letter)  # as after a crash before the dead letter was removed
    world.run()
    assert record_of(world).status is Status.COMPLETED
    assert replayed(world, dead_letter).fate is Fate.OUTDATED
    world.run()
    assert record_of(world).status is Status.COMPLETED
    assert kept(world) == []


def test_a_dead_letter_that_comes_again_while_it_is_replayed_stays(world: World) -> None:
    dead_letter = give_up(world, routed(world))
    again = replace(dead_letter, last_seen=dead_letter.last_seen + timedelta(seconds=1))

    class FailsAtOnce:
        def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
            world.dead_letters.keep(again)

    done = replay(dead_letter, world.ports(publisher=FailsAtOnce()))
    assert done.fate is Fate.REPLAYED
    assert kept(world) == [again]


def complete(world: World) -> None:
    retry(record_of(world).id, world)
    world.run()


def overwrite(world: World) -> None:
    world.put("leave.md", TEXT * 2)
    world.run()


def remove(world: World) -> None:
    world.delete("leave.md")
    world.run()


@pytest.mark.parametrize(
    ("settle", "reason"), [(complete, "COMPLETED"), (overwrite, "Another generation"), (remove, "DELETED")]
)
def test_a_replay_says_that_the_document_has_moved_on_and_changes_nothing(
    world: World, settle: Callable[[World], None], reason: str
) -> None:
    dead_letter = give_up(world, routed(world))
    settle(world)
    world.dead_letters.keep(dead_letter)
    before = record_of(world)
    done = replayed(world, dead_letter)
    world.run()
    assert done.fate is Fate.OUTDATED and reason in done.reason
    assert record_of(world) == before
    assert kept(world) == []


def test_the_replay_of_a_deletion_removes_the_chunks(world: World) -> None:
    world.put("leave.md", TEXT)
    world.run()
    world.delete("leave.md")
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    dead_letter = give_up(world, published.job)
    assert world.vectors.embeddings(record_of(world).id)
    replayed(world, dead_letter)
    world.run()
    assert not world.vectors.embeddings(record_of(world).id)


def test_an_upload_that_the_router_never_took_is_replayed_through_it(world: World) -> None:
    world.put("leave.md", TEXT)
    dead_letter = keep(world, world.events.popleft())
    assert replayed(world, dead_letter).fate is Fate.REPLAYED
    assert kept(world) == []
    world.run()
    assert record_of(world).status is Status.COMPLETED


@pytest.mark.parametrize("code", [ErrorCode.INTERNAL_ERROR, ErrorCode.TIMEOUT])
def test_an_upload_whose_job_the_router_could_not_publish_gets_another_round(world: World, code: ErrorCode) -> None:
    """The router has written the record, and the queue has given up the event before the job was published. Or another
    job has run out of time in every attempt."""
    world.put("leave.md", TEXT)
    (event,) = world.events
    world.handle(world.events.popleft())
    world.publisher.take()
    change = failed(event.generation, Failure(code, GAVE_UP), now=world.clock.now())
    world.documents.update(record_of(world).id, change)
    dead_letter = keep(world, event)
    assert replayed(world, dead_letter).fate is Fate.REPLAYED
    assert kept(world) == []
    world.run()
    assert record_of(world).status is Status.COMPLETED


def test_an_upload_that_was_overwritten_since_is_outdated(world: World) -> None:
    world.put("leave.md", TEXT * 2)
    old = world.events.popleft()
    dead_letter = keep(world, old)
    overwritten = keep(world, replace(old, kind=EventKind.DELETED))
    world.put("leave.md", TEXT)
    world.run()
    assert [replayed(world, one).fate for one in (dead_letter, overwritten)] == [Fate.OUTDATED] * 2
    world.run()
    assert world.shown("leave.md") == [TEXT.strip()]
    assert kept(world) == []


def test_an_upload_that_was_routed_since_is_outdated(world: World) -> None:
    world.put("short.md", "too short")
    (event,) = world.events
    world.run()
    dead_letter = keep(world, event)
    done = replayed(world, dead_letter)
    assert (done.fate, done.reason) == (Fate.OUTDATED, "The router has seen it already: the document is FAILED.")
    assert kept(world) == []


def test_an_event_of_another_bucket_is_refused_and_stays(world: World) -> None:
    world.put("leave.md", TEXT)
    dead_letter = give_up(world, replace(world.events.popleft(), bucket="other"))
    done = replayed(world, dead_letter)
    assert done.fate is Fate.REFUSED and "other" in done.reason
    assert kept(world) == [dead_letter]


def test_a_retry_removes_the_documents_dead_letters(world: World) -> None:
    job = routed(world)
    give_up(world, replace(job, part=1))
    give_up(world, job)
    other = give_up(world, routed(world, "other.md"))
    before = give_up(world, replace(job, generation=job.generation + 1))
    stored = world.bucket.stat("leave.md")
    assert stored is not None
    upload = stored.event(EventKind.FINALISED)
    give_up(world, upload)
    unheard = give_up(world, replace(upload, generation=upload.generation - 1))
    complete(world)
    assert {dead_letter.id for dead_letter in kept(world)} == {other.id, unheard.id}, "it may be an upload to come"
    assert before.id not in {dead_letter.id for dead_letter in kept(world)}, "every job was of a generation before"


def test_dead_letters_are_found_by_document_and_by_words_of_the_reason(world: World) -> None:
    jobs = [routed(world, f"{number}.md") for number in range(250)]
    for number, job in enumerate(jobs):
        give_up(world, job, f"Reason {number % 2} is long.")
        world.clock.advance(timedelta(seconds=1))
    found = list(find_dead_letters(world.dead_letters, reason="internal_error: reason 1"))
    assert [dead_letter.name for dead_letter in found] == [f"{number}.md" for number in range(249, 0, -2)]
    ids = [jobs[3].document_id, jobs[4].document_id, jobs[3].document_id]
    assert [one.name for one in find_dead_letters(world.dead_letters, document_ids=ids)] == ["3.md", "4.md"]
    assert [one.name for one in find_dead_letters(world.dead_letters, document_ids=ids, reason="Reason 1")] == ["3.md"]


def test_replaying_all_ends_even_if_each_dead_letter_comes_again(world: World) -> None:
    for number in range(120):
        give_up(world, routed(world, f"{number}.md"))
    count = 0
    for dead_letter in find_dead_letters(world.dead_letters):
        world.clock.advance(timedelta(seconds=1))
        replayed(world, dead_letter)
        world.publisher.take()
        give_up(world, dead_letter.message)
        count += 1
    assert count == 120 == len(kept(world))
