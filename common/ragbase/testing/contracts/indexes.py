"""What the indexes of every vector store promise (ports/indexes.py)."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbase.domain.errors import IndexGone
from ragbase.domain.index import index_of
from ragbase.ports import Indexes, VectorStore
from ragbase.testing.chunks import DIMENSION, document, embedded, unit

Opened = Callable[[], Indexes]
"""Opens the same indexes as another process would."""

OLD = index_of("old chunks", model="model-8", dimension=DIMENSION, language="english")
NEW = index_of("new chunks", model="Other/Model v2.0", dimension=DIMENSION, language="german")
LAG = 1.0
"""Seconds after which every process knows of a switch, as the port says."""


def texts(vectors: VectorStore) -> set[str]:
    return {hit.chunk.text for hit in vectors.search(unit(1), [], 100).hits}


def eventually(holds: Callable[[], bool]) -> None:
    """Within the time that the port allows."""
    deadline = time.monotonic() + 10 * LAG  # the machine is busy
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class IndexesContract:
    """Inherit from it, and give it a fixture `opened`. Its vectors have `ragbase.testing.chunks.DIMENSION` numbers."""

    @pytest.fixture
    def indexes(self, opened: Opened) -> Indexes:
        return opened()

    def test_there_is_none_before_one_is_begun(self, indexes: Indexes) -> None:
        assert indexes.current() is None
        assert indexes.check() is None
        assert list(indexes.all()) == []

    def test_the_first_to_begin_decides(self, opened: Opened) -> None:
        one, other = opened(), opened()
        assert one.ensure(OLD) == OLD
        one.open(OLD).write(document("a", ["text"]))
        assert other.ensure(NEW) == OLD
        assert one.current() == other.current() == OLD
        assert list(other.all()) == [OLD]
        assert texts(other.open(OLD)) == {"text"}

    def test_an_empty_index_gives_way_to_another(self, opened: Opened) -> None:
        one, other = opened(), opened()
        one.ensure(OLD)
        assert one.ensure(OLD) == OLD
        assert other.ensure(NEW) == NEW
        eventually(lambda: one.current() == NEW)
        assert list(one.all()) == [NEW]

    def test_many_that_begin_at_once_agree(self, opened: Opened) -> None:
        processes = [opened() for _ in range(4)]
        with ThreadPoolExecutor(4) as threads:
            begun = list(threads.map(lambda process: process.ensure(OLD), processes))
        assert begun == [OLD] * 4
        assert list(processes[0].all()) == [OLD]

    def test_indexes_hold_their_own_chunks(self, indexes: Indexes) -> None:
        indexes.ensure(OLD)
        old, new = indexes.open(OLD), indexes.open(NEW)
        old.write(document("a", ["as it was cut", "in two"]))
        new.write(document("a", ["as it is cut now"]))
        assert texts(old) == {"as it was cut", "in two"}
        assert texts(new) == {"as it is cut now"}
        assert texts(indexes.open(NEW)) == {"as it is cut now"}
        assert {one.name for one in indexes.all()} == {OLD.name, NEW.name}
        assert set(indexes.all()) == {OLD, NEW}
        assert indexes.current() == OLD

    def test_others_follow_a_switch(self, opened: Opened) -> None:
        one, other = opened(), opened()
        one.ensure(OLD)
        one.open(OLD).write(document("a", ["old"]))
        one.open(NEW).write(document("a", ["new"]))
        assert other.current() == OLD
        one.make_current(NEW)
        assert one.current() == NEW
        eventually(lambda: other.current() == NEW)
        assert set(one.all()) == {OLD, NEW}
        one.make_current(NEW)  # again
        assert texts(other.open(NEW)) == {"new"}
        assert texts(other.open(OLD)) == {"old"}

    def test_an_index_that_is_not_there_cannot_become_current(self, indexes: Indexes) -> None:
        indexes.ensure(OLD)
        with pytest.raises(IndexGone):
            indexes.make_current(NEW)
        assert indexes.current() == OLD

    def test_the_current_index_cannot_be_dropped(self, indexes: Indexes) -> None:
        indexes.ensure(OLD)
        indexes.open(OLD).write(document("a", ["text"]))
        with pytest.raises(ValueError, match=OLD.name):
            indexes.drop(OLD)
        assert texts(indexes.open(OLD)) == {"text"}

    def test_a_dropped_index_is_gone_for_all_and_can_be_made_again(self, opened: Opened) -> None:
        one, other = opened(), opened()
        one.ensure(OLD)
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
            lambda: held.delete_chunks([embedded("a").chunk.id]),
        ):
            with pytest.raises(IndexGone):
                use()
        assert list(one.all()) == [OLD]
        again = one.open(NEW)
        assert texts(again) == set()
        again.write(document("a", ["anew"]))
        assert texts(other.open(NEW)) == {"anew"}
