"""Which processes work in a data folder. A lock belongs to an open file, so two of them in one process are as good."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ragbase.adapters.embedded.worker_locks import WorkerLocks


def test_a_process_is_alone_until_another_one_enters_and_after_it_leaves(tmp_path: Path) -> None:
    mine, other = WorkerLocks(tmp_path / "workers"), WorkerLocks(tmp_path / "workers")
    assert mine.is_alone()
    mine.enter()
    mine.enter()
    assert mine.is_alone()
    assert not other.is_alone()
    other.enter()
    assert not mine.is_alone()
    other.close()
    assert mine.is_alone()
    mine.close()
    assert list((tmp_path / "workers").iterdir()) == []


def test_a_process_that_died_is_not_there_and_is_taken_over_once(tmp_path: Path) -> None:
    (tmp_path / "17-dead.lock").touch()
    dead: list[str] = []
    with closing(WorkerLocks(tmp_path)) as mine:
        mine.enter()
        assert mine.is_alone()
        mine.take_over(dead.append)
        mine.take_over(dead.append)
    assert dead == ["17-dead"]


def test_a_process_that_only_looks_leaves_nothing(tmp_path: Path) -> None:
    with closing(WorkerLocks(tmp_path / "workers")) as mine:
        assert mine.is_alone()
    assert list(tmp_path.iterdir()) == []
