"""What all keepers of indexes promise (ragbase.ports.Indexes)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbase.domain.errors import IndexGone
from ragbase.domain.index import index_of
from ragbase.ports import Indexes, VectorStore
from tests.contract.chunks import DIMENSION, document, unit
from tests.contract.indexes import INDEXES, Opened

OLD = index_of("old chunks", model="model-8", dimension=DIMENSION, language="english")
NEW = index_of("new chunks", model="Other/Model v2.0", dimension=DIMENSION, language="german")
LAG = 1.0
"""Seconds after which every process knows of a flip, as the port says."""


@pytest.fixture(params=INDEXES)
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    with INDEXES[request.param]() as opened:
        yield opened


@pytest.fixture
def indexes(opened: Opened) -> Indexes:
    return opened()


def texts(vectors: VectorStore) -> set[str]:
    return {hit.chunk.text for hit in vectors.search(unit(1), [], 100).hits}


def eventually(holds: Callable[[], bool]) -> None:
    """Within the time that the port allows."""
    deadline = time.monotonic() + 10 * LAG  # the machine is busy
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_there_is_none_before_one_is_begun(indexes: Indexes) -> None:
    assert indexes.live() is None
    assert list(indexes.all()) == []


def test_the_first_to_begin_decides(opened: Opened) -> None:
    one, other = opened(), opened()
    assert one.begin(OLD) == OLD
    one.open(OLD).write(document("a", ["text"]))
    assert other.begin(NEW) == OLD
    assert one.live() == other.live() == OLD
    assert list(other.all()) == [OLD]
    assert texts(other.open(OLD)) == {"text"}


def test_an_empty_index_gives_way_to_another(opened: Opened) -> None:
    one, other = opened(), opened()
    one.begin(OLD)
    assert one.begin(OLD) == OLD
    assert other.begin(NEW) == NEW
    eventually(lambda: one.live() == NEW)
    assert list(one.all()) == [NEW]


def test_many_that_begin_at_once_agree(opened: Opened) -> None:
    processes = [opened() for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        begun = list(threads.map(lambda process: process.begin(OLD), processes))
    assert begun == [OLD] * 4
    assert list(processes[0].all()) == [OLD]


def test_indexes_hold_their_own_chunks(indexes: Indexes) -> None:
    indexes.begin(OLD)
    old, new = indexes.open(OLD), indexes.open(NEW)
    old.write(document("a", ["as it was cut", "in two"]))
    new.write(document("a", ["as it is cut now"]))
    assert texts(old) == {"as it was cut", "in two"}
    assert texts(new) == {"as it is cut now"}
    assert texts(indexes.open(NEW)) == {"as it is cut now"}
    assert {one.name for one in indexes.all()} == {OLD.name, NEW.name}
    assert set(indexes.all()) == {OLD, NEW}
    assert indexes.live() == OLD


def test_others_follow_a_flip(opened: Opened) -> None:
    one, other = opened(), opened()
    one.begin(OLD)
    one.open(OLD).write(document("a", ["old"]))
    one.open(NEW).write(document("a", ["new"]))
    assert other.live() == OLD
    one.make_live(NEW)
    assert one.live() == NEW
    eventually(lambda: other.live() == NEW)
    assert set(one.all()) == {OLD, NEW}
    one.make_live(NEW)  # again
    assert texts(other.open(NEW)) == {"new"}
    assert texts(other.open(OLD)) == {"old"}


def test_what_is_not_there_cannot_be_made_live(indexes: Indexes) -> None:
    indexes.begin(OLD)
    with pytest.raises(IndexGone):
        indexes.make_live(NEW)
    assert indexes.live() == OLD


def test_the_live_one_cannot_be_dropped(indexes: Indexes) -> None:
    indexes.begin(OLD)
    indexes.open(OLD).write(document("a", ["text"]))
    with pytest.raises(ValueError, match=OLD.name):
        indexes.drop(OLD)
    assert texts(indexes.open(OLD)) == {"text"}


def test_a_dropped_index_is_gone_for_all_and_can_be_made_anew(opened: Opened) -> None:
    one, other = opened(), opened()
    one.begin(OLD)
    one.open(NEW).write(document("a", ["text"]))
    held = other.open(NEW)
    assert texts(held) == {"text"}
    one.drop(NEW)
    one.drop(NEW)  # again
    assert list(one.all()) == list(other.all()) == [OLD]
    for use in (
        lambda: held.search(unit(1), ["text"], 5),
        lambda: held.write(document("b", ["late"])),
        lambda: held.read("a", 1),
        lambda: held.embeddings("a"),
        lambda: held.held(["a"]),
        lambda: held.scan(limit=5),
        lambda: held.delete("a", generation=1),
        lambda: held.delete_older("a", than=2),
    ):
        with pytest.raises(IndexGone):
            use()
    assert list(one.all()) == [OLD]
    again = one.open(NEW)
    assert texts(again) == set()
    again.write(document("a", ["anew"]))
    assert texts(other.open(NEW)) == {"anew"}


def test_a_name_says_what_made_the_index() -> None:
    made = [OLD, NEW, index_of("old chunks", model="model-8", dimension=DIMENSION, language="german")]
    made.append(index_of("old chunks", model="model-8", dimension=DIMENSION, language="english", beside=OLD.name))
    names = [index.name for index in made]
    assert len(set(names)) == len(names)
    assert index_of("old chunks", model="model-8", dimension=DIMENSION, language="english") == OLD
    assert NEW.name.startswith("other_model_v2_0_")
