"""The life of a document's word boxes: made and copied with its chunks, and gone with them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ragbase.domain.word_boxes import marks_on
from ragbase.upkeep.reconcile.compare import GRACE, DifferenceKind
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report
from ragbase.upkeep.reindex.reindex import reindex
from scripts.local_cloud.pdf import pdf
from tests.simulation.reindex_world import ReindexWorld
from tests.simulation.world import Crash, World

pytestmark = pytest.mark.slow

FERRY = pdf("The ferry crosses the wide river twice a day, at nine and at five.")
PIER = pdf("At the pier hangs the timetable, and nobody has read it since the winter.")


def put(world: World, name: str, data: bytes) -> None:
    world.bucket.put(name, data)
    world.run()


def boxes(world: World, name: str) -> bytes | None:
    """Those of what search shows."""
    record = world.record(name)
    assert record is not None and record.active is not None
    return world.word_boxes.read(record.id, record.active.generation, record.active.reader)


def kept(world: World) -> list[tuple[str, int]]:
    return [(one.document_id, one.generation) for one in world.word_boxes.scan(limit=100)]


def shown(world: World, *names: str) -> list[tuple[str, int]]:
    records = [world.record(name) for name in names]
    return sorted((one.id, one.active.generation) for one in records if one is not None and one.active is not None)


def found(world: World, *, repairs: bool = False) -> dict[DifferenceKind, int]:
    report = Report()
    for progress in reconcile(world, world.index, repairs=repairs):
        report.add(progress)
    return {kind: count for kind, count in report.found.items() if count}


@pytest.fixture
def world() -> World:
    world = World()
    put(world, "ferry.pdf", FERRY)
    return world


def test_they_are_made_with_the_chunks(world: World) -> None:
    made = boxes(world, "ferry.pdf")
    assert made is not None
    (mark,) = marks_on(made, 1, 0, len("The ferry"))
    assert mark.left < mark.right < 0.3 and mark.top < mark.bottom < 0.2


def test_a_text_has_none(world: World) -> None:
    world.put("notes.md", "# Notes\n\nWhat nobody has read at the pier since the winter stands here.\n")
    world.run()
    assert kept(world) == shown(world, "ferry.pdf")


def test_a_duplicate_has_its_own(world: World) -> None:
    put(world, "copy.pdf", FERRY)
    assert kept(world) == shown(world, "ferry.pdf", "copy.pdf")
    assert boxes(world, "copy.pdf") == boxes(world, "ferry.pdf")
    world.delete("ferry.pdf")
    world.run()
    assert kept(world) == shown(world, "copy.pdf")


def test_equal_bytes_under_the_same_name_keep_them(world: World) -> None:
    before = boxes(world, "ferry.pdf")
    put(world, "ferry.pdf", FERRY)
    assert boxes(world, "ferry.pdf") == before is not None
    assert kept(world) == shown(world, "ferry.pdf")


def test_they_are_replaced_with_the_generation(world: World) -> None:
    before = boxes(world, "ferry.pdf")
    put(world, "ferry.pdf", PIER)
    assert boxes(world, "ferry.pdf") not in (None, before)
    assert kept(world) == shown(world, "ferry.pdf")


def test_they_go_with_the_document(world: World) -> None:
    world.delete("ferry.pdf")
    world.run()
    assert kept(world) == []


def test_a_worker_that_stops_before_the_flip_leaves_them_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    put_boxes = world.word_boxes.put

    def once(*arguments: object) -> None:
        monkeypatch.setattr(world.word_boxes, "put", put_boxes)
        raise Crash

    monkeypatch.setattr(world.word_boxes, "put", once)
    put(world, "ferry.pdf", FERRY)
    assert kept(world) == shown(world, "ferry.pdf")


def test_reconcile_removes_what_no_record_needs(world: World) -> None:
    world.word_boxes.put("00000000-0000-4000-8000-000000000000", 7, "pdf|pdf-v4-text", b"without a record")
    record = world.record("ferry.pdf")
    assert record is not None
    world.word_boxes.put(record.id, 7, "pdf|pdf-v4-text", b"of an older generation")
    assert found(world) == {}, "a lane may be about to need what is so young"
    world.clock.advance(GRACE + timedelta(seconds=1))
    assert found(world) == {DifferenceKind.ORPHANED: 2}
    found(world, repairs=True)
    assert found(world) == {}
    assert kept(world) == shown(world, "ferry.pdf")


def test_a_reindex_makes_those_that_an_older_version_did_not_have() -> None:
    world = ReindexWorld()
    put(world, "ferry.pdf", FERRY)
    before = boxes(world, "ferry.pdf")
    ((id, generation),) = kept(world)
    world.word_boxes.delete(id, generation)
    world.size = 300
    reindex(world.plan())
    assert boxes(world, "ferry.pdf") == before is not None
    assert kept(world) == shown(world, "ferry.pdf")
