"""Objects that no event ever announced become documents, at a limited rate, and once."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice

import pytest

from ragbase.domain.document import Status
from ragbase.testing.clock import START
from ragbase.upkeep import backfill as module
from ragbase.upkeep.backfill import Visit, backfill
from tests.simulation.world import World

NAMES = [f"notes/{number}.md" for number in range(7)]


@pytest.fixture
def world() -> World:
    world = World()
    for name in (*NAMES, "other.md"):
        world.put(name, f"# {name}\n\nThis is the text of the note that has the name {name} in the bucket.\n")
    world.events.clear()
    return world


def run(world: World, prefix: str = "notes/", *, rate: float = 1000, dry_run: bool = False) -> list[Visit]:
    def sleep(seconds: float) -> None:
        assert seconds > 0
        world.clock.advance(timedelta(seconds=seconds))

    return list(backfill(prefix, world, rate=rate, sleep=sleep, dry_run=dry_run))


def known(visits: list[Visit]) -> list[bool]:
    return [visit.is_known for visit in visits]


def test_every_object_with_the_prefix_becomes_a_document(world: World) -> None:
    visits = run(world)
    world.run()
    assert [visit.stored.name for visit in visits] == NAMES
    assert all(visit.record and visit.record.status is Status.PENDING for visit in visits)
    assert all(world.shown(name) for name in NAMES)
    assert world.record("other.md") is None


def test_what_becomes_no_document_is_told_and_costs_no_time(world: World) -> None:
    names = ["share/Thumbs.db", "share/~$0.md", "share/~$1.md"]
    for name in names:
        world.put(name, "kept")
    before = world.clock.now()
    for dry_run in (True, False):
        visits = run(world, "share/", rate=0.001, dry_run=dry_run)
        assert [visit.stored.name for visit in visits if visit.left_out is not None] == names
    assert world.clock.now() == before and world.record("share/~$0.md") is None


def test_a_second_run_finds_nothing_to_do(world: World) -> None:
    run(world)
    world.run()
    assert known(run(world)) == [True] * 7
    assert not world.publisher.take()


@pytest.mark.parametrize("page", [1, 3, 500])
def test_it_goes_on_where_it_stopped_wherever_it_was_interrupted(
    page: int, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", page)
    assert len(list(islice(backfill("notes/", world, rate=1e9, sleep=lambda _: None), 4))) == 4
    assert known(run(world)) == [True] * 4 + [False] * 3
    assert len(world.publisher.take()) == 7


def test_a_newer_generation_is_routed_and_a_deleted_object_is_not(world: World) -> None:
    run(world)
    world.run()
    world.put(NAMES[1], "Another text for the second note, which is long enough for the pipeline to take.")
    world.delete(NAMES[2])
    world.events.clear()
    visits = run(world)
    assert [visit.stored.name for visit in visits if not visit.is_known] == [NAMES[1]]
    assert len(visits) == 6


def test_the_rate_is_kept_and_known_objects_cost_no_time(world: World) -> None:
    run(world, rate=2)
    assert world.clock.now() - START == timedelta(seconds=3)
    run(world, rate=2)
    assert world.clock.now() - START == timedelta(seconds=3)


def test_a_dry_run_only_looks(world: World) -> None:
    assert known(run(world, dry_run=True, rate=1)) == [False] * 7
    assert world.clock.now() == START
    assert not world.publisher.take()
    assert world.documents.count() == 0
