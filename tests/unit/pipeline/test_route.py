"""The record follows the bucket, whatever numbers the generations have, and in whatever order the events come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ragbase.domain.document import Document, Status
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.pipeline.route import route
from ragbase.ports import StoredObject
from tests.simulation.world import BUCKET, Faults, World

NAME = "leave.md"
OLD = "Everyone may take twenty-five days of paid leave a year, to be agreed with the team."
NEW = "Everyone may take thirty days of paid leave a year, to be agreed with the team."
LAST = "Everyone may take as much paid leave as they want, to be agreed with the team."

NUMBERS = {"growing": (1, 2, 3), "falling": (3, 2, 1), "in no order": (2, 3, 1)}


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture(params=NUMBERS)
def world(request: pytest.FixtureRequest, faults: Faults) -> World:
    """The first generations of the world's bucket have these numbers."""
    world = World(faults)
    world.numbers.extend(NUMBERS[request.param])
    return world


def put(world: World, text: str) -> StoredObject:
    world.put(NAME, text)
    stored = world.bucket.stat(NAME)
    assert stored is not None
    return stored


def taken(world: World) -> ObjectEvent:
    """The only event that the bucket has announced since the last time."""
    (event,) = world.events
    world.events.clear()
    return event


def record(world: World) -> Document:
    found = world.record(NAME)
    assert found is not None
    return found


def deliver(world: World, faults: Faults, *events: ObjectEvent) -> list[int]:
    """How often the router asks the bucket at each of these events."""
    asked = []
    for event in events:
        before = faults.calls.count("bucket.stat")
        world.handle(event)
        asked.append(faults.calls.count("bucket.stat") - before)
    return asked


def test_a_first_upload_costs_no_look_at_the_bucket(world: World, faults: Faults) -> None:
    put(world, OLD)
    event = taken(world)
    assert deliver(world, faults, event, event) == [0, 0]
    world.run()
    assert world.shown(NAME) == [OLD]
    assert deliver(world, faults, event) == [0]


def test_an_overwrite_replaces_the_text(world: World, faults: Faults) -> None:
    for text in (OLD, NEW, LAST):
        put(world, text)
        assert deliver(world, faults, taken(world))[0] <= 1
        world.run()
        assert world.shown(NAME) == [text]
    assert set(world.vectors.held([record(world).id])[record(world).id]) == {record(world).generation}


def test_an_upload_after_a_deletion_is_found(world: World, faults: Faults) -> None:
    for text in (OLD, NEW, LAST):
        put(world, text)
        assert deliver(world, faults, taken(world))[0] <= 1
        world.run()
        assert world.shown(NAME) == [text]
        world.delete(NAME)
        assert deliver(world, faults, taken(world)) == [1]
        world.run()
        assert record(world).tombstone and world.shown(NAME) == []


def test_late_events_of_versions_before_change_nothing(world: World, faults: Faults) -> None:
    events = []
    for text in (OLD, NEW):
        stored = put(world, text)
        events += [taken(world), stored.event(EventKind.DELETED)]
    world.handle(events[2])
    world.run()
    world.delete(NAME)
    events.append(taken(world))
    put(world, LAST)
    last = taken(world)
    world.handle(last)
    world.run()
    before = record(world)
    assert deliver(world, faults, *events, *reversed(events)) == [1] * 10
    assert deliver(world, faults, last) == [0]
    assert record(world) == before
    world.run()
    assert world.shown(NAME) == [LAST]


def test_an_overwrite_may_announce_the_end_of_the_old_version_first(world: World, faults: Faults) -> None:
    """As fake-gcs-server does. The text that the bucket had is shown until the new one is made."""
    old = put(world, OLD)
    world.run()
    put(world, NEW)
    written = taken(world)
    assert deliver(world, faults, old.event(EventKind.DELETED)) == [1]
    assert world.shown(NAME) == [OLD]
    assert deliver(world, faults, written) == [0], "the record knows it already"
    world.run()
    assert world.shown(NAME) == [NEW]


def test_an_event_that_says_what_has_replaced_its_version_is_believed(world: World, faults: Faults) -> None:
    old = put(world, OLD)
    world.run()
    put(world, NEW)
    ended = replace(old.event(EventKind.DELETED), overwritten=True)
    before = record(world)
    assert deliver(world, faults, ended) == [0]
    assert record(world) == before


def test_a_late_deletion_does_not_hide_what_was_uploaded_since(world: World, faults: Faults) -> None:
    put(world, OLD)
    world.run()
    world.delete(NAME)
    deletion = taken(world)
    put(world, NEW)
    world.run()
    assert deliver(world, faults, deletion, deletion) == [1, 1]
    world.run()
    assert world.shown(NAME) == [NEW]


def test_a_doubled_deletion_asks_once_and_sends_its_job_twice(world: World, faults: Faults) -> None:
    put(world, OLD)
    world.run()
    world.delete(NAME)
    deletion = taken(world)
    assert deliver(world, faults, deletion, deletion) == [1, 0]
    assert len(world.publisher.take()) == 2
    assert record(world).tombstone


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (1, 0, 1, 0)])
def test_an_upload_and_its_deletion_leave_a_tombstone_in_any_order(world: World, order: tuple[int, ...]) -> None:
    put(world, OLD)
    world.delete(NAME)
    events = list(world.events)
    world.events.clear()
    for number in order:
        world.handle(events[number])
    world.run()
    assert record(world).tombstone
    assert not world.vectors.held([record(world).id])


def test_an_event_of_a_version_whose_own_event_is_lost_is_enough(world: World) -> None:
    """The bucket says what there is, not the event."""
    old = put(world, OLD)
    world.run()
    put(world, NEW)
    world.events.clear()
    world.handle(old.event(EventKind.FINALISED))
    world.handle(old.event(EventKind.DELETED))
    world.run()
    assert world.shown(NAME) == [NEW]


def test_an_empty_object_that_shows_a_folder_has_replaced_the_document(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = put(world, OLD)
    world.run()
    folder = replace(stored, name="notes/")
    with monkeypatch.context() as older_version:
        older_version.setattr("ragbase.pipeline.route.no_document", lambda *_: None)
        world.handle(folder.event(EventKind.FINALISED))
    world.theirs._live["notes/"] = (replace(folder, generation=77, size=0), b"")
    tombstone = route(replace(folder.event(EventKind.DELETED), size=1), world)
    assert tombstone is not None and tombstone.tombstone


@pytest.mark.parametrize("name", ["~$leave.docx", "docs/@eaDir/leave.md", "notes/"])
def test_what_is_left_out_by_its_name_gets_no_record(world: World, faults: Faults, name: str) -> None:
    stored = replace(put(world, OLD), name=name)
    world.events.clear()
    for kind in (EventKind.FINALISED, EventKind.DELETED):
        assert route(stored.event(kind), world) is None
    assert world.record(name) is None and not world.publisher.take()


def test_a_document_that_had_such_a_name_before_goes_on_until_it_is_deleted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the deletion comes twice: the first one may have ended before it published its job."""
    name = "~$leave.md"
    with monkeypatch.context() as older_version:
        older_version.setattr("ragbase.pipeline.route.no_document", lambda *_: None)
        world.put(name, OLD)
        world.run()
    world.put(name, NEW)
    world.run()
    assert world.shown(name) == [NEW]
    world.delete(name)
    deletion = taken(world)
    for _ in range(2):
        tombstone = route(deletion, world)
        assert tombstone is not None and tombstone.tombstone
    assert len(world.publisher.take()) == 2
    world.put(name, LAST)
    assert route(taken(world), world) is None
    assert world.shown(name) == []


# two routers at once


class _Meanwhile:
    """A bucket. After its next answer, before the caller has it, something else happens once."""

    def __init__(self, world: World, act: Callable[[], object]) -> None:
        self._world, self._act, self.asked = world, act, 0

    def stat(self, name: str) -> StoredObject | None:
        answer = self._world.bucket.stat(name)
        self.asked += 1
        if self.asked == 1:
            self._act()
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world.bucket, name)


def test_who_asked_first_cannot_write_last(world: World) -> None:
    """A asks and sees the second generation; B asks and sees the third; B writes the third, then A writes."""
    put(world, OLD)
    world.run()
    put(world, NEW)
    second = taken(world)

    def overtake() -> None:
        put(world, LAST)
        world.handle(taken(world))

    slow = _Meanwhile(world, overtake)
    route(second, world.ports(bucket=slow))
    assert slow.asked == 2
    world.run()
    assert world.shown(NAME) == [LAST]


def test_who_saw_an_upload_cannot_write_it_after_its_deletion(world: World) -> None:
    """A asks and sees the second generation; it is deleted, and B, who finds a tombstone, leaves one; then A writes."""
    put(world, OLD)
    world.run()
    world.delete(NAME)
    world.run()
    put(world, NEW)
    second = taken(world)

    def overtake() -> None:
        world.delete(NAME)
        world.handle(taken(world))

    slow = _Meanwhile(world, overtake)
    after = route(second, world.ports(bucket=slow))
    assert slow.asked == 2
    assert after is not None and after.tombstone
    assert record(world).tombstone


def test_who_saw_nothing_cannot_delete_what_was_uploaded_since(world: World) -> None:
    put(world, OLD)
    world.run()
    world.delete(NAME)
    deletion = taken(world)

    def overtake() -> None:
        put(world, NEW)
        world.handle(taken(world))

    slow = _Meanwhile(world, overtake)
    route(deletion, world.ports(bucket=slow))
    assert slow.asked == 2
    world.run()
    assert world.shown(NAME) == [NEW]


def test_work_on_the_document_is_no_reason_to_ask_again(world: World) -> None:
    """The record changes while the bucket is asked, but not by what the bucket holds."""
    put(world, OLD)
    world.handle(taken(world))
    (job,) = [message.job for message in world.publisher.take()]
    put(world, NEW)
    slow = _Meanwhile(world, lambda: world.handle(job))
    after = route(taken(world), world.ports(bucket=slow))
    assert slow.asked == 1
    assert after is not None and after.status is Status.PENDING
    assert after.bucket == BUCKET and after.md5 == world.bucket.stat(NAME).md5  # type: ignore[union-attr]  # it was put
    world.run()
    assert world.shown(NAME) == [NEW]
