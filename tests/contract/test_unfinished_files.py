"""What everything that keeps files on their way promises (ragbase.ports.UnfinishedFiles)."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragbase.adapters.embedded.unfinished_files import UnfinishedFileFolder
from ragbase.domain.errors import Unavailable
from ragbase.ports import UnfinishedFiles

NAME = "0a1b"


@pytest.fixture
def files(tmp_path: Path) -> UnfinishedFiles:
    return UnfinishedFileFolder(tmp_path / "unfinished")


def test_parts_become_the_file(files: UnfinishedFiles) -> None:
    assert (files.size(NAME), files.read(NAME)) == (0, b"")
    assert files.append(NAME, 0, b"abc") == 3
    assert files.append(NAME, 3, b"de") == 5 == files.size(NAME)
    assert files.read(NAME) == b"abcde"
    files.remove(NAME)
    files.remove(NAME)
    assert files.size(NAME) == 0


def test_what_has_come_stays_as_it_is(files: UnfinishedFiles) -> None:
    files.append(NAME, 0, b"abc")
    assert files.append(NAME, 0, b"xyz") == 3  # the answer was lost
    assert files.append(NAME, 1, b"xyzd") == 5  # some of it was lost
    assert files.append(NAME, 9, b"gap") == 5
    assert files.read(NAME) == b"abczd"


def test_of_the_same_part_at_once_one_is_added(files: UnfinishedFiles) -> None:
    files.append(NAME, 0, b"ab")
    with ThreadPoolExecutor(4) as threads:
        sizes = set(threads.map(lambda _: files.append(NAME, 2, b"c" * 1000), range(8)))
    assert sizes == {1002} and files.size(NAME) == 1002


@pytest.mark.parametrize("name", ["", "../../bucket/a.md", "A", "0a/1b"])
def test_a_name_is_hexadecimal(files: UnfinishedFiles, name: str) -> None:
    for use in (files.size, files.read, files.remove, lambda one: files.append(one, 0, b"a")):
        with pytest.raises(ValueError, match="hexadecimal"):
            use(name)


def test_room_is_bounded_and_what_nobody_goes_on_with_gives_it_back(tmp_path: Path) -> None:
    files = UnfinishedFileFolder(tmp_path)
    names = [f"{sender:016x}{number:x}" for sender in range(3) for number in range(10)]
    for name in names[:20]:
        files.append(name, 0, b"a")
    with pytest.raises(Unavailable, match="20 files, or 10 of yours, are on their way"):
        files.append(names[20], 0, b"a")
    assert files.append(names[0], 1, b"b") == 2
    os.utime(tmp_path / names[1], (0, 0))
    assert files.append(names[20], 0, b"a") == 1
    assert not (tmp_path / names[1]).exists()


def test_one_sender_does_not_take_the_room_of_all(files: UnfinishedFiles) -> None:
    names = [f"{sender:016x}{number:x}" for sender in range(2) for number in range(11)]
    for name in names[:10]:
        files.append(name, 0, b"a")
    with pytest.raises(Unavailable):
        files.append(names[10], 0, b"a")
    assert files.append(names[11], 0, b"a") == 1
    files.remove(names[0])
    assert files.append(names[10], 0, b"a") == 1


def test_others_read_nothing(tmp_path: Path) -> None:
    files = UnfinishedFileFolder(tmp_path / "unfinished")
    files.append(NAME, 0, b"a")
    assert [(tmp_path / path).stat().st_mode & 0o777 for path in ("unfinished", f"unfinished/{NAME}")] == [0o700, 0o600]
