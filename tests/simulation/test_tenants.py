"""A tenant cannot tell whether there are others: it gets exactly what it would get alone (docs/tenants.md)."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.indexes import SqliteIndexes
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ConfigurationError, TenantNeeded
from ragbase.domain.tenant import Tenancy, first_folder
from ragbase.retrieval.search_tenants import MOST_TENANTS
from ragbase.testing.examples import share
from ragbase.upkeep.reconcile.compare import GRACE
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report
from ragbase.upkeep.reindex.reindex import reindex
from tests.simulation.reindex_world import ReindexWorld

TENANTS = ("", "red", "blue", "Red", "red too")
NAMES = ("rules.md", "b.txt", "deep/c.md")
WORDS = ("boiler", "valve", "parcel", "leave", "inspected", "pump", "red")
QUESTIONS = ("inspected boiler", "red parcel valve", "leave leave", "something else")


SAME = "The boiler of the house is inspected once a year, in spring or in summer."


@contextmanager
def _memory() -> Iterator[ReindexWorld]:
    yield ReindexWorld(tenancy=Tenancy.FOLDER)


@contextmanager
def _sqlite() -> Iterator[ReindexWorld]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "ragbase.db")
        try:
            yield ReindexWorld(
                tenancy=Tenancy.FOLDER, documents=SqliteDocumentStore(database), indexes=SqliteIndexes(database)
            )
        finally:
            database.close()


WORLDS: Mapping[str, Callable[[], AbstractContextManager[ReindexWorld]]] = {"memory": _memory, "sqlite": _sqlite}


@dataclass(frozen=True)
class Act:
    """What a tenant does: "put" a file with these words, "delete" it, "ask" a question, or "list"; or somebody lets the
    index be "rebuilt", or "repaired", for all."""

    tenant: str
    what: str
    name: str
    words: tuple[int, ...]

    @property
    def path(self) -> str:
        return f"{self.tenant}/{self.name}" if self.tenant else self.name.replace("/", "-")

    @property
    def text(self) -> str:
        return "# Rules\n\n" + "\n\n".join(
            f"The {WORDS[word % len(WORDS)]} of the house is described on page {word}." for word in self.words
        )

    @property
    def is_for_all(self) -> bool:
        return self.what in ("rebuild", "repair")


ACTS = st.builds(
    Act,
    tenant=st.sampled_from(TENANTS),
    what=st.sampled_from(["put", "put", "put", "delete", "ask", "ask", "list", "rebuild", "repair"]),
    name=st.sampled_from(NAMES),
    words=st.lists(st.integers(0, 3), min_size=1, max_size=2).map(tuple),
)


def histories(world: ReindexWorld, acts: Sequence[Act]) -> dict[str, list[object]]:
    """What each tenant is told, in the order of its acts."""
    told: dict[str, list[object]] = {tenant: [] for tenant in TENANTS}
    for act in acts:
        world.clock.advance(GRACE)
        if act.what == "put":
            world.put(act.path, act.text)
        elif act.what == "delete":
            world.delete(act.path)
        elif act.what == "rebuild":
            world.size = 300 - world.size + 200
            now = world.clock.now()
            reindex(world.plan())
            world.clock.advance(now + timedelta(hours=6) - world.clock.now())
        elif act.what == "repair":
            report = Report()
            for progress in reconcile(world, world.current(), repairs=True):
                report.add(progress)
            assert not report.found.total()
        else:
            told[act.tenant].append(_answer(world, act))
        world.run()
    return told


def _answer(world: ReindexWorld, act: Act) -> object:
    if act.what == "ask":
        results = world.ask(QUESTIONS[act.words[0] % len(QUESTIONS)], act.tenant)
        return [
            replace(
                result,
                document=_seen(result.document),
                sources=tuple(replace(source, document=_seen(source.document)) for source in result.sources),
            )
            for result in results
        ]
    page = world.documents.page(tenant=act.tenant, limit=2, offset=act.words[0] % 2)
    total, failed = (world.documents.count(tenant=act.tenant, status=one) for one in (None, Status.FAILED))
    return [_seen(record) for record in page], total, failed


def _seen(record: Document) -> Document:
    """The record without what a reindex says of the index, which is for all: its name, and when it was done."""
    active = replace(record.active, index_name="") if record.active is not None else None
    return replace(record, active=active, rebuilt=None, updated_at=record.created_at)


def check_alone(adapter: str, acts: Sequence[Act]) -> None:
    """Compare what each tenant is told with what it is told in a world of its own, which has the same times."""
    with WORLDS[adapter]() as world:
        together = histories(world, acts)
    for tenant in {act.tenant for act in acts}:
        with WORLDS[adapter]() as world:
            # What others do is nothing here, but takes as long.
            alone = [act if act.tenant == tenant or act.is_for_all else _idle(act) for act in acts]
            assert histories(world, alone)[tenant] == together[tenant]


def _idle(act: Act) -> Act:
    return replace(act, what="delete", name="never there")


@pytest.mark.slow
@pytest.mark.parametrize("adapter", WORLDS)
@share(0.15)
@given(acts=st.lists(ACTS, min_size=2, max_size=25))
def test_a_tenant_is_told_what_it_would_be_told_alone(adapter: str, acts: list[Act]) -> None:
    check_alone(adapter, [*acts, *(Act(tenant, what, "", (0,)) for tenant in TENANTS for what in ("ask", "list"))])


@pytest.mark.prove
@pytest.mark.parametrize("adapter", WORLDS)
def test_a_tenant_is_told_what_it_would_be_told_alone_for_long(adapter: str) -> None:
    chance = random.Random(13)
    kinds = ["put"] * 4 + ["delete"] * 2 + ["ask"] * 3 + ["list"] * 2
    acts = [
        Act(
            tenant=chance.choice(TENANTS),
            what=chance.choice(["rebuild", "repair"]) if number % 250 == 249 else chance.choice(kinds),
            name=chance.choice(NAMES),
            words=tuple(chance.randrange(4) for _ in range(chance.choice([1, 1, 4]))),
        )
        for number in range(1_000)
    ]
    check_alone(adapter, acts)


def filled(world: ReindexWorld) -> ReindexWorld:
    """Two tenants with the same file, and one of each alone."""
    for number, tenant in enumerate(("red", "blue")):
        world.put(f"{tenant}/same.md", SAME)
        world.put(f"{tenant}/own.md", f"The valve of the boiler in house {number} is {tenant}, and opens to the left.")
    world.run()
    return world


def embedded(world: ReindexWorld, name: str) -> int:
    record = world.record(name)
    assert record is not None
    return record.usage.embedded_texts


def names(world: ReindexWorld, tenant: str | None) -> set[str]:
    return {source.document.name for result in world.ask("inspected boiler", tenant) for source in result.sources}


def test_the_same_file_of_another_tenant_is_paid_for_again() -> None:
    world = filled(ReindexWorld(tenancy=Tenancy.FOLDER))
    world.put("red/again.md", SAME)
    world.run()
    assert [embedded(world, f"{name}.md") for name in ("red/same", "blue/same", "red/again")] == [1, 1, 0]
    again, same = world.record("red/again.md"), world.record("blue/same.md")
    assert again is not None and again.active is not None and again.active.duplicate_of
    assert same is not None and same.active is not None and same.active.duplicate_of is None


def test_the_setting_splits_the_index_by_a_reindex_for_nothing() -> None:
    world = filled(ReindexWorld())
    copy = world.record("blue/same.md")
    assert copy is not None and copy.active is not None and copy.active.duplicate_of
    with pytest.raises(ConfigurationError, match="reindex"):
        world.ask("inspected boiler", "red")

    world.tenancy = Tenancy.FOLDER
    done = reindex(world.plan())
    assert done.made and done.index == world.wanted and done.usage.embedded_texts == 0
    assert names(world, "red") == {"red/same.md", "red/own.md"}
    assert names(world, "blue") == {"blue/same.md", "blue/own.md"}
    split = world.record("blue/same.md")
    assert split is not None and split.active is not None and split.active.duplicate_of is None
    assert not reindex(world.plan()).made

    world.tenancy = Tenancy.NONE
    assert reindex(world.plan()).made
    assert names(world, None) == names(filled(ReindexWorld()), None)


def test_a_question_to_all_tenants_gets_the_best_of_each() -> None:
    world = filled(ReindexWorld(tenancy=Tenancy.FOLDER))
    results = world.ask("inspected boiler")
    assert {first_folder(source.document.name) for result in results for source in result.sources} == {"red", "blue"}
    assert [result.rank for result in results] == list(range(1, len(results) + 1))
    assert len({result.chunk.text for result in results}) == len(results)
    alone = {
        result.chunk.id: result.breakdown
        for tenant in ("red", "blue")
        for result in world.ask("inspected boiler", tenant)
    }
    assert {result.chunk.id: result.breakdown for result in results}.items() <= alone.items()
    scores = [result.score for result in results]
    assert scores == sorted(scores, reverse=True)


def test_a_question_to_too_many_tenants_is_refused() -> None:
    world = ReindexWorld(tenancy=Tenancy.FOLDER)
    for number in range(MOST_TENANTS + 1):
        world.put(f"{number}/a.md", SAME)
    world.run()
    with pytest.raises(TenantNeeded, match="101 tenants"):
        world.ask("inspected boiler")
    assert names(world, "7") == {"7/a.md"}


def test_chunks_without_a_record_are_found_in_every_tenant() -> None:
    world = filled(ReindexWorld(tenancy=Tenancy.FOLDER))
    own = world.record("red/own.md")
    assert own is not None and own.active is not None
    chunks = world.current().vectors("red").read(own.id, own.active.generation)
    for tenant in ("red", "blue"):
        lost = [
            replace(one, chunk=replace(one.chunk, id=f"{tenant}-lost", document_id=f"{tenant}-lost")) for one in chunks
        ]
        world.current().vectors(tenant).write(lost)
    world.clock.advance(GRACE * 2)

    report = Report()
    for progress in reconcile(world, world.current(), repairs=True):
        report.add(progress)
    assert (report.found.total(), report.left.total(), report.is_complete) == (2, 0, True)
    assert world.contents()["beyond"] == []
