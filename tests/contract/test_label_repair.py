"""Chunks that a version without labels has written get them from a repair, and lose nothing meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from ragbase.domain.chunk import EmbeddedChunk
from ragbase.domain.condition import Condition
from ragbase.domain.document import Document
from ragbase.domain.errors import TransientError
from ragbase.domain.labels import Labels, labels_of
from ragbase.domain.search_filter import SearchFilter
from ragbase.domain.tenant import Tenancy
from ragbase.ports import VectorStore
from ragbase.testing.chunks import document, embedded, vector_of
from ragbase.upkeep.janitor import janitor
from ragbase.upkeep.reconcile import chunks
from ragbase.upkeep.reconcile.compare import GRACE, DifferenceKind
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report
from tests.contract.indexes import INDEXES
from tests.contract.real_servers import in_prove
from tests.contract.vector_stores import VECTOR_STORES
from tests.simulated_world.wrapped_partitions import WrappedPartitions
from tests.simulation.reindex_world import ReindexWorld
from tests.simulation.world import Faults

KEEPERS = [name for name in INDEXES if name != "sqlite"]
"""The stores whose chunks carry labels."""
OLD = {
    f"old/{number}.md": f"---\ntags: [ops]\ndate: 2024-05-0{number}\nedition: {number}\n---\n# Rules\n\n"
    for number in range(1, 5)
}
LONG = "\n\n".join(f"## Rule {n}\n\nRule number {n} says that whoever reads it first explains it." for n in range(9))
LATER = GRACE + timedelta(seconds=1)


@pytest.fixture(params=in_prove(VECTOR_STORES))
def store(request: pytest.FixtureRequest) -> Iterator[VectorStore]:
    with VECTOR_STORES[request.param]() as store:
        yield store


def test_a_scan_tells_the_labels_of_each_chunk(store: VectorStore) -> None:
    named, dated = Labels(("0f" * 8, "1e" * 8)), Labels(("2d" * 8,), 20240131)
    written = {"a": named, "b": dated, "c": None}
    store.write([embedded(name, labels=labels) for name, labels in written.items()])
    found = {chunk.document_id: chunk.labels for chunk in store.scan(limit=10)}
    assert found == (written if store.keeps_labels else dict.fromkeys(written))


def test_a_chunk_that_is_written_with_other_labels_is_found_at_every_moment(store: VectorStore) -> None:
    chunks = document("a", [f"red {number}" for number in range(30)])
    store.write(chunks)
    finished = Event()

    def search() -> set[int]:
        found = set[int]()
        while not finished.is_set() or not found:
            found.add(len(store.search(vector_of("red"), [], 100).hits))
            found.add(len(store.search(vector_of("other"), ["red"], 100).hits))
        return found

    with ThreadPoolExecutor(2) as threads:
        searching = [threads.submit(search) for _ in range(2)]
        try:
            for day in range(20240101, 20240121):
                store.write([replace(one, labels=Labels(("3c" * 8,), day)) for one in chunks])
        finally:
            finished.set()
        assert [each.result() for each in searching] == [{30}, {30}]


@pytest.fixture(params=in_prove(KEEPERS))
def world(request: pytest.FixtureRequest) -> Iterator[ReindexWorld]:
    """Documents in two tenants whose chunks have no labels, and one with its labels."""
    with INDEXES[request.param]() as opened:
        world = ReindexWorld(tenancy=Tenancy.FOLDER, indexes=opened())
        world.numbers.extend(range(1, 100))  # Weaviate keeps no larger ones than 2^53
        world.put("new/a.md", LONG)
        yield with_old_documents(world)


def with_old_documents(world: ReindexWorld) -> ReindexWorld:
    for name, metadata in OLD.items():
        world.put(name, metadata + LONG)
    world.run()
    world.clock.advance(LATER)
    for name in OLD:
        relabel(world, name, None)
    return world


def record_of(world: ReindexWorld, name: str) -> Document:
    record = world.record(name)
    assert record is not None
    return record


def chunks_of(world: ReindexWorld, name: str) -> Sequence[EmbeddedChunk]:
    record = record_of(world, name)
    return world.current().vectors_of(name).read(record.id, record.generation)


def relabel(world: ReindexWorld, name: str, labels: Labels | None) -> None:
    """Write the document's chunks as another version has: with these labels."""
    world.current().vectors_of(name).write([replace(one, labels=labels) for one in chunks_of(world, name)])


def look(world: ReindexWorld, **options: Any) -> Report:
    report = Report()
    for progress in reconcile(world, world.current(), **options):
        report.add(progress)
    return report


def chunks_of_all(world: ReindexWorld) -> Mapping[str, tuple[object, ...]]:
    """Each chunk with all that it has, but for its labels."""
    return {
        one.chunk.id: (one.chunk, one.terms, one.vector.tolist())
        for record in world.documents.page(limit=100)
        for one in chunks_of(world, record.name)
    }


def assert_in_step(world: ReindexWorld) -> None:
    assert look(world).found.total() == 0


def assert_labelled(world: ReindexWorld) -> None:
    for record in world.documents.page(limit=100):
        assert record.active is not None
        expected = labels_of(record.name, record.active.format, record.metadata)
        assert {one.labels for one in chunks_of(world, record.name)} == {expected}
    for within in (
        SearchFilter(path_prefixes=frozenset({"old/2.md"})),
        SearchFilter(where=(Condition(key="edition", at_least=1.5, at_most=2),)),
    ):
        hits = world.current().vectors("old").search(vector_of("red"), [], 100, within=within).hits
        assert {hit.chunk.document_id for hit in hits} == {record_of(world, "old/2.md").id}


def test_chunks_without_labels_are_reported_and_a_repair_writes_them_and_embeds_nothing(world: ReindexWorld) -> None:
    before, embedded_before = chunks_of_all(world), len(world.embedder.texts)
    records = {record.id: record for record in world.documents.page(limit=100)}
    lacking = sum(len(chunks_of(world, name)) for name in OLD)

    found = look(world)
    assert (found.found, found.left.total()) == ({DifferenceKind.UNLABELLED: lacking}, lacking)
    assert found.examples[DifferenceKind.UNLABELLED][0].name in OLD

    repaired = look(world, repairs=True)
    assert (repaired.found, repaired.left.total()) == ({DifferenceKind.UNLABELLED: lacking}, 0)
    assert_labelled(world)
    assert chunks_of_all(world) == before
    assert {record.id: record for record in world.documents.page(limit=100)} == records
    assert len(world.embedder.texts) == embedded_before and not world.publisher.take()
    assert_in_step(world)


def test_other_labels_than_the_record_gives_are_replaced(world: ReindexWorld) -> None:
    assert look(world, repairs=True).left.total() == 0
    relabel(world, "old/2.md", labels_of("elsewhere/2.md", "html", record_of(world, "new/a.md").metadata))
    assert look(world, repairs=True).found == {DifferenceKind.UNLABELLED: len(chunks_of(world, "old/2.md"))}
    assert_labelled(world)
    assert_in_step(world)


def test_the_janitor_writes_missing_labels(world: ReindexWorld) -> None:
    assert janitor(world, world.current()).found[DifferenceKind.UNLABELLED]
    assert_labelled(world)


def test_a_document_in_motion_is_left_alone(world: ReindexWorld) -> None:
    for name, metadata in OLD.items():
        world.put(name, f"{metadata}{LONG}\n\nOne thing more is to be said about it.")
    world.run()
    for name in OLD:
        relabel(world, name, None)
    assert look(world, repairs=True).found.total() == 0
    assert look(world, repairs=True, grace=timedelta(0)).found[DifferenceKind.UNLABELLED]
    assert_labelled(world)


@pytest.mark.slow
def test_a_repair_that_ends_at_any_call_leaves_the_rest_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNKS", 7)

    def repair(world: ReindexWorld, faults: Faults) -> None:
        index = world.current()
        wrapped = replace(index, partitions=WrappedPartitions(index.partitions, lambda one: faults.wrap("v", one)))
        ports = world.ports(documents=faults.wrap("documents", world.documents))
        for _ in reconcile(ports, wrapped, repairs=True):
            pass

    clean = Faults()
    repair(with_old_documents(ReindexWorld()), clean)
    assert clean.calls.count("v.write") == len(OLD)
    for number in range(len(clean.calls)):
        for side in ("before", "after"):
            world, faults = with_old_documents(ReindexWorld()), Faults()
            before = chunks_of_all(world)
            getattr(faults, side)[number] = KeyboardInterrupt()
            with pytest.raises(KeyboardInterrupt):
                repair(world, faults)
            assert chunks_of_all(world) == before
            look(world, repairs=True)
            assert_in_step(world)
            assert chunks_of_all(world) == before


def test_one_document_that_cannot_be_labelled_stops_no_other() -> None:
    world = with_old_documents(ReindexWorld())
    faults = Faults()
    index = world.current()
    wrapped = replace(index, partitions=WrappedPartitions(index.partitions, lambda one: faults.wrap("v", one)))
    report = Report()
    pages = reconcile(world, wrapped, repairs=True)
    report.add(next(pages))
    faults.before[len(faults.calls) + 1] = TransientError("once")  # its first read, after the page of chunks
    for progress in pages:
        report.add(progress)
    assert [error.reason for error in report.errors] == ["TransientError: once"]
    assert {one.name for one in look(world).examples[DifferenceKind.UNLABELLED]} == {report.errors[0].name}
    look(world, repairs=True)
    assert_in_step(world)


@pytest.mark.parametrize("moves_on", ["overwritten", "deleted"])
def test_labels_that_are_written_late_bring_no_chunks_back(moves_on: str) -> None:
    """The document moves on while its labels are being written."""
    world = ReindexWorld()
    world.put("old/1.md", OLD["old/1.md"] + LONG)
    world.run()
    world.clock.advance(LATER)
    relabel(world, "old/1.md", None)

    class Slow:
        def __init__(self, store: VectorStore) -> None:
            self.store = store

        def __getattr__(self, name: str) -> Any:
            return getattr(self.store, name)

        def write(self, chunks: Any) -> None:
            if moves_on == "deleted":
                world.bucket.delete("old/1.md")
            else:
                world.put("old/1.md", "# Other\n\n" + LONG.replace("Rule", "Law"))
            world.run()
            world.clock.advance(LATER)
            world.run()
            self.store.write(chunks)

    index = world.current()
    for _ in reconcile(world, replace(index, partitions=WrappedPartitions(index.partitions, Slow)), repairs=True):
        pass
    current = record_of(world, "old/1.md")
    held = world.current().vectors().held([current.id]).get(current.id, {})
    assert set(held) == (set() if moves_on == "deleted" else {current.generation})
    assert_in_step(world)
