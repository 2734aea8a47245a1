"""What the pipeline does with each kind of event, seen from its ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.claim_transitions import claimed
from ragbase.domain.document import Change, Status, Transition
from ragbase.domain.errors import Busy, ErrorCode, TransientError
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.lease import DOCUMENT_LEASE, Lease
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.object_event import EventKind
from ragbase.domain.page_range import PART_PAGES
from ragbase.pipeline.claim import end_leases
from ragbase.ports import Embeddings
from ragbase.upkeep.retry import retry
from scripts.local_cloud.pdf import pdf
from tests.simulation.world import LEASE, Crash, World

TEXT = "# Leave\n\nEveryone may take twenty-five days of paid leave a year, to be agreed with the team.\n"
LONG = "\n\n".join(
    f"## Rule {n}\n\nRule number {n} says that whoever reads it first explains it to the others. " * 2
    for n in range(12)
)


@pytest.fixture
def world() -> World:
    return World()


def routed(world: World, name: str = "leave.md", text: str = TEXT) -> Job:
    """The job of an upload that has passed the router, taken from its lane."""
    world.put(name, text)
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    return published.job


def test_an_upload_is_completed_and_shown(world: World) -> None:
    world.put("leave.md", TEXT)
    world.run()
    record = world.record("leave.md")
    assert record is not None and record.active is not None
    assert (record.status, record.retry_count, record.lease) == (Status.COMPLETED, 0, None)
    assert record.active.chunk_count == len(world.shown("leave.md")) == 1
    assert record.usage.embedded_texts == len(world.embedder.texts) == 1


def test_an_overwrite_replaces_the_text(world: World) -> None:
    world.put("leave.md", LONG)
    world.run()
    world.put("leave.md", TEXT)
    world.run()
    assert world.shown("leave.md") == [TEXT.strip()]
    assert len(world.vectors.embeddings(world.record("leave.md").id)) == 1  # type: ignore[union-attr]  # it was put


def test_until_the_flip_the_old_text_is_shown(world: World) -> None:
    world.put("leave.md", TEXT)
    world.run()
    world.put("leave.md", LONG)
    world.handle(world.events.popleft())
    record = world.record("leave.md")
    assert record is not None and record.status is Status.PENDING
    assert world.shown("leave.md") == [TEXT.strip()]


def test_a_delete_leaves_a_tombstone_and_no_chunk(world: World) -> None:
    world.put("leave.md", TEXT)
    world.run()
    world.delete("leave.md")
    world.run()
    record = world.record("leave.md")
    assert record is not None and record.tombstone and record.active is None
    assert world.vectors.embeddings(record.id) == {}
    assert world.documents.count() == 0


def test_late_events_of_the_past_change_nothing(world: World) -> None:
    world.put("leave.md", TEXT)
    world.delete("leave.md")
    world.put("leave.md", LONG)
    finalised, deleted, revived = world.events
    world.events.clear()
    for event in (revived, deleted, finalised, deleted, revived):
        world.handle(event)
    world.run()
    assert world.shown("leave.md")[0].startswith("## Rule 0")


def test_the_end_of_an_overwritten_generation_is_no_delete(world: World) -> None:
    """Cloud Storage announces it, sometimes before the new generation, and not always marked as overwritten."""
    world.put("leave.md", TEXT)
    world.run()
    old = world.bucket.stat("leave.md")
    assert old is not None
    world.put("leave.md", LONG)
    world.handle(old.event(EventKind.DELETED))
    assert world.shown("leave.md") == [TEXT.strip()]
    world.run()
    assert world.shown("leave.md")[0].startswith("## Rule 0")


def test_an_edit_embeds_only_what_is_new(world: World) -> None:
    world.put("rules.md", LONG)
    world.run()
    world.embedder.texts.clear()
    world.put("rules.md", LONG.replace("Rule number 7", "Rule number seven"))
    world.run()
    assert 1 <= len(world.embedder.texts) <= 3
    assert all("Rule 7" in text or "seven" in text for text in world.embedder.texts)


def test_equal_bytes_under_another_name_cost_nothing(world: World) -> None:
    world.put("a.md", LONG)
    world.run()
    world.embedder.texts.clear()
    world.put("b.md", LONG)
    world.run()
    assert world.embedder.texts == []
    assert world.shown("a.md") == world.shown("b.md") != []
    duplicate = world.record("b.md")
    assert duplicate is not None and duplicate.active is not None
    assert duplicate.active.duplicate_of == world.record("a.md").id  # type: ignore[union-attr]  # it was put
    world.delete("a.md")
    world.run()
    assert len(world.shown("b.md")) == duplicate.active.chunk_count


def test_equal_bytes_of_another_format_are_no_duplicate(world: World) -> None:
    text = '"Leave is to be agreed with the team at least two weeks before."'
    world.put("a.txt", text)
    world.put("b.json", text)
    world.run()
    assert world.shown("a.txt") == [text] != world.shown("b.json")


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("photo.psd", "x\0" * 50, ErrorCode.UNSUPPORTED_FORMAT),
        ("short.md", "too short", ErrorCode.TEXT_TOO_SHORT),
        ("broken.json", '{"a": ' * 20, ErrorCode.CORRUPT_FILE),
    ],
)
def test_bad_files_fail_with_their_code_and_harm_no_other(world: World, name: str, text: str, code: ErrorCode) -> None:
    world.put(name, text)
    world.put("good.md", TEXT)
    world.run()
    record = world.record(name)
    assert record is not None and record.failure is not None
    assert (record.status, record.failure.code, record.retry_count) == (Status.FAILED, code, 0)
    assert world.shown("good.md")


def test_a_bad_overwrite_takes_the_old_text_away(world: World) -> None:
    world.put("a.json", '{"text": "everyone may take twenty-five days of paid leave a year"}')
    world.run()
    assert world.shown("a.json")
    world.put("a.json", '{"text": ')
    world.run()
    assert world.shown("a.json") == []
    assert world.vectors.embeddings(world.record("a.json").id) == {}  # type: ignore[union-attr]  # it was put


def test_a_file_with_an_unknown_name_is_read_if_its_content_proves_a_format(world: World) -> None:
    page = "<!doctype html><html><body><h1>Leave</h1><p>It is to be agreed with the team two weeks before.</p></body>"
    world.put("notes.unknown", page)
    world.bucket.put("scan.unknown", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n" + bytes(range(256)))
    world.run()
    record, scan = world.record("notes.unknown"), world.record("scan.unknown")
    assert record is not None and (record.status, record.format, record.lane) == (Status.COMPLETED, "html", Lane.FAST)
    assert world.shown("notes.unknown") == ["# Leave\n\nIt is to be agreed with the team two weeks before."]
    assert scan is not None and scan.failure is not None
    assert (scan.lane, scan.failure.code) == (Lane.HEAVY, ErrorCode.CORRUPT_FILE)


def test_a_pdf_that_is_called_text_takes_the_heavy_lane(world: World) -> None:
    world.bucket.put("really.txt", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n" + bytes(range(256)))
    world.run()
    record = world.record("really.txt")
    assert record is not None and record.failure is not None
    assert (record.lane, record.failure.code) == (Lane.HEAVY, ErrorCode.CORRUPT_FILE)


def test_transient_failures_are_retried_three_times_and_then_a_dead_letter(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    job = routed(world)
    world.embedder.failures = [TransientError("the embedder is away")] * (MAX_RETRIES + 1)
    for attempt in range(1, MAX_RETRIES + 1):
        with pytest.raises(TransientError, match="away"):
            world.handle(job)
        record = world.record("leave.md")
        assert record is not None and (record.status, record.attempts) == (Status.PENDING, attempt)
    world.handle(job)
    record = world.record("leave.md")
    assert record is not None and record.failure is not None
    assert (record.status, record.retry_count) == (Status.FAILED, MAX_RETRIES)
    assert "Gave up after 3 retries" in record.failure.reason and "away" in record.failure.reason
    assert "process.given_up" in caplog.messages  # terraform/alerts_dead_letters.tf counts it
    world.run()
    assert world.given_up == [job]


def test_a_worker_that_crashes_every_time_is_given_up(world: World) -> None:
    job = routed(world)
    for _ in range(MAX_RETRIES + 1):
        world.embedder.failures = [Crash()]
        with pytest.raises(Crash):
            world.handle(job)
        world.clock.advance(LEASE)
    world.handle(job)
    record = world.record("leave.md")
    assert record is not None and record.status is Status.FAILED


@pytest.mark.slow
def test_a_long_document_whose_worker_crashes_every_time_leaves_no_text_of_its_parts(world: World) -> None:
    pages = [f"Page {number} says when the harbour is open." for number in range(PART_PAGES + 1)]
    world.bucket.put("report.pdf", pdf(*pages))
    world.embedder.failures = [Crash()] * (MAX_RETRIES + 1)
    world.run()
    record = world.record("report.pdf")
    assert record is not None and record.failure is not None and "Gave up after 3 retries" in record.failure.reason
    assert world.embedder.failures == []
    assert world.part_texts.scan(limit=10) == []


def test_a_second_worker_waits_for_the_lease(world: World) -> None:
    job = routed(world)
    world.embedder.failures = [Crash()]
    with pytest.raises(Crash):
        world.handle(job)
    with pytest.raises(Busy):
        world.handle(job)
    world.clock.advance(LEASE - timedelta(seconds=1))
    with pytest.raises(Busy):
        world.handle(job)
    world.clock.advance(timedelta(seconds=1))
    world.handle(job)
    assert world.shown("leave.md")


def test_the_work_of_a_dead_worker_is_free_at_once(world: World) -> None:
    job = routed(world)
    world.embedder.failures = [Crash()]
    with pytest.raises(Crash):
        world.handle(job)
    assert end_leases("someone else", world.documents, world.clock) == 0
    assert end_leases("worker", world.documents, world.clock) == 1
    world.handle(job)
    assert world.shown("leave.md")


def test_interrupted_documents_are_in_work_one_at_a_time_and_others_alongside(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that kills its worker also interrupts the documents in work next to it: the same ones only once."""
    world.workers[Lane.FAST] = replace(world.workers[Lane.FAST], patience=0.0)
    jobs = [routed(world, name, f"{TEXT} Number {number}.") for number, name in enumerate(("a.md", "b.md", "c.md"))]
    for job in jobs[:2]:
        world.embedder.failures = [Crash()]
        with pytest.raises(Crash):
            world.handle(job)
    world.clock.advance(LEASE)
    embed = world.embedder.embed_documents
    seen: list[str] = []

    def embed_alongside_the_others(texts: Sequence[str]) -> Embeddings:
        monkeypatch.setattr(world.embedder, "embed_documents", embed)
        with pytest.raises(Busy):
            world.handle(jobs[1])
        world.handle(jobs[2])
        seen.extend(texts)
        return embed(texts)

    monkeypatch.setattr(world.embedder, "embed_documents", embed_alongside_the_others)
    world.handle(jobs[0])
    world.handle(jobs[1])
    records = [world.record(name) for name in ("a.md", "b.md", "c.md")]
    assert seen
    assert [record and (record.status, record.attempts) for record in records] == [
        (Status.COMPLETED, 2),
        (Status.COMPLETED, 2),
        (Status.COMPLETED, 1),
    ]


def test_what_was_given_back_is_not_interrupted(world: World) -> None:
    job = routed(world)
    world.embedder.failures = [TransientError("away")]
    with pytest.raises(TransientError):
        world.handle(job)
    with world.workers[Lane.FAST].interrupted:
        world.handle(job)
    assert world.shown("leave.md")


@pytest.mark.parametrize(
    ("name", "text"), [("photo.psd", "x\0" * 50), ("short.md", "too short"), ("broken.json", '{"a": ' * 20)]
)
def test_permanent_errors_are_not_tried_again_however_often_they_are_delivered(
    world: World, name: str, text: str
) -> None:
    job = routed(world, name, text)
    world.handle(job)
    before = world.record(name)
    assert before is not None and before.status is Status.FAILED and before.attempts <= 1
    for _ in range(MAX_RETRIES):
        world.handle(job)
        world.clock.advance(LEASE)
    assert world.record(name) == before
    assert world.publisher.take() == []


def test_crashes_and_passing_failures_count_alike(world: World) -> None:
    job = routed(world)
    for failure in (Crash(), TransientError("away"), Crash(), TransientError("away")):
        world.embedder.failures = [failure]
        if world.record("leave.md").attempts < MAX_RETRIES:  # type: ignore[union-attr]  # it was put
            with pytest.raises(type(failure)):
                world.handle(job)
        else:
            world.handle(job)
        world.clock.advance(LEASE)
    record = world.record("leave.md")
    assert record is not None and (record.status, record.retry_count) == (Status.FAILED, MAX_RETRIES)


def test_retry_opens_a_failed_document_again(world: World) -> None:
    world.put("short.md", "too short")
    world.run()
    record = world.record("short.md")
    assert record is not None
    retried = retry(record.id, world)
    assert (retried.status, retried.attempts, retried.failure) == (Status.PENDING, 0, None)
    world.run()
    record = world.record("short.md")
    assert record is not None and record.status is Status.FAILED


def test_a_job_for_bytes_that_are_gone_ends_as_a_delete(world: World) -> None:
    job = routed(world)
    world.delete("leave.md")
    world.events.clear()  # the event is late
    world.handle(job)
    record = world.record("leave.md")
    assert record is not None and record.tombstone


def test_a_job_for_bytes_that_were_replaced_takes_over_the_new_ones(world: World) -> None:
    job = routed(world)
    world.put("leave.md", "The allowance is now thirty days of paid leave for everybody in the company.")
    world.events.clear()  # the queue has given the event up
    world.handle(job)
    world.run()
    record, live = world.record("leave.md"), world.bucket.stat("leave.md")
    assert record is not None and live is not None and record.shows(live.generation)


def test_a_job_without_a_record_comes_again(world: World) -> None:
    with pytest.raises(TransientError):
        world.handle(Job(document_id="unknown", bucket="bucket", name="a.md", generation=1))


def test_what_an_attempt_with_smaller_chunks_has_left_is_not_shown(world: World) -> None:
    job = routed(world, "long.md", LONG)
    smaller = replace(world.workers[Lane.FAST].maker(), chunker=MarkdownChunker(100, 0))
    config = ProcessingConfig(min_text_length=0)
    made = smaller.make(
        smaller.cut(smaller.extract(LONG.encode(), "md", config), config),
        "md",
        config,
        name=job.name,
        source=job.name,
        document_id=job.document_id,
        generation=job.generation,
        md5="",
    )
    left = made.indexed.chunk_count
    world.handle(job)
    record = world.record("long.md")
    assert record is not None and record.active is not None
    assert left > record.active.chunk_count == len(world.shown("long.md"))


def test_a_claim_that_stalls_for_minutes_leaves_a_lease_that_was_taken_meanwhile(world: World) -> None:
    """Seen from the time before it stalled, the lease would run for longer than any: as if the clock was put back."""
    job = routed(world)
    update, stalled = world.documents.update, timedelta(minutes=10)

    def updates(id: str, transition: Transition) -> Change:
        world.documents.update = update  # type: ignore[method-assign]  # it stalls once
        world.clock.advance(stalled)
        other = Lease("another", 1, world.clock.now() + DOCUMENT_LEASE)
        update(id, claimed(job.generation, other, Lane.FAST, now=world.clock.now()))
        return update(id, transition)

    world.documents.update = updates  # type: ignore[method-assign, assignment]  # as above
    with pytest.raises(Busy, match="Another worker is processing it"):
        world.handle(job)
    record = world.record("leave.md")
    assert record is not None and record.lease is not None and record.lease.worker == "another"


@pytest.mark.parametrize("is_read", [True, False], ids=["lost from search", "lost from reading, too"])
def test_a_retry_restores_what_a_killed_store_has_in_some_of_its_indexes_alone(world: World, is_read: bool) -> None:
    """Weaviate had an object in its index of vectors and not in that of generations, and ignored it when it came again
    unchanged."""
    job = routed(world)
    lost: set[str] = set()
    write, restore, chunks = world.vectors.write, world.vectors.restore, world.vectors.chunks

    def writes(given: Sequence[EmbeddedChunk]) -> None:
        held = world.vectors.held([job.document_id])
        write(given)
        if not held:  # the first time
            lost.update(one.chunk.id for one in given[-2:])
            raise TransientError("the store was killed")

    def restores(given: Sequence[EmbeddedChunk]) -> None:
        restore(given)
        lost.difference_update(one.chunk.id for one in given)

    def found(document_id: str, generation: int, *, first: int, limit: int) -> Sequence[Chunk]:
        all_chunks = chunks(document_id, generation, first=first, limit=limit)
        return [one for one in all_chunks if is_read or one.id not in lost]

    world.vectors.write, world.vectors.restore = writes, restores  # type: ignore[method-assign, assignment]  # what goes wrong
    world.vectors.chunks = found  # type: ignore[method-assign]  # the same
    with pytest.raises(TransientError, match="was killed"):
        world.handle(job)
    assert lost
    world.handle(job)
    record = world.record("leave.md")
    assert record is not None and record.status is Status.COMPLETED
    assert lost == set()


def test_a_retry_writes_again_what_the_store_has_lost_from_its_own_index(world: World) -> None:
    """Weaviate may do so when it is killed, and ignores a chunk that it is given again unchanged."""
    job = routed(world)
    lost: set[str] = set()
    write, restore, held = world.vectors.write, world.vectors.restore, world.vectors.held

    def writes(chunks: Sequence[EmbeddedChunk]) -> None:
        known = {one.chunk.id for one in world.vectors.read(job.document_id, job.generation)}
        write(chunks)
        if not known:  # the first time
            lost.update(one.chunk.id for one in chunks)
            raise TransientError("the store was killed")

    def restores(chunks: Sequence[EmbeddedChunk]) -> None:
        restore(chunks)
        lost.difference_update(one.chunk.id for one in chunks)

    def found(document_ids: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        counts = held(document_ids)
        return {id: {generation: count - len(lost) for generation, count in of.items()} for id, of in counts.items()}

    world.vectors.write, world.vectors.restore, world.vectors.held = writes, restores, found  # type: ignore[method-assign]  # what goes wrong
    with pytest.raises(TransientError, match="was killed"):
        world.handle(job)
    with pytest.raises(TransientError, match="A search finds 0 of"):
        world.handle(job)
    texts = list(world.embedder.texts)
    world.handle(job)
    record = world.record("leave.md")
    assert record is not None and record.status is Status.COMPLETED and record.active is not None
    assert found([record.id]) == {record.id: {record.generation: record.active.chunk_count}}
    assert world.embedder.texts == texts, "embedded again"
