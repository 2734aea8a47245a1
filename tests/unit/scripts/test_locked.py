"""What is made once is made by one process, again after an error, and not again after it is there."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scripts.locked import made_once


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_it_is_made_when_it_is_first_asked_for(tmp_path: Path) -> None:
    made: list[Path] = []
    folders = {made_once("tool-1", made.append) for _ in range(3)}
    assert folders == {*made} and len(made) == 1
    assert made[0].is_relative_to(tmp_path)


def test_another_name_is_another_folder() -> None:
    made: list[Path] = []
    assert made_once("tool-1", made.append) != made_once("tool-2", made.append)
    assert len(made) == 2


def test_it_is_made_again_after_an_error() -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ConnectionError

    made: list[Path] = []
    with pytest.raises(ConnectionError):
        made_once("tool-1", fail)
    made_once("tool-1", made.append)
    assert len(made) == 1


def test_two_that_ask_at_once_get_what_one_of_them_made() -> None:
    both = threading.Barrier(2)
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "whole").touch()

    def ask() -> bool:
        both.wait(timeout=60)
        return (made_once("tool-1", make) / "whole").exists()

    with ThreadPoolExecutor(2) as threads:
        assert [one.result() for one in (threads.submit(ask), threads.submit(ask))] == [True, True]
    assert len(made) == 1
