"""A reindex ends as if its settings had been there from the start, whatever stops it and whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import pytest

from ragbase.domain.document import Status
from ragbase.domain.errors import ConfigurationError, ErrorCode, GateRefused, IndexGone, TransientError, Unavailable
from ragbase.domain.index import Index
from ragbase.domain.job import Job
from ragbase.domain.lease import HOLD_LEASE
from ragbase.pipeline.hold import Hold, is_held
from ragbase.ports import Embeddings, Topic
from ragbase.testing.publisher import MemoryPublisher
from ragbase.upkeep.reindex.estimate import estimate
from ragbase.upkeep.reindex.progress import Phase, ReindexProgress
from ragbase.upkeep.reindex.reindex import reindex
from tests.simulation.reindex_world import Meddling, ReindexWorld, Uploading
from tests.simulation.world import Crash, Faults

RULES = "\n\n".join(
    f"Rule number {n} is explained to the others by whoever reads it first, before noon." for n in range(6)
)
LEAVE = "Everyone may take twenty-five days of paid leave a year, and asks for them two weeks before they begin."
BACKUP = "The nightly backup starts at half past two, takes ten minutes, and is kept for a month on another continent."
FILES = {"c.md": RULES, "b.txt": LEAVE, "a.md": RULES, "d.txt": BACKUP}
"""In the order of their uploads: `a.md` is a duplicate of `c.md`, which comes after it by name."""

pytestmark = pytest.mark.slow


def filled(faults: Faults | None = None) -> ReindexWorld:
    """Four documents, two of them equal, a fifth that was deleted and a sixth that is refused."""
    world = ReindexWorld(faults)
    for name, text in {"0.md": BACKUP, **FILES, "e.json": '{"a": '}.items():
        world.put(name, text)
        world.run()
    world.delete("0.md")
    world.run()
    return world


def other_chunks(world: ReindexWorld) -> None:
    world.size = 300


def other_model(world: ReindexWorld) -> None:
    world.model = "other"


CHANGES = [other_chunks, other_model]
Change = Callable[[ReindexWorld], None]


def made_from_the_start(change: Change, files: dict[str, str]) -> dict[str, object]:
    """The contents of a world that had these settings from the beginning."""
    world = ReindexWorld()
    change(world)
    world.indexes.ensure(world.wanted)
    for name, text in {**files, "e.json": '{"a": '}.items():
        world.put(name, text)
        world.run()
    return world.contents()


def finish(world: ReindexWorld) -> None:
    """Run it again until nothing stops it any more."""
    for _ in range(10):
        try:
            reindex(world.plan())
        except (Crash, TransientError):
            world.run()
            continue
        world.run()
        return
    raise AssertionError("the reindex does not come to its end")


@pytest.mark.parametrize("change", CHANGES)
def test_all_documents_are_rebuilt(change: Change) -> None:
    world = filled()
    old = world.wanted
    change(world)
    reports: list[ReindexProgress] = []
    done = reindex(world.plan(), on_progress=reports.append)
    world.run()
    assert world.contents() == made_from_the_start(change, FILES)
    assert (done.made, done.index, done.documents, done.refused) == (True, world.wanted, 4, 0)
    assert done.dropped == (old.name,)
    assert {progress.phase for progress in reports} == {Phase.BUILDING, Phase.SWITCHING}
    assert reports[-1].done == reports[-1].total == 5
    again = reindex(world.plan())
    assert (again.made, again.index, again.documents) == (False, world.wanted, 0)


def test_a_switch_that_is_refused_leaves_everything_as_it_was_and_can_be_tried_again() -> None:
    world = filled()
    old, before = world.wanted, [one.chunk for one in world.ask("paid leave")]
    other_model(world)
    asked: list[tuple[str, str]] = []

    def refuse(current: Index, built: Index) -> None:
        asked.append((current.name, built.name))
        raise GateRefused("worse")

    for _ in range(2):
        with pytest.raises(GateRefused):
            reindex(world.plan(), before_switch=refuse)
        world.run()
        assert world.indexes.current() == old
        assert [one.chunk for one in world.ask("paid leave")] == before != []
        assert not is_held(world.checkpoints, world.clock)
    paid = len(world.embedders["other"].texts)
    done = reindex(world.plan(), before_switch=lambda current, built: asked.append((current.name, built.name)))
    world.run()
    assert asked == [(old.name, world.wanted.name)] * 3
    assert (done.made, done.index) == (True, world.wanted)
    assert world.contents() == made_from_the_start(other_model, FILES)
    assert len(world.embedders["other"].texts) == paid  # what was built before the refusal is used


def test_what_is_known_under_the_same_model_is_not_paid_again() -> None:
    world = filled()
    world.embedder.texts.clear()
    other_chunks(world)
    reindex(world.plan())
    assert not set(world.embedder.texts) & {LEAVE, BACKUP}  # they are as short as before
    assert len(set(world.embedder.texts)) == len(world.embedder.texts) > 0  # equal documents are paid once


@pytest.mark.parametrize("has_graph", [True, False])
def test_an_index_that_is_searched_in_another_way_costs_no_embedding(has_graph: bool) -> None:
    world = filled()
    if not has_graph:  # back again
        world.has_graph = True
        reindex(world.plan())
    before = [one.chunk for one in world.ask("paid leave")]
    world.embedder.texts.clear()
    world.has_graph = has_graph
    done = reindex(world.plan())
    world.run()
    assert (done.made, done.index, world.wanted.has_graph) == (True, world.wanted, has_graph)
    assert [one.chunk for one in world.ask("paid leave")] == before != []
    assert not set(world.embedder.texts) & {LEAVE, BACKUP}
    assert not reindex(world.plan()).made


def test_another_model_is_paid_once_a_text() -> None:
    world = filled()
    other_model(world)
    cost = estimate(world.plan())
    assert world.embedders["other"].texts == []
    assert world.indexes.all() == [world.current().index]
    done = reindex(world.plan())
    paid = world.embedders["other"].texts
    assert len(paid) == len(set(paid)) == done.usage.embedded_texts == cost.texts
    assert (cost.documents, cost.chunks, cost.characters) == (4, done.chunks, sum(map(len, paid)))
    assert cost.kept > 0  # those of the duplicate
    usage = [record.usage.embedded_texts for record in world.documents.page(limit=10)]
    assert sum(usage) == len(paid) + len(world.embedder.texts) - 1  # one was of the document that is deleted
    assert estimate(world.plan()).index is None


def test_what_a_document_of_several_calls_costs_is_noted_in_full() -> None:
    world = ReindexWorld()
    calls = world.embedder.max_batch
    world.put(
        "many.md", "\n\n".join(f"Rule {n} says that each visitor writes {n} lines into the book." for n in range(20))
    )
    world.run()
    other_model(world)
    done = reindex(world.plan())
    paid = world.embedders["other"].texts
    assert len(paid) > 2 * calls
    assert done.usage.embedded_texts == len(paid)
    record = world.record("many.md")
    assert record is not None and record.usage.embedded_texts == len(paid) + len(world.embedder.texts)


def test_a_document_that_was_made_with_other_settings_is_reason_enough() -> None:
    """The current index has the name of these settings, but not all of it was made by them."""
    world = filled()
    other_chunks(world)
    world.put("a.md", RULES + " ")
    world.run()
    world.size = 200
    old = world.current().index
    done = reindex(world.plan())
    assert done.made and done.index not in (None, old)
    assert world.ask("rule")
    assert not reindex(world.plan()).made


def test_an_overwrite_with_another_format_that_is_in_work_is_no_reason() -> None:
    """The record tells the format of the new generation, and search still shows the one before."""
    world = filled()
    world.bucket.put("b.txt", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n" + bytes(range(256)))
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    world.handle(published.job)
    record = world.record("b.txt")
    assert record is not None and (record.format, record.status) == ("pdf", Status.PENDING)
    assert not reindex(world.plan()).made


EVERY = pytest.mark.parametrize(
    "every", [pytest.param(1, marks=pytest.mark.prove, id="every call"), pytest.param(9, id="some calls")]
)
"""One in so many calls of a reindex."""


@EVERY
@pytest.mark.parametrize("change", CHANGES)
def test_it_goes_on_wherever_it_was_stopped(change: Change, every: int) -> None:
    expected = made_from_the_start(change, FILES)
    clean = Faults()
    world = filled(clean)
    change(world)
    reindex(world.plan())
    assert len(clean.calls) > 50
    for number in range(every // 2, len(clean.calls), every):
        for fault in (Crash, lambda: TransientError("in passing")):
            for moment in ("before", "after"):
                faults = Faults()
                getattr(faults, moment)[number] = fault()
                world = filled(faults)
                change(world)
                finish(world)
                assert world.contents() == expected, f"{fault} {moment} call {number}, {clean.calls[number]}"


MEANWHILE: dict[str, tuple[Callable[[ReindexWorld], None], dict[str, str]]] = {
    "add": (lambda world: world.put("f.txt", RULES[:150]), {**FILES, "f.txt": RULES[:150]}),
    "overwrite": (lambda world: world.put("b.txt", BACKUP + LEAVE), {**FILES, "b.txt": BACKUP + LEAVE}),
    "delete": (lambda world: world.delete("d.txt"), {name: FILES[name] for name in FILES if name != "d.txt"}),
    "revive": (lambda world: world.put("0.md", LEAVE + RULES), {**FILES, "0.md": LEAVE + RULES}),
}


@EVERY
@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
@pytest.mark.parametrize("happening", MEANWHILE)
def test_it_catches_up_with_what_happens_meanwhile(happening: str, late: bool, every: int) -> None:
    """That may happen before any of its calls, and the lanes may work on it at once or only while the reindex waits."""
    happen, files = MEANWHILE[happening]
    expected = made_from_the_start(other_model, files)
    clean = Faults()
    world = filled(clean)
    other_model(world)
    reindex(world.plan())
    for number in range(every // 2, len(clean.calls), every):
        meddling = Meddling()
        world = filled(meddling)
        other_model(world)

        def meddle(call: int, world: ReindexWorld = world, number: int = number) -> None:
            if call == number:
                happen(world)
                if not late:
                    world.run()
            if late:  # what has been overwritten is found with one of its texts, and with one all the time
                assert "b.txt" in {result.document.name for result in world.ask("paid leave")}

        meddling.meanwhile = meddle
        reindex(world.plan())
        world.run()
        assert world.contents() == expected, f"before call {number}, {clean.calls[number]}"


def test_every_query_meanwhile_finds_everything_and_in_one_index_only() -> None:
    questions = {"paid leave": "b.txt", "nightly backup": "d.txt", "rule": "a.md"}
    asked = 0
    meddling = Meddling()
    world = filled(meddling)
    other_model(world)
    other_chunks(world)

    def ask(_: int) -> None:
        nonlocal asked
        held = {chunk.id for chunk in world.current().vectors().scan(limit=100)}
        texts = {
            one.chunk.text
            for record in world.documents.page(limit=10)
            for one in world.current().vectors().read(record.id, record.generation)
        }
        for question, name in questions.items():
            results = world.ask(question)
            assert name in {result.document.name for result in results}, f"{question} is not answered any more"
            assert {result.chunk.id for result in results} <= held
            assert {result.chunk.text for result in results} <= texts
            asked += 1

    meddling.meanwhile = ask
    reindex(world.plan())
    assert asked > 100


ENOUGH = 20
"""Passes. Each meets one upload, so without a hold none of them would be the last."""


@pytest.mark.parametrize("name", ["another each time", "the same"])
@pytest.mark.parametrize("change", CHANGES)
def test_it_ends_while_uploads_go_on_and_hides_nothing(change: Change, name: str) -> None:
    """Each pass meets a document that the lanes have completed since the pass before."""
    uploading = Uploading()
    world = filled(uploading)
    files = dict(FILES)
    change(world)

    def upload(number: int) -> None:
        assert number < ENOUGH, "the reindex does not end"
        uploaded = f"{number}.txt" if name != "the same" else "b.txt"
        files[uploaded] = f"{BACKUP} {number}"
        world.put(uploaded, files[uploaded])
        world.run()
        current = world.current().index.name
        for record in world.documents.page(limit=100):
            if record.status is Status.COMPLETED:
                assert record.indexed_in(current) is not None, f"{record.name} is hidden in pass {number}"

    uploading.upload = upload
    reindex(world.plan())
    assert uploading.passes > 3
    world.run()
    assert world.contents() == made_from_the_start(change, files)


def test_flips_are_held_for_the_last_passes_only_and_cost_no_attempt() -> None:
    uploading = Uploading()
    world = filled(uploading)
    other_model(world)
    held: list[bool] = []

    def upload(number: int) -> None:
        held.append(is_held(world.checkpoints, world.clock))
        if held[-1] and held.count(True) == 1:
            world.put("late.txt", BACKUP + LEAVE)
            world.run()
            record = world.record("late.txt")
            assert record is not None
            assert (record.status, record.attempts, record.lease) == (Status.PENDING, 0, None)

    uploading.upload = upload
    reindex(world.plan())
    assert [one for one, _ in groupby(held)] == [False, True, False]
    assert not is_held(world.checkpoints, world.clock)
    world.run()
    record = world.record("late.txt")
    assert record is not None and record.indexed_in(world.wanted.name) is not None
    assert (record.status, record.attempts) == (Status.COMPLETED, 1)


def test_a_hold_whose_reindex_has_died_runs_out() -> None:
    world = filled()
    assert Hold(world.checkpoints, world.clock).begin()
    world.put("b.txt", BACKUP)
    world.run()
    held = world.record("b.txt")
    assert held is not None and held.status is Status.PENDING
    assert LEAVE in {result.chunk.text for result in world.ask("paid leave")}
    world.clock.advance(HOLD_LEASE)
    world.run()
    completed = world.record("b.txt")
    assert completed is not None and completed.status is Status.COMPLETED
    assert LEAVE not in {result.chunk.text for result in world.ask("paid leave")}


def test_a_hold_without_time_for_a_slow_switch_does_not_last() -> None:
    world = filled()
    hold = Hold(world.checkpoints, world.clock)
    assert hold.begin()
    assert not Hold(world.checkpoints, world.clock).begin(), "another reindex waits until it is over"
    assert hold.lasts()
    world.clock.advance(HOLD_LEASE * 2 / 3)
    assert is_held(world.checkpoints, world.clock)
    assert not hold.lasts()
    assert hold.extend()
    assert hold.lasts()


def test_a_lane_that_began_in_the_old_index_does_its_work_again() -> None:
    world = filled()
    before = world.record("b.txt")
    other_model(world)
    world.put("b.txt", BACKUP + LEAVE)
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    embed = world.embedder.embed_documents

    def switch_first(texts: Sequence[str]) -> Embeddings:
        world.indexes.open(world.wanted)
        world.indexes.make_current(world.wanted)
        return embed(texts)

    world.embedder.embed_documents = switch_first  # type: ignore[method-assign]  # the lane is stopped there
    with pytest.raises(TransientError, match="processed again"):
        world.handle(published.job)
    record = world.record("b.txt")
    assert record is not None and before is not None
    assert record.active == before.active  # what may be in the new index already is shown until then
    world.handle(published.job)
    record = world.record("b.txt")
    assert record is not None and record.active is not None
    assert (record.status, record.active.index_name) == (Status.COMPLETED, world.wanted.name)
    finish(world)
    assert world.contents() == made_from_the_start(other_model, {**FILES, "b.txt": BACKUP + LEAVE})


def test_a_worker_that_died_after_its_flip_leaves_its_job_to_be_done_in_the_new_index() -> None:
    world = filled()
    job = world.record("b.txt").job  # type: ignore[union-attr]  # it was put
    other_model(world)
    world.indexes.open(world.wanted)
    world.indexes.make_current(world.wanted)
    with pytest.raises(TransientError, match="processed again"):
        world.handle(job)
    world.handle(job)
    record = world.record("b.txt")
    assert record is not None and record.indexed_in(world.wanted.name) is not None
    assert [result.document.name for result in world.ask("paid leave")] == ["b.txt"]


def test_what_cannot_be_made_any_more_fails_with_its_reason() -> None:
    world = filled()
    other_model(world)
    stored = world.bucket.stat("b.txt")
    assert stored is not None
    object.__setattr__(world.record("b.txt").config, "min_text_length", 5_000)  # type: ignore[union-attr]  # it was put
    cost = estimate(world.plan())
    done = reindex(world.plan())
    record = world.record("b.txt")
    assert (cost.refused, done.refused, cost.documents, done.documents) == (1, 1, 3, 3)
    assert record is not None and record.failure is not None
    assert (record.status, record.failure.code) == (Status.FAILED, ErrorCode.TEXT_TOO_SHORT)
    assert world.ask("nightly backup")


def test_a_half_built_index_of_other_settings_is_finished_or_discarded() -> None:
    clean = Faults()
    world = filled(clean)
    other_model(world)
    reindex(world.plan())
    built = [number for number, call in enumerate(clean.calls) if call == "documents.update"]
    faults = Faults()
    world = filled(faults)
    other_model(world)
    first = world.wanted
    faults.after[built[1]] = Crash()
    with pytest.raises(Crash):
        reindex(world.plan())
    assert first in world.indexes.all()
    world.model, world.size = "counting", 300
    with pytest.raises(ConfigurationError, match=rf"{first.name}.*--discard"):
        reindex(world.plan())
    done = reindex(world.plan(), discard=True)
    assert done.made
    assert world.contents() == made_from_the_start(other_chunks, FILES)


def test_what_was_dropped_half_built_is_made_again() -> None:
    """The records still say that the index that was dropped has their documents."""
    clean = Faults()
    world = filled(clean)
    other_model(world)
    reindex(world.plan())
    built = [number for number, call in enumerate(clean.calls) if call == "documents.update"]
    faults = Faults()
    world = filled(faults)
    before = world.model
    other_model(world)
    half_built = world.wanted
    faults.after[built[1]] = Crash()
    with pytest.raises(Crash):
        reindex(world.plan())
    world.model = before
    assert reindex(world.plan(), discard=True).dropped == (half_built.name,)
    other_model(world)
    assert estimate(world.plan()).documents == 4
    done = reindex(world.plan())
    world.run()
    assert (done.made, done.index, done.documents) == (True, half_built, 4)
    assert world.contents() == made_from_the_start(other_model, FILES)


class PublisherAway(MemoryPublisher):
    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        raise Unavailable("The publisher is away.")


def test_no_document_waits_for_a_job_that_a_lane_could_not_publish() -> None:
    """The lane has finished the document in an index that is no longer the current one, and its queue has given the job
    up meanwhile."""
    world = filled()
    record = world.record("b.txt")
    assert record is not None
    other_model(world)
    world.indexes.open(world.wanted)
    world.indexes.make_current(world.wanted)
    world.publisher = PublisherAway()
    with pytest.raises(Unavailable):
        world.handle(record.job)
    assert world.record("b.txt") == record


def test_nothing_is_done_where_nothing_was_ever_indexed() -> None:
    world = ReindexWorld()
    assert not reindex(world.plan()).made


def test_a_search_of_a_dropped_index_goes_on_in_the_current_one() -> None:
    world = filled()
    stale = world.current()
    other_model(world)
    reindex(world.plan())
    with pytest.raises(IndexGone):
        stale.vectors().read("b.txt", 1)
    opened = iter([stale])
    current = world.current
    world.current = lambda: next(opened, None) or current()  # type: ignore[method-assign]  # has not heard of the switch yet
    assert "b.txt" in {result.document.name for result in world.ask("paid leave")}
