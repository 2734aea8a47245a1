"""What ragbase makes in its data folder is for its user alone, and older folders are mended."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.adapters.embedded.data_folder import exposed_paths, make_private
from ragbase.adapters.embedded.database import Database

OURS = ("ragbase.db", "ragbase.db-wal", "upload-key", "bucket/sub/a.md", "snapshots/1", "staging/x", "workers/1.lock")


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """One that takes nothing from a mode."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An older data folder, which everybody may read."""
    for name in (*OURS, "ragbase.toml", "sources.toml"):
        path = tmp_path / "home" / name
        path.parent.mkdir(exist_ok=True, parents=True, mode=0o755)
        path.touch(0o644)
    return tmp_path / "home"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def exposed(home: Path) -> set[str]:
    return {str(Path(path).relative_to(home)) for path in exposed_paths(home)}


def test_an_older_folder_is_made_private_but_for_the_files_of_its_user(home: Path) -> None:
    assert {*OURS, ".", "bucket", "bucket/sub", "workers"} <= exposed(home)

    assert make_private(home) == []

    assert exposed(home) == set()
    assert {path.name for path in [home, *home.rglob("*")] if mode(path) & 0o077} == {"ragbase.toml", "sources.toml"}
    assert mode(home) == mode(home / "bucket" / "sub") == 0o700 and mode(home / "ragbase.db") == 0o600


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    assert make_private(tmp_path / "one" / "home") == []
    assert mode(tmp_path / "one" / "home") == 0o700 and mode(tmp_path / "one") == 0o777


def test_what_the_owner_may_do_stays_as_it_is(home: Path) -> None:
    (home / "upload-key").chmod(0o440)
    home.chmod(0o555)
    make_private(home)
    assert (mode(home / "upload-key"), mode(home)) == (0o400, 0o500)
    home.chmod(0o700)


def test_a_folder_that_has_other_things_keeps_its_mode_and_theirs(home: Path) -> None:
    (home / "project.py").touch(0o644)
    home.chmod(0o755)
    assert make_private(home) == []
    assert mode(home) == 0o755 and mode(home / "project.py") == 0o644
    assert exposed(home) == set() and mode(home / "bucket") == 0o700


def test_no_link_is_followed_out_of_the_folder(home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(0o755)
    (tmp_path / "elsewhere" / "a.md").touch(0o644)
    for link in (home / "bucket" / "link", home / "staging" / "link", home / "ragbase.db-shm"):
        link.symlink_to(tmp_path / "elsewhere")
    (home / "bucket" / "file.md").symlink_to(tmp_path / "elsewhere" / "a.md")
    make_private(home)
    assert mode(tmp_path / "elsewhere") == 0o755 and mode(tmp_path / "elsewhere" / "a.md") == 0o644
    assert exposed(home) == set()


def test_a_database_that_is_a_link_is_named_if_others_can_read_what_it_leads_to(home: Path, tmp_path: Path) -> None:
    (home / "ragbase.db").rename(tmp_path / "large.db")
    (home / "ragbase.db").symlink_to(tmp_path / "large.db")
    assert make_private(home) == exposed_paths(home) == [str(tmp_path / "large.db")]
    (tmp_path / "large.db").chmod(0o600)
    assert make_private(home) == exposed_paths(home) == []


def test_a_bucket_elsewhere_keeps_its_modes(home: Path, tmp_path: Path) -> None:
    (home / "bucket").rename(tmp_path / "shared")
    (home / "bucket").symlink_to(tmp_path / "shared")
    assert make_private(home) == [] and exposed(home) == set()
    assert mode(tmp_path / "shared" / "sub" / "a.md") == 0o644


def test_a_file_of_the_user_with_another_name_elsewhere_keeps_its_mode(home: Path, tmp_path: Path) -> None:
    original = tmp_path / "original.md"
    original.touch(0o644)
    os.link(original, home / "bucket" / "copy.md")
    assert make_private(home) == [] and exposed(home) == set()
    assert mode(original) == 0o644 and mode(home / "bucket") == 0o700


def test_the_locks_of_an_open_database_stay(home: Path) -> None:
    """Locks of fcntl end when any descriptor of the file is closed. Another process would then take the file."""
    (home / "ragbase.db").unlink()
    (home / "ragbase.db-wal").unlink()
    database = Database(home / "ragbase.db")
    (home / "ragbase.db").chmod(0o644)
    (home / "ragbase.db-shm").chmod(0o644)
    before = locks()
    make_private(home)
    assert mode(home / "ragbase.db") == mode(home / "ragbase.db-shm") == 0o600
    assert before and locks() == before
    database.close()


def locks() -> set[str]:
    """The locks of this process (proc_locks(5))."""
    lines = Path("/proc/locks").read_text().splitlines()
    return {line.partition(": ")[2] for line in lines if f" {os.getpid()} " in line}
