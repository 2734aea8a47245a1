"""In an index that is split by tenant, each tenant is searched as if there were no others (ragbase.ports.Indexes)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from ragbase.domain.errors import IndexGone
from ragbase.domain.index import Index, index_of
from ragbase.domain.tenant import Tenancy
from ragbase.ports import Candidates, Indexes, VectorStore
from ragbase.testing.chunks import DIMENSION, document, embedded, unit
from ragbase.testing.contracts.indexes import Opened
from tests.contract.indexes import INDEXES
from tests.contract.real_servers import in_prove


def _split(name: str) -> Index:
    return index_of(name, model="model-8", dimension=DIMENSION, language="english", tenancy=Tenancy.FOLDER)


SPLIT, OTHER = _split("of all tenants"), _split("another")
WHOLE = index_of("not split", model="model-8", dimension=DIMENSION, language="english")
QUERY = unit(1)
NAMES = ("a", "A", "", "a b", "é\"';--", "漢字" * 40, "a-b_c", "..", "%", "tenant")
"""Folders of all kinds, and no folder."""

RED = [f"red boiler number {number}" + " more" * number for number in range(9)]
BLUE = [f"blue boiler with valve {number}" + " more" * number for number in range(14)]
"""No two are equally good by words: which of those a store reads at its limit is not said."""
FLOOD = [f"boiler valve red blue pump number {number % 40}" for number in range(1_200)]
"""More passages than Weaviate counts one by one, of the words of all others."""
QUESTION = ["boiler", "valve", "red", "boiler", "unknown"]


@pytest.fixture(params=in_prove(INDEXES))
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    with INDEXES[request.param]() as opened:
        yield opened


@pytest.fixture
def indexes(opened: Opened) -> Indexes:
    return opened()


def candidates(vectors: VectorStore, limit: int = 5, terms: Sequence[str] = QUESTION) -> Candidates:
    return vectors.search(QUERY, terms, limit)


def found(vectors: VectorStore) -> set[str]:
    return {hit.chunk.text for hit in vectors.search(QUERY, [], 1_000).hits}


def test_the_tenancy_of_an_index_is_known_to_all(opened: Opened) -> None:
    one, other = opened(), opened()
    assert one.ensure(SPLIT) == other.current() == SPLIT
    one.open(WHOLE)
    assert set(other.all()) == {SPLIT, WHOLE}


def test_only_the_name_of_an_index_that_is_split_tells_its_tenancy() -> None:
    assert WHOLE.name == "model_8_760ffb42", "indexes of before there were tenants keep their names"
    assert replace(SPLIT, name="", tenancy=Tenancy.NONE) == replace(WHOLE, name="")
    assert _split("not split").name != WHOLE.name


def test_a_tenant_gets_what_it_would_get_alone(indexes: Indexes) -> None:
    indexes.ensure(SPLIT)
    red, blue, flood = (indexes.open(SPLIT, tenant) for tenant in ("red", "blue", "flood"))
    first, second = document("red/1", RED[:4]), document("red/2", RED[4:])
    others = document("blue/1", BLUE)

    red.write(first)
    blue.write(others[:7])
    flood.write(document("flood/1", FLOOD))
    red.write(second)
    candidates(red)  # what a store keeps in memory has to follow the next changes
    flood.write(document("flood/2", RED + BLUE))
    blue.write(others[7:])
    red.delete("red/1", generation=1)
    flood.delete("flood/2", generation=1)
    red.write(first)

    alone, whole = indexes.open(OTHER, "red"), indexes.open(WHOLE)
    for store in (alone, whole):
        store.write(first)
        store.write(second)
        store.delete("red/1", generation=1)
        store.write(first)
    for limit in (1, 3, 5, 100):
        assert candidates(red, limit) == candidates(alone, limit) == candidates(whole, limit)
    assert candidates(red).passages == len(RED)

    alone_blue = indexes.open(OTHER, "blue")
    alone_blue.write(others[:7])
    alone_blue.write(others[7:])
    for limit in (1, 3, 5, 100):
        assert candidates(blue, limit) == candidates(alone_blue, limit)


def test_what_is_rare_for_a_tenant_is_found_however_common_it_is_for_others(indexes: Indexes) -> None:
    """Those that hold the tenant's rare word are its best by words. A store that weighed words by all tenants would
    think that `rare` is worth nothing, and `usual` everything."""
    indexes.ensure(SPLIT)
    far = unit(-1)
    small = indexes.open(SPLIT, "small")
    small.write([embedded("small/usual", number, text=f"usual {number}", terms="usual usual") for number in range(150)])
    rare = [embedded("small/rare", number, text=f"rare {number}", terms="rare", vector=far) for number in range(3)]
    small.write(rare)
    indexes.open(SPLIT, "flood").write(document("flood/1", ["rare"] * 1_200))

    hits = candidates(small, 3, ["usual", "rare"]).hits
    assert {one.chunk.id for one in rare} <= {hit.chunk.id for hit in hits}


def test_a_tenant_sees_and_changes_nothing_of_others(indexes: Indexes) -> None:
    indexes.ensure(SPLIT)
    mine, theirs = indexes.open(SPLIT, "mine"), indexes.open(SPLIT, "theirs")
    mine.write(document("mine/a", ["a text"]))
    theirs.write(document("theirs/a", ["a text", "another"]))
    ids = [held.id for held in theirs.scan(limit=10)]
    assert len(ids) == 2

    assert found(mine) == {"a text"}
    assert list(mine.read("theirs/a", 1)) == []
    assert list(mine.chunks("theirs/a", 1, first=0, limit=5)) == []
    assert [chunk.text for chunk in mine.chunks("mine/a", 1, first=0, limit=5)] == ["a text"]
    assert dict(mine.embeddings("theirs/a")) == {}
    assert dict(mine.held(["theirs/a", "mine/a"])) == {"mine/a": {1: 1}}
    assert [held.document_id for held in mine.scan(limit=10)] == ["mine/a"]
    assert [held.document_id for held in mine.scan(after=min(ids), limit=10)] in (["mine/a"], [])
    mine.hide("theirs/a", generation=1)
    mine.delete("theirs/a", generation=1)
    mine.delete_chunks(ids)
    assert found(theirs) == {"a text", "another"}
    assert dict(theirs.held(["theirs/a", "mine/a"])) == {"theirs/a": {1: 2}}


def test_a_tenant_without_chunks_has_nothing_until_it_writes(opened: Opened) -> None:
    one, other = opened(), opened()
    one.ensure(SPLIT)
    new = other.open(SPLIT, "new")
    assert candidates(new).passages == 0 and candidates(new).exhausted
    assert list(new.read("new/a", 1)) == [] and dict(new.embeddings("new/a")) == {}
    assert list(new.chunks("new/a", 1, first=0, limit=600)) == []
    assert dict(new.held(["new/a"])) == {} and list(new.scan(limit=5)) == []
    new.write([])
    new.hide("new/a", generation=1)
    new.delete("new/a", generation=1)
    new.delete_chunks([embedded("new/a").chunk.id])
    new.restore([])
    assert list(one.tenants(SPLIT)) == []

    new.write(document("new/a", ["text"]))
    assert found(new) == found(one.open(SPLIT, "new")) == {"text"}
    assert list(one.tenants(SPLIT)) == ["new"]


def test_a_tenant_may_have_any_name(opened: Opened) -> None:
    indexes, other = opened(), opened()
    indexes.ensure(SPLIT)
    for name in NAMES:
        indexes.open(SPLIT, name).write(document(f"{name}/a", [f"of {name}"]))
    assert list(indexes.tenants(SPLIT)) == list(other.tenants(SPLIT)) == sorted(NAMES)
    for name in NAMES:
        assert found(other.open(SPLIT, name)) == {f"of {name}"}


def test_a_tenant_is_dropped_alone(opened: Opened) -> None:
    one, other = opened(), opened()
    one.ensure(SPLIT)
    for name in ("gone", "kept"):
        one.open(SPLIT, name).write(document(f"{name}/a", [name]))
    held = other.open(SPLIT, "gone")
    assert found(held) == {"gone"}

    one.drop_tenant(SPLIT, "gone")
    one.drop_tenant(SPLIT, "gone")  # again
    assert found(held) == found(one.open(SPLIT, "gone")) == set()
    assert list(one.tenants(SPLIT)) == list(other.tenants(SPLIT)) == ["kept"]
    assert found(one.open(SPLIT, "kept")) == {"kept"}

    held.write(document("gone/b", ["again"]))
    assert found(one.open(SPLIT, "gone")) == {"again"}


def test_an_index_with_chunks_of_any_tenant_is_not_empty(indexes: Indexes) -> None:
    indexes.ensure(SPLIT)
    indexes.open(SPLIT, "a").write(document("a/a", ["text"]))
    assert indexes.ensure(WHOLE) == SPLIT
    indexes.open(SPLIT, "a").delete("a/a", generation=1)
    assert indexes.ensure(WHOLE) == WHOLE


def test_a_dropped_index_is_gone_for_its_tenants(indexes: Indexes) -> None:
    indexes.ensure(WHOLE)
    held, fresh = indexes.open(SPLIT, "a"), indexes.open(SPLIT, "b")
    held.write(document("a/a", ["text"]))
    indexes.drop(SPLIT)
    later = indexes.open(SPLIT, "c", create=False)
    uses: list[Callable[[], object]] = [
        lambda: indexes.tenants(SPLIT),
        lambda: indexes.drop_tenant(SPLIT, "a"),
        *(lambda store=store: store.search(QUERY, ["text"], 5) for store in (held, fresh, later)),
        *(lambda store=store: store.write(document("a/b", ["late"])) for store in (held, fresh, later)),
        *(lambda store=store: store.scan(limit=5) for store in (held, fresh, later)),
        *(lambda store=store: store.chunks("a/a", 1, first=0, limit=5) for store in (held, fresh, later)),
    ]
    for use in uses:
        with pytest.raises(IndexGone):
            use()
    assert list(indexes.all()) == [WHOLE]


def test_an_index_that_is_not_split_has_no_tenants(indexes: Indexes) -> None:
    indexes.ensure(WHOLE)
    assert list(indexes.tenants(WHOLE)) == []
    indexes.open(WHOLE).write(document("a/a", ["text"]))
    assert list(indexes.tenants(WHOLE)) == [""]
    with pytest.raises(ValueError, match="not split"):
        indexes.open(WHOLE, "a")
    with pytest.raises(ValueError, match="not split"):
        indexes.drop_tenant(WHOLE, "")
