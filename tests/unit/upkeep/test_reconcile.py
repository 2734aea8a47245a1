"""What a comparison of bucket, records and vector store finds, what it leaves alone, and how it repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ragbase.domain.chunk import EmbeddedChunk
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import chunk_id, document_id
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.object_event import EventKind
from ragbase.ports import OpenIndex, StoredObject
from ragbase.upkeep.dead_letters.keep import keep_dead_letter
from ragbase.upkeep.dead_letters.replay import Fate, replay
from ragbase.upkeep.janitor import CHECKPOINT, ROUND, WORK, janitor
from ragbase.upkeep.reconcile import chunks, documents
from ragbase.upkeep.reconcile.compare import GRACE, DifferenceKind
from ragbase.upkeep.reconcile.progress import Place, ReconcileProgress, Walk
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report
from ragbase.upkeep.retry import retry
from tests.simulated_world.wrapped_partitions import WrappedPartitions
from tests.simulation.world import BUCKET, World

TEXT = "# Leave\n\nEveryone may take twenty-five days of paid leave a year, to be agreed with the team.\n"
LONG = "\n\n".join(
    f"## Rule {n}\n\nRule number {n} says that whoever reads it first explains it to the others. " * 2
    for n in range(12)
)
LATER = GRACE + timedelta(seconds=1)
NOTHING = dict.fromkeys(DifferenceKind, 0)


@pytest.fixture
def world() -> World:
    world = World()
    world.put("a-leave.md", TEXT)
    world.put("b-rules.md", LONG)
    world.put("folder/c-other.md", LONG.replace("Rule", "Law"))
    world.run()
    world.clock.advance(LATER)
    return world


def report_of(pages: Iterator[ReconcileProgress]) -> Report:
    report = Report()
    for progress in pages:
        report.add(progress)
    return report


def look(world: World, **options: Any) -> Report:
    return report_of(reconcile(world, world.index, **options))


def counts(report: Report) -> dict[DifferenceKind, int]:
    return {kind: report.found[kind] for kind in DifferenceKind}


def assert_in_step(world: World, documents: int = 3) -> None:
    report = look(world, grace=timedelta(0))
    assert (counts(report), report.in_step, report.moving) == (NOTHING, documents, 0)
    assert report.is_complete


def record(world: World, name: str) -> Document:
    found = world.record(name)
    assert found is not None
    return found


def live(world: World, name: str) -> StoredObject:
    found = world.bucket.stat(name)
    assert found is not None
    return found


def change(world: World, name: str, **fields: Any) -> None:
    """The record as some fault has left it."""
    world.documents.update(document_id(BUCKET, name), lambda record: replace(record, **fields) if record else None)


def forget(world: World, name: str) -> None:
    """The record is lost."""
    del world.documents._records[document_id(BUCKET, name)]


def lose_chunks(world: World, name: str, *ordinals: int) -> None:
    its = record(world, name)
    kept = [one for one in world.vectors.read(its.id, its.generation) if one.chunk.ordinal not in ordinals]
    world.vectors.delete(its.id, generation=its.generation)
    world.vectors.write(kept)


def add_chunk(world: World, name: str, generation: int, ordinal: int = 0) -> None:
    its = record(world, name)
    (one, *_) = world.vectors.read(its.id, its.generation)
    id = chunk_id(its.id, generation, ordinal, "other settings")
    world.vectors.write([replace(one, chunk=replace(one.chunk, id=id, generation=generation, ordinal=ordinal))])


def unheard(world: World, act: Callable[[], object]) -> None:
    """Something happens to the bucket whose event is lost."""
    act()
    world.events.clear()


def test_objects_that_become_no_documents_are_counted_and_are_no_difference(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if there was a document of that name, and if something is left of it."""
    with monkeypatch.context() as older_version:
        older_version.setattr("ragbase.pipeline.route.no_document", lambda *_: None)
        world.put("~$b.md", LONG)
        world.run()
    add_chunk(world, "~$b.md", 1)
    id = record(world, "~$b.md").id
    world.delete("~$b.md")
    world.events.clear()
    change(world, "~$b.md", tombstone=True, active=None)
    for name in ("~$a.docx", "b/Thumbs.db"):
        world.put(name, LONG)
    world.run()
    unheard(world, lambda: world.put("~$b.md", LONG))
    world.clock.advance(LATER)
    report = look(world, repairs=True)
    assert (report.found[DifferenceKind.MISSING], report.found[DifferenceKind.STALE], report.in_step) == (0, 0, 3)
    assert report.found[DifferenceKind.ORPHANED] > 0
    (kind,) = report.left_out.all()
    assert (kind.many, kind.count, kind.endings) == ("programs' own files", 3, ("Thumbs.db", "~$a.docx", "~$b.md"))
    assert not world.vectors.held([id]) and not world.publisher.take()


def no_record(world: World) -> None:
    unheard(world, lambda: world.put("d-new.md", TEXT))
    world.clock.advance(LATER)


def lost_record(world: World) -> None:
    forget(world, "b-rules.md")


def no_revival(world: World) -> None:
    world.delete("b-rules.md")
    world.run()
    unheard(world, lambda: world.put("b-rules.md", LONG))
    world.clock.advance(LATER)


def missing_chunks(world: World) -> None:
    lose_chunks(world, "b-rules.md", 1, 3)


def no_chunk(world: World) -> None:
    lose_chunks(world, "a-leave.md", 0)


def overwritten(world: World) -> None:
    unheard(world, lambda: world.put("b-rules.md", LONG + "\n\nOne more."))
    world.clock.advance(LATER)


def gone(world: World) -> None:
    unheard(world, lambda: world.delete("b-rules.md"))


def old_chunks(world: World) -> None:
    add_chunk(world, "b-rules.md", 7)


def surplus_chunks(world: World) -> None:
    its = record(world, "b-rules.md")
    add_chunk(world, "b-rules.md", its.generation, 99)


def hidden_chunks(world: World) -> None:
    """The store has lost two chunks from its own index: a search does not find them."""
    its, store = record(world, "b-rules.md"), world.vectors
    held, restore = store.held, store.restore
    lost = {one.chunk.id for one in store.read(its.id, its.generation)[1:3]}

    def found(document_ids: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        counts = {id: dict(of) for id, of in held(document_ids).items()}
        if its.id in counts:
            counts[its.id][its.generation] -= len(lost)
        return counts

    def restores(chunks: Sequence[EmbeddedChunk]) -> None:
        restore(chunks)
        lost.difference_update(one.chunk.id for one in chunks)

    store.held, store.restore = found, restores  # type: ignore[method-assign]  # what goes wrong
    store.lost = lost  # type: ignore[attr-defined]  # for found_chunks


def found_chunks(world: World, its: Document) -> set[str]:
    """The chunks of a document that a search finds."""
    there = {one.chunk.id for one in world.vectors.read(its.id, its.generation)}
    return there - set(getattr(world.vectors, "lost", ()))


def chunks_of_a_tombstone(world: World) -> None:
    chunks = world.vectors.read(record(world, "b-rules.md").id, live(world, "b-rules.md").generation)
    world.delete("b-rules.md")
    world.run()
    world.vectors.write(chunks[:3])
    world.clock.advance(LATER)


def chunks_without_a_record(world: World) -> None:
    unheard(world, lambda: world.delete("b-rules.md"))
    forget(world, "b-rules.md")


def retry_document(world: World, its: Document) -> None:
    retry(its.id, world)


def replay_job(world: World, its: Document) -> None:
    dead_letter = keep_dead_letter(its.job, "gave up", world, deliveries=4)
    assert dead_letter is not None
    done = replay(dead_letter, world)
    assert done.fate is Fate.REPLAYED


def lost_job(world: World) -> None:
    world.put("d-new.md", TEXT)
    world.handle(world.events.popleft())
    world.publisher.take()
    world.clock.advance(LATER)


def dead_worker(world: World) -> None:
    lost_job(world)
    change(world, "d-new.md", status=Status.PROCESSING, attempts=1, lease=Lease("dead", 1, world.clock.now()))


def unlabelled(world: World) -> None:
    its = record(world, "b-rules.md")
    first, *_ = world.vectors.read(its.id, its.generation)
    world.vectors.write([replace(first, labels=None)])


FAULTS: list[tuple[Callable[[World], None], DifferenceKind, int]] = [
    (no_record, DifferenceKind.MISSING, 1),
    (lost_record, DifferenceKind.MISSING, 1),
    (no_revival, DifferenceKind.MISSING, 1),
    (missing_chunks, DifferenceKind.MISSING, 1),
    (no_chunk, DifferenceKind.MISSING, 1),
    (overwritten, DifferenceKind.STALE, 1),
    (gone, DifferenceKind.STALE, 1),
    (old_chunks, DifferenceKind.ORPHANED, 1),
    (surplus_chunks, DifferenceKind.ORPHANED, 1),
    (chunks_of_a_tombstone, DifferenceKind.ORPHANED, 3),
    (lost_job, DifferenceKind.STUCK, 1),
    (dead_worker, DifferenceKind.STUCK, 1),
    (unlabelled, DifferenceKind.UNLABELLED, 1),
]
every_fault = pytest.mark.parametrize(("fault", "kind", "count"), FAULTS, ids=[fault.__name__ for fault, *_ in FAULTS])


def test_what_is_in_step_is_counted_and_nothing_is_found(world: World) -> None:
    assert_in_step(world)


def test_an_empty_world_is_in_step() -> None:
    world = World()
    assert_in_step(world, documents=0)


@every_fault
def test_each_kind_is_found_and_nothing_is_changed(
    fault: Callable[[World], None], kind: DifferenceKind, count: int, world: World
) -> None:
    fault(world)
    before = (dict(world.documents._records), dict(world.vectors._entries))

    report = look(world)

    assert counts(report)[kind] == report.left[kind] == count
    assert report.found[kind] == report.found.total()
    assert report.examples[kind][0].name in ("a-leave.md", "b-rules.md", "d-new.md")
    assert report.moving == 0
    assert (dict(world.documents._records), dict(world.vectors._entries)) == before
    assert not world.publisher.take()


@every_fault
def test_each_kind_is_repaired_once(
    fault: Callable[[World], None], kind: DifferenceKind, count: int, world: World
) -> None:
    fault(world)

    repaired = look(world, repairs=True)
    world.run()

    assert repaired.found[kind] == count
    assert repaired.left.total() == 0
    assert_in_step(world, documents=sum(1 for _ in world.bucket.list()))
    for stored in world.bucket.list():
        expected = world.bucket.read(stored.name, stored.generation).decode()
        assert "\n\n".join(dict.fromkeys(world.shown(stored.name)))[:20] == expected[:20]
        assert record(world, stored.name).status is Status.COMPLETED


@every_fault
def test_two_repairs_at_once_do_no_harm(
    fault: Callable[[World], None], kind: DifferenceKind, count: int, world: World
) -> None:
    fault(world)
    first, second = (reconcile(world, world.index, repairs=True) for _ in range(2))
    for _ in zip(first, second, strict=False):
        pass
    world.run(deliveries=2)
    world.clock.advance(LATER)
    assert report_of(reconcile(world, world.index, repairs=True)).found.total() == 0
    assert_in_step(world, documents=sum(1 for _ in world.bucket.list()))


def test_chunks_without_a_record_are_counted_one_by_one(world: World) -> None:
    chunks = record(world, "b-rules.md").active.chunk_count  # type: ignore[union-attr]  # it is completed
    chunks_without_a_record(world)
    assert counts(look(world)) == NOTHING | {DifferenceKind.ORPHANED: chunks}
    repaired = look(world, repairs=True)
    assert counts(repaired) == NOTHING | {DifferenceKind.ORPHANED: chunks}
    assert_in_step(world, documents=2)


def test_only_the_texts_of_missing_chunks_are_embedded_again(world: World) -> None:
    missing_chunks(world)
    shown = world.shown("b-rules.md")
    world.embedder.texts.clear()

    look(world, repairs=True)
    assert world.shown("b-rules.md") == shown, "search goes on with what is there"
    world.run()

    assert len(world.embedder.texts) == 2
    assert len(world.shown("b-rules.md")) == len(shown) + 2


def test_chunks_that_a_store_has_but_does_not_find_are_written_again(world: World) -> None:
    its = record(world, "b-rules.md")
    forgetful = _Forgetful(world.vectors, its.id)
    index = replace(world.index, partitions=WrappedPartitions(world.indexes, lambda _: forgetful))
    world.embedder.texts.clear()

    report = report_of(reconcile(world, index, repairs=True))
    world.run()

    assert report.found[DifferenceKind.MISSING] == 1
    assert report_of(reconcile(world, index, grace=timedelta(0))).found.total() == 0
    assert world.embedder.texts == []


class _Forgetful:
    """A store whose index has lost a document's entries, until they are restored."""

    def __init__(self, store: Any, document_id: str) -> None:
        self._store, self._lost = store, {document_id}

    def held(self, document_ids: Any) -> Any:
        return {id: counts for id, counts in self._store.held(document_ids).items() if id not in self._lost}

    def restore(self, chunks: Sequence[EmbeddedChunk]) -> None:
        self._store.restore(chunks)
        self._lost -= {one.chunk.document_id for one in chunks}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_a_repair_that_fails_leaves_what_was_shown_and_the_next_one_goes_on(world: World) -> None:
    shown = world.shown("b-rules.md")
    lose_chunks(world, "b-rules.md", 1, 3)
    left = world.shown("b-rules.md")
    world.embedder.failures = [TransientError("the model is away") for _ in range(MAX_RETRIES + 1)]
    report_of(reconcile(world, world.index, repairs=True))
    world.run()

    its = record(world, "b-rules.md")
    assert its.failure is not None and "the model is away" in its.failure.reason
    assert (its.status, world.shown("b-rules.md")) == (Status.COMPLETED, left)
    assert [job.name for job in world.given_up] == ["b-rules.md"]
    world.clock.advance(LATER)
    assert look(world).found[DifferenceKind.MISSING] == 1  # a comparison is not content with it

    report_of(reconcile(world, world.index, repairs=True))
    world.run()
    assert (record(world, "b-rules.md").failure, world.shown("b-rules.md")) == (None, shown)


@pytest.mark.parametrize("text", [LONG, LONG + " "], ids=["duplicate", "alone"])
@pytest.mark.parametrize("fault", [missing_chunks, surplus_chunks, hidden_chunks])
def test_a_repair_removes_nothing_before_its_replacement_is_there(
    fault: Callable[[World], None], text: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it does, at each moment search finds at least as many right chunks as before."""
    world.put("d-equal.md", text)
    world.run()
    world.clock.advance(LATER)
    its = record(world, "b-rules.md")
    right = {one.chunk.id for one in world.vectors.read(its.id, its.generation)}
    fault(world)
    least = len(right & found_chunks(world, its))
    store = world.vectors

    def watched(method: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any, **named: Any) -> None:
            nonlocal least
            method(*arguments, **named)
            now = len(right & found_chunks(world, its))
            assert now >= least, "the repair has hidden a chunk"
            least = now

        return call

    for name in ("write", "restore", "delete", "delete_chunks"):
        monkeypatch.setattr(store, name, watched(getattr(store, name)))
    report_of(reconcile(world, world.index, repairs=True))
    world.run()
    world.clock.advance(LATER)
    assert_in_step(world, 4)
    assert found_chunks(world, its) == right


@pytest.mark.parametrize("again", [retry_document, replay_job])
def test_a_failed_repair_can_be_asked_for_again(world: World, again: Callable[[World, Document], None]) -> None:
    lose_chunks(world, "b-rules.md", 1, 3)
    world.embedder.failures = [TransientError("the model is away") for _ in range(MAX_RETRIES + 1)]
    report_of(reconcile(world, world.index, repairs=True))
    world.run()
    again(world, record(world, "b-rules.md"))
    world.run()
    assert record(world, "b-rules.md").failure is None
    world.clock.advance(LATER)
    assert_in_step(world)


def test_a_failed_document_is_in_step_and_keeps_its_chunks_for_a_retry(world: World) -> None:
    change(world, "b-rules.md", status=Status.FAILED, active=None)
    assert_in_step(world)
    assert len(world.vectors.embeddings(record(world, "b-rules.md").id)) > 0


@pytest.mark.parametrize("step", [-5, 5])
@pytest.mark.parametrize("tombstone", [False, True])
def test_the_bucket_is_right_whatever_generation_a_restored_record_has(
    world: World, step: int, tombstone: bool
) -> None:
    its = record(world, "b-rules.md")
    left = {"tombstone": True, "active": None} if tombstone else {}
    change(world, "b-rules.md", generation=its.generation + step, **left)
    world.embedder.texts.clear()
    report = look(world, repairs=True)
    assert report.found.total() == 1 and report.left.total() == 0
    world.run()
    assert_in_step(world)
    assert record(world, "b-rules.md").generation == live(world, "b-rules.md").generation
    assert world.embedder.texts == [], "its chunks are still there"


def test_a_tombstone_of_a_generation_that_the_bucket_holds_is_repaired(world: World) -> None:
    change(world, "b-rules.md", tombstone=True, active=None)
    assert counts(look(world, repairs=True))[DifferenceKind.MISSING] == 1
    world.run()
    assert_in_step(world)


def test_the_age_of_an_object_is_its_time_and_not_its_number(world: World) -> None:
    """An upload whose event is lost is found once the grace is over, however high its number is, and not before."""
    name = "d-new.md"
    for number in (1, 2**62):
        world.numbers.append(number)
        unheard(world, lambda: world.put(name, TEXT))
        assert look(world).moving == 1
        world.clock.advance(LATER)
        assert counts(look(world))[DifferenceKind.MISSING] == 1
        unheard(world, lambda: world.delete(name))


def test_empty_objects_that_show_folders_are_no_documents(world: World) -> None:
    stored = live(world, "a-leave.md")
    world.theirs._live["empty/"] = (replace(stored, name="empty/", size=0), b"")
    assert_in_step(world)


def test_records_of_another_bucket_are_left_alone(world: World) -> None:
    its = record(world, "b-rules.md")
    other = replace(its, id=document_id("another", its.name), bucket="another", status=Status.PENDING)
    world.documents.update(other.id, lambda _: other)
    assert_in_step(world)
    assert report_of(reconcile(world, world.index, place=Place(Walk.WAITING))).found.total() == 0


# in motion


def test_an_upload_whose_event_is_on_its_way_is_in_motion(world: World) -> None:
    world.put("d-new.md", TEXT)
    world.put("b-rules.md", LONG + "\n\nOne more.")
    report = look(world)
    assert (counts(report), report.in_step, report.moving) == (NOTHING, 2, 2)


def test_chunks_of_a_lost_record_wait_for_their_object(world: World) -> None:
    """Its record is about to be made again, and then these chunks, which are paid for, are used again."""
    world.put("d-new.md", TEXT)
    world.run()
    forget(world, "d-new.md")
    report = look(world, repairs=True)
    assert (counts(report), report.in_step, report.moving) == (NOTHING, 3, 1)


def test_a_document_in_work_is_in_motion_however_long(world: World) -> None:
    lost_job(world)
    change(world, "d-new.md", lease=Lease("worker", 1, world.clock.now() + timedelta(seconds=1)))
    report = look(world)
    assert (counts(report), report.in_step, report.moving) == (NOTHING, 3, 1)


def test_a_document_that_changes_between_the_page_and_the_look_is_not_reported(world: World) -> None:
    """Everything that the page says of it is old: it is overwritten, processed, and older than any grace by then."""
    missing_chunks(world)

    def overwrite() -> None:
        world.put("b-rules.md", LONG + "\n\nOne more.")
        world.run()
        world.clock.advance(LATER)

    report = report_of(reconcile(world.ports(documents=_Meanwhile(world.documents, "scan", overwrite)), world.index))
    assert counts(report) == NOTHING


def test_a_document_that_changes_during_the_look_is_in_motion(world: World) -> None:
    gone(world)

    def upload() -> None:
        world.put("b-rules.md", LONG)
        world.run()

    report = report_of(
        reconcile(world.ports(documents=_Meanwhile(world.documents, "get", upload)), world.index, grace=timedelta(0))
    )
    assert (counts(report), report.moving) == (NOTHING, 1)


def test_a_deletion_that_is_undone_before_its_repair_harms_nothing(world: World) -> None:
    """The bucket lacked what the record named; by the time of the repair, somebody has uploaded it again."""
    gone(world)

    def upload() -> None:
        world.put("b-rules.md", LONG)

    bucket = _Meanwhile(world.bucket, "stat", upload)
    look_and_repair = reconcile(world.ports(bucket=bucket), world.index, repairs=True)
    report_of(look_and_repair)
    world.run()
    assert world.shown("b-rules.md")
    assert_in_step(world)


class _Meanwhile:
    """A port after whose first call of a method something else happens."""

    def __init__(self, port: Any, method: str, act: Callable[[], None]) -> None:
        self._port, self._method, self._act = port, method, act

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._port, name)
        if name != self._method:
            return value

        def call(*arguments: Any, **named: Any) -> Any:
            result = value(*arguments, **named)
            self._method = ""
            self._act()
            return result

        return call


# pages


@pytest.mark.parametrize("step", [1, 2, 100])
@pytest.mark.parametrize("page", [1, 2, 3, 100])
def test_pages_of_any_size_meet_each_name_once(page: int, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "PAGE", page)
    monkeypatch.setattr(chunks, "CHUNKS", page)
    monkeypatch.setattr(documents, "STEP", step)
    world = World()
    for number in range(7):
        world.put(f"{number}.md", f"Note {number} says what the note with the number {number} has to say.")
    world.run()
    world.delete("3.md")  # a tombstone in between
    world.run()
    world.clock.advance(LATER)
    unheard(world, lambda: world.delete("5.md"))  # a record without an object
    unheard(world, lambda: world.put("0-new.md", TEXT))  # objects without a record
    unheard(world, lambda: world.put("9.md", TEXT))
    world.clock.advance(LATER)
    report = look(world)
    assert (counts(report), report.in_step) == (NOTHING | {DifferenceKind.MISSING: 2, DifferenceKind.STALE: 1}, 5)


@pytest.mark.parametrize("limit", ["PAGE", "STEP", "STEP_CHUNKS"])
@pytest.mark.parametrize("stop", range(12))
def test_a_comparison_goes_on_where_it_stopped(
    stop: int, limit: str, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    monkeypatch.setattr(documents, limit, 1)
    monkeypatch.setattr(chunks, "CHUNKS", 5)
    missing_chunks(world)
    no_record(world)
    report, place = Report(), None
    for number, progress in enumerate(reconcile(world, world.index)):
        report.add(progress)
        place = progress.place
        if number == stop:
            break
    if place is not None:
        for progress in reconcile(world, world.index, place=place):
            report.add(progress)
    assert (counts(report), report.in_step) == (NOTHING | {DifferenceKind.MISSING: 2}, 2)


# the janitor


def test_the_janitor_repairs_and_keeps_its_round(world: World) -> None:
    missing_chunks(world)
    first = janitor(world, world.index)
    world.run()
    assert (first.found, first.is_complete) == ({DifferenceKind.MISSING: 1}, True)
    assert_in_step(world)

    no_chunk(world)
    assert janitor(world, world.index).found.total() == 0, "the next round is not due yet"
    world.clock.advance(ROUND)
    assert janitor(world, world.index).found == {DifferenceKind.MISSING: 1}


def test_the_janitor_looks_for_what_is_stuck_at_every_call(world: World) -> None:
    janitor(world, world.index)
    dead_worker(world)
    assert janitor(world, world.index).found == {DifferenceKind.STUCK: 1}
    assert janitor(world, world.index).found.total() == 0, "it was asked for again just now"
    world.run()
    assert_in_step(world, documents=4)


def test_the_janitor_stops_in_time_and_goes_on_at_the_next_call(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    monkeypatch.setattr(documents, "PAGE", 1)
    slow = world.ports(bucket=_Slow(world.bucket, lambda: world.clock.advance(WORK)))
    calls = [janitor(slow, world.index) for _ in range(5)]
    assert [call.in_step for call in calls] == [1, 1, 1, 0, 0]
    assert [call.is_complete for call in calls] == [False, False, False, False, True]


@pytest.mark.parametrize("limit", ["STEP", "STEP_CHUNKS"])
def test_the_janitor_stops_within_a_page_that_takes_long(
    limit: str, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    monkeypatch.setattr(documents, limit, 1)
    counted: list[int] = []

    class Slow(OpenIndex):
        def held(self, documents: Iterable[tuple[str, str]]) -> Mapping[str, Mapping[int, int]]:
            world.clock.advance(WORK)
            asked = list(documents)
            counted.append(len(asked))
            return OpenIndex.held(self, asked)

    index = Slow(world.index.index, world.indexes, world.index.embedder)
    assert [janitor(world, index).in_step for _ in range(4)] == [1, 1, 1, 0]
    assert counted == [1, 1, 1]


class _Slow:
    """A port that takes its time for each listing."""

    def __init__(self, port: Any, wait: Callable[[], object]) -> None:
        self._port, self._wait = port, wait

    def list_all(self, *arguments: Any, **named: Any) -> Any:
        self._wait()
        return self._port.list_all(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


def test_a_checkpoint_that_nobody_understands_begins_a_new_round(world: World) -> None:
    world.checkpoints.save(CHECKPOINT, "from another version")
    assert janitor(world, world.index).in_step == 3
    assert world.checkpoints.load(CHECKPOINT) != "from another version"


def test_events_of_the_past_do_not_undo_a_repair(world: World) -> None:
    old = live(world, "b-rules.md")
    overwritten(world)
    look(world, repairs=True)
    world.handle(old.event(EventKind.DELETED))
    world.handle(old.event(EventKind.FINALISED))
    world.run()
    assert_in_step(world)
    assert record(world, "b-rules.md").lane is Lane.FAST


@pytest.mark.parametrize("hours", [-1, -25])
def test_a_text_that_somebody_has_just_given_stays_when_the_clock_is_put_back(world: World, hours: int) -> None:
    """Its record may be about to be written. Nobody knows how old it is, until the clock has come to its time."""
    id = document_id(BUCKET, "late.pdf")
    world.texts.put(id, 7, TEXT)
    world.clock.set(world.clock.now() + timedelta(hours=hours))
    look(world, repairs=True)
    assert world.texts.read(id, 7) == TEXT
    world.clock.advance(timedelta(hours=-hours) + LATER)
    look(world, repairs=True)
    assert not world.texts.scan(limit=1)


def test_without_grace_a_text_from_a_time_to_come_is_no_longer_kept(world: World) -> None:
    world.texts.put(document_id(BUCKET, "late.pdf"), 7, TEXT)
    world.clock.set(world.clock.now() - timedelta(hours=1))
    look(world, repairs=True, grace=timedelta(0))
    assert not world.texts.scan(limit=1)
