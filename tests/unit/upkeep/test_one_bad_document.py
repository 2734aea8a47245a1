"""One bad document never stops the others: what goes over all of them continues, and reports the bad one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from ragbase.domain.document import Status
from ragbase.domain.errors import ErrorCode, TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.job import MIN_TEXT_LENGTH_KEY, Job
from ragbase.domain.object_event import EventKind
from ragbase.ports import Ports, Topic
from ragbase.upkeep.backfill import backfill
from ragbase.upkeep.dead_letters.keep import keep_dead_letter
from ragbase.upkeep.janitor import janitor
from ragbase.upkeep.reconcile import documents
from ragbase.upkeep.reconcile.compare import GRACE, DifferenceKind
from ragbase.upkeep.reconcile.failures import MOST_FAILURES_IN_A_ROW
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report
from ragbase.upkeep.reindex.reindex import reindex
from tests.simulation.reindex_world import ReindexWorld
from tests.simulation.world import BUCKET, World

LATER = GRACE + timedelta(seconds=1)


@dataclass
class Broken:
    """A port that raises where `breaks` says so of its first argument."""

    port: Any
    method: str
    breaks: Callable[[Any], Exception | None]

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.port, name)
        if name != self.method:
            return value

        def call(*arguments: Any, **named: Any) -> Any:
            if error := self.breaks(arguments[0] if arguments else None):
                raise error
            return value(*arguments, **named)

        return call


def text(name: str) -> str:
    return f"# {name}\n\nThis is the text of the note that has the name {name} in the bucket.\n"


def filled(world: World, *names: str) -> World:
    for name in names:
        world.put(name, text(name))
    return world


def bad_name(name: Any) -> Exception | None:
    return ValueError("the name is odd") if name == "b.md" else None


def compared(world: World, ports: Ports, *, repairs: bool = True) -> Report:
    report = Report()
    for progress in reconcile(ports, world.index, repairs=repairs):
        report.add(progress)
    return report


def test_a_comparison_reports_a_document_that_it_cannot_read_and_repairs_the_others() -> None:
    world = filled(World(), "a.md", "b.md", "c.md")
    world.events.clear()
    world.clock.advance(LATER)
    report = compared(world, world.ports(bucket=Broken(world.bucket, "stat", bad_name)))
    assert [(error.name, error.reason) for error in report.errors] == [("b.md", "ValueError: the name is odd")]
    assert report.found[DifferenceKind.MISSING] == 2 and report.is_complete
    world.run()
    assert [bool(world.shown(name)) for name in ("a.md", "b.md", "c.md")] == [True, False, True]


def test_a_comparison_stops_where_a_service_is_away() -> None:
    names = [f"{number}.md" for number in range(MOST_FAILURES_IN_A_ROW + 2)]
    world = filled(World(), *names)
    world.events.clear()
    world.clock.advance(LATER)
    away = Broken(world.bucket, "stat", lambda _: TransientError("The bucket does not answer."))
    with pytest.raises(TransientError, match="does not answer"):
        compared(world, world.ports(bucket=away))


def test_documents_that_cannot_be_repaired_do_not_keep_the_janitor_from_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(documents, "PAGE", 2)
    world = World()
    for number in range(7):  # the oldest are the bad ones
        filled(world, f"{number}.md")
        world.handle(world.events.popleft())
        world.clock.advance(timedelta(seconds=1))
    world.publisher.take()  # all jobs are lost
    world.clock.advance(LATER)
    unreadable = Broken(world.bucket, "stat", lambda name: ValueError("odd") if name < "5.md" else None)
    report = janitor(world.ports(bucket=unreadable), world.index)
    assert sorted({error.name for error in report.errors}) == [f"{number}.md" for number in range(5)]
    world.run()
    assert [bool(world.shown(f"{number}.md")) for number in range(7)] == [False] * 5 + [True] * 2


def test_a_backfill_goes_on_after_an_object_that_it_cannot_route() -> None:
    world = filled(World(), "a.md", "b.md", "c.md")
    world.events.clear()

    def refuse(id: Any) -> Exception | None:
        return ValueError("it cannot be recorded") if id == odd else None

    odd = document_id(BUCKET, "b.md")
    broken = world.ports(documents=Broken(world.documents, "update", refuse))
    visits = {visit.stored.name: visit for visit in backfill("", broken, rate=1000, sleep=lambda _: None)}
    assert visits["b.md"].error == "ValueError: it cannot be recorded"
    assert [visits[name].error for name in ("a.md", "c.md")] == [None, None]
    world.run()
    assert world.shown("a.md") and world.shown("c.md")


def test_a_reindex_goes_on_without_a_document_that_it_cannot_make() -> None:
    world = ReindexWorld()
    filled(world, "a.md", "b.md", "c.md")
    world.run()
    world.size = 100
    broken = world.ports(bucket=Broken(world.bucket, "read", bad_name))
    done = reindex(replace(world.plan(), ports=broken))
    assert done.made and done.refused == 1
    world.run()  # the lanes can read it
    index = done.index
    assert index is not None
    for name in ("a.md", "b.md", "c.md"):
        record = world.record(name)
        assert record is not None and record.indexed_in(index.name) is not None, name


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999", "ten", "", "１０"])
def test_metadata_out_of_range_fails_the_document_and_nothing_else(length: str) -> None:
    world = filled(World(), "a.md", "c.md")
    world.bucket.put("b.md", text("b.md").encode(), metadata={MIN_TEXT_LENGTH_KEY: length})
    world.run()
    record = world.record("b.md")
    assert record is not None and record.status is Status.FAILED and record.failure is not None
    assert record.failure.code is ErrorCode.UNSUPPORTED_FORMAT and MIN_TEXT_LENGTH_KEY in record.failure.reason
    assert world.shown("a.md") and world.shown("c.md")
    assert compared(world, world.ports()).errors == []


def test_an_event_whose_job_cannot_be_published_fails_the_record_that_it_left_open() -> None:
    world = filled(World(), "a.md")
    event = world.events.popleft()
    world.handle(event)
    world.publisher.take()  # the record is there, the job is not

    class Refuses:
        def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
            raise ValueError("The message is too large.")

    kept = keep_dead_letter(event, "The queue gave up.", world.ports(publisher=Refuses()), deliveries=20)
    record = world.record("a.md")
    assert record is not None and record.status is Status.FAILED and record.failure is not None
    assert kept is not None
    assert (record.failure.reason, kept.attempts) == ("The queue gave up.", 20)


def test_an_undeliverable_event_changes_nothing_where_the_document_is_done_or_deleted() -> None:
    world = filled(World(), "a.md", "b.md")
    events = list(world.events)
    world.run()
    world.delete("b.md")
    world.run()
    before = world.record("a.md"), world.record("b.md")
    for event in events:
        assert event.kind is EventKind.FINALISED
        keep_dead_letter(event, "The queue gave up.", world.ports(), deliveries=20)
    assert (world.record("a.md"), world.record("b.md")) == before
