"""Events of objects whose names are forms of one name make one document, and older records go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import permutations

import pytest

from ragbase.domain.document import Document, Status
from ragbase.domain.identity import older_ids
from ragbase.domain.name_forms import nfd
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.tenant import Tenancy
from ragbase.engine.identify import find_documents
from ragbase.engine.seen_document import seen_by_name, seen_document
from ragbase.pipeline.named_records import current_records, records_of
from ragbase.pipeline.route import delete_document
from ragbase.upkeep.backfill import backfill
from ragbase.upkeep.reconcile.compare import GRACE, DifferenceKind
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report
from tests.simulation.world import BUCKET, World

NAME = "Vertr\u00e4ge/K\u00fcndigung.md"
DECOMPOSED = nfd(NAME)
MIXED = "Vertra\u0308ge/K\u00fcndigung.md"
TEXT = "The notice period is three months to the end of a quarter, and it has to be given in writing."
OTHER = "The notice period is six weeks to the end of a month, and a mail is enough to give the notice."
THIRD = "There is no notice period at all, since both sides can end the contract whenever they want to."
HELD = {NAME: TEXT, DECOMPOSED: OTHER, MIXED: THIRD}


@pytest.fixture
def world() -> World:
    return World()


@contextmanager
def an_older_version() -> Iterator[None]:
    """What told the forms of a name apart: the ids, the router and the labels."""
    with pytest.MonkeyPatch.context() as patches:
        for module in ("domain.identity", "domain.labels", "pipeline.route"):
            patches.setattr(f"ragbase.{module}.nfc", lambda name: name)
            if module == "pipeline.route":
                patches.setattr(f"ragbase.{module}.remove_older", lambda *_: None)
        patches.setattr("ragbase.pipeline.make_document.remove_older", lambda *_: None)
        patches.setattr(Document, "is_older", False)
        yield


@pytest.fixture
def older(world: World) -> World:
    """A document that an older version has made of an object whose name is in NFD."""
    with an_older_version():
        world.theirs.put(DECOMPOSED, TEXT.encode())
        world.run()
    (record,) = world.documents.page()
    assert (record.name, record.id) == (DECOMPOSED, older_ids(BUCKET, DECOMPOSED)[0])
    world.clock.advance(2 * GRACE)
    world.embedder.texts.clear()
    return world


def test_what_an_older_version_has_begun_is_brought_to_its_end(world: World) -> None:
    with an_older_version():
        world.theirs.put(DECOMPOSED, TEXT.encode())
        while world.events:
            world.handle(world.events.popleft())
    world.run()
    (record,) = live(world)
    assert (record.name, record.status) == (DECOMPOSED, Status.COMPLETED)


def live(world: World) -> list[Document]:
    return list(world.documents.page(limit=1000))


def looked(world: World, *, repairs: bool = False) -> Report:
    report = Report()
    for progress in reconcile(world.ports(), world.index, repairs=repairs):
        report.add(progress)
    return report


@pytest.mark.parametrize("forms", [*permutations(HELD)])
def test_the_object_that_counts_is_shown_whatever_comes_first(world: World, forms: tuple[str, ...]) -> None:
    for form in forms:
        world.theirs.put(form, HELD[form].encode())
        world.run(deliveries=2)
    (record,) = live(world)
    assert (record.name, record.status) == (NAME, Status.COMPLETED)
    assert "".join(world.shown(NAME)) == TEXT


@pytest.mark.parametrize("order", [*permutations(range(5))][::7])
def test_late_and_reordered_events_of_all_forms_end_with_what_the_bucket_holds(
    world: World, order: tuple[int, ...]
) -> None:
    for form in (DECOMPOSED, NAME, MIXED):
        world.theirs.put(form, HELD[form].encode())
    world.theirs.delete(NAME)
    world.theirs.delete(MIXED)
    events: list[ObjectEvent] = list(world.events)
    world.events.clear()
    for place in order:
        world.handle(events[place])
        world.run()
    (record,) = live(world)
    assert record.name == NAME
    assert "".join(world.shown(NAME)) == OTHER


def test_the_next_form_takes_the_place_of_one_that_is_deleted(world: World) -> None:
    for form, text in HELD.items():
        world.theirs.put(form, text.encode())
    world.run()
    for gone, shown in ((NAME, OTHER), (DECOMPOSED, THIRD)):
        world.theirs.delete(gone)
        world.run()
        assert "".join(world.shown(NAME)) == shown
    world.theirs.delete(MIXED)
    world.run()
    assert live(world) == []


def test_to_delete_a_document_deletes_every_form(world: World) -> None:
    for form, text in HELD.items():
        world.theirs.put(form, text.encode())
    world.run()
    (record,) = live(world)
    assert delete_document(record, world.ports()).tombstone
    world.run()
    assert list(world.theirs.list()) == []
    assert live(world) == []
    assert world.vectors.held([record.id]) == {}


def test_a_comparison_counts_and_names_objects_that_do_not_count(world: World) -> None:
    for form, text in HELD.items():
        world.theirs.put(form, text.encode())
    world.run()
    world.clock.advance(2 * GRACE)
    for repairs in (False, True):
        report = looked(world, repairs=repairs)
        assert (dict(report.found), report.left.total(), report.in_step) == ({DifferenceKind.SHADOWED: 2}, 0, 1)
    found = sorted(finding.difference.found for finding in report.examples[DifferenceKind.SHADOWED])
    kept_as = sorted(map(ascii, [DECOMPOSED, MIXED]))
    assert all(f" {form}," in text for form, text in zip(kept_as, found, strict=True))
    assert {finding.name for finding in report.examples[DifferenceKind.SHADOWED]} == {NAME}


def test_a_backfill_makes_one_document_of_all_forms(world: World) -> None:
    for form in (*HELD, "a.md", "z.md"):
        world.theirs.put(form, HELD.get(form, TEXT).encode())
    world.events.clear()
    visits = list(backfill("", world.ports(), rate=1e9, sleep=lambda _: None))
    world.run()
    assert sorted(visit.stored.name for visit in visits) == ["Vertr\u00e4ge/K\u00fcndigung.md", "a.md", "z.md"]
    assert sorted(record.name for record in live(world)) == [NAME, "a.md", "z.md"]
    assert "".join(world.shown(NAME)) == TEXT


@pytest.mark.parametrize("typed", [NAME, DECOMPOSED, MIXED])
def test_an_older_record_is_found_by_every_form(older: World, typed: str) -> None:
    (record,) = live(older)
    assert find_documents([typed], older.documents, older.bucket, None) == {typed: record}
    assert records_of([typed, "a.md"], older.documents, BUCKET) == {typed: record}
    assert seen_by_name(typed, BUCKET, older.documents, Tenancy.NONE, tenant=None) == record


def test_the_next_upload_replaces_an_older_record_and_embeds_only_what_is_new(older: World) -> None:
    (before,) = live(older)
    older.theirs.put(DECOMPOSED, TEXT.encode())
    older.run(deliveries=2)
    (record,) = live(older)
    assert (record.name, record.status) == (NAME, Status.COMPLETED)
    assert "".join(older.shown(NAME)) == TEXT
    assert older.embedder.texts == []
    assert older.vectors.held([before.id]) == {}
    assert older.documents.get(before.id) is not None
    older.clock.advance(2 * GRACE)
    assert looked(older).found == {}
    # Whoever kept the older id still finds the document.
    assert seen_document(before.id, older.documents, Tenancy.NONE, tenant=None) == record
    assert current_records([before.id, "none"], older.documents) == {before.id: record}


def test_search_shows_an_older_record_until_the_new_one_is_made(older: World) -> None:
    (before,) = live(older)
    older.theirs.put(DECOMPOSED, OTHER.encode())
    while older.events:
        older.handle(older.events.popleft())
    assert before in live(older)
    older.run()
    assert [record.name for record in live(older)] == [NAME]


@pytest.mark.parametrize("through_bucket", [False, True])
def test_an_older_record_is_deleted_whole(older: World, through_bucket: bool) -> None:
    (before,) = live(older)
    if through_bucket:
        older.bucket.delete(NAME)
    else:
        assert delete_document(before, older.ports()).tombstone
    older.run()
    assert live(older) == []
    assert older.vectors.held([before.id]) == {}
    older.clock.advance(2 * GRACE)
    assert looked(older).found == {}


def test_a_comparison_brings_older_records_to_the_name_in_nfc_and_then_reports_nothing(older: World) -> None:
    report = looked(older, repairs=True)
    assert (report.found[DifferenceKind.MISSING], report.left.total()) == (1, 0)
    older.run()
    older.clock.advance(2 * GRACE)
    (record,) = live(older)
    assert (record.name, older.embedder.texts) == (NAME, [])
    report = looked(older)
    assert (report.found, report.in_step) == ({}, 1)


def test_a_comparison_removes_an_older_record_that_was_left_over(older: World) -> None:
    (before,) = live(older)
    with pytest.MonkeyPatch.context() as patches:  # as if the worker had stopped right after the flip
        patches.setattr("ragbase.pipeline.make_document.remove_older", lambda *_: None)
        looked(older, repairs=True)
        older.run()
    assert len(live(older)) == 2
    older.clock.advance(2 * GRACE)
    report = looked(older, repairs=True)
    assert dict(report.found) == {DifferenceKind.STALE: 1}
    older.run()
    assert [record.name for record in live(older)] == [NAME]
    assert older.vectors.held([before.id]) == {}


def test_an_older_record_whose_object_is_gone_is_stale(older: World) -> None:
    older.theirs.delete(DECOMPOSED)
    older.events.clear()
    older.clock.advance(timedelta(hours=1))
    assert dict(looked(older, repairs=True).found) == {DifferenceKind.STALE: 1}
    older.run()
    assert live(older) == []
