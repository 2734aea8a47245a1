"""A data folder that may only be read: it can be queried, and a command that has to write says so."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine, Ended, obey_permissions

pytestmark = pytest.mark.slow

FERRY = "# Harbour\n\nThe ferry leaves the harbour at seven in the morning.\n"
SHEEP = "The lighthouse keeper counts sheep on Thursdays.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ferry.md").write_text(FERRY)
    return folder


@pytest.fixture
def ragbase(tmp_path: Path, notes: Path) -> Iterator[CommandLine]:
    """A data folder with one document. A test forbids writing to it by `freeze`."""
    ragbase = CommandLine(tmp_path / "home")
    assert ragbase.call("ingest", notes).code == 0
    yield ragbase
    thaw(ragbase.home)


def freeze(home: Path) -> None:
    for path in (home, *home.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def thaw(home: Path) -> None:
    home.chmod(0o755)
    for path in home.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def run(ragbase: CommandLine, *arguments: str | Path) -> Ended:
    return ragbase.run(*arguments, before=obey_permissions)


def keep_log(ragbase: CommandLine, notes: Path) -> None:
    """Add a document that is only in the write-ahead log, as after a crash."""
    copy = ragbase.home.with_name("copy")
    with closing(sqlite3.connect(ragbase.home / "ragbase.db", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM documents").fetchone()  # holds the log
        (notes / "sheep.md").write_text(SHEEP)
        assert ragbase.call("ingest", notes).code == 0
        shutil.copytree(ragbase.home, copy)
    shutil.rmtree(ragbase.home)
    copy.rename(ragbase.home)
    assert (ragbase.home / "ragbase.db-wal").stat().st_size > 0


def test_it_can_be_queried_and_listed(ragbase: CommandLine, notes: Path) -> None:
    freeze(ragbase.home)
    before = {path: path.stat().st_mtime_ns for path in ragbase.home.rglob("*")}

    found = run(ragbase, "query", "When does the ferry leave?", "--threshold", "0", "--json")
    listed = run(ragbase, "list", "--json")
    status = run(ragbase, "status", notes / "ferry.md", "--json")

    assert [(ended.code, ended.err) for ended in (found, listed, status)] == [(0, "")] * 3
    assert "The ferry leaves" in found.json["results"][0]["content"]
    assert listed.json["total"] == 1
    assert status.json["status"] == "COMPLETED"
    assert {path: path.stat().st_mtime_ns for path in ragbase.home.rglob("*")} == before


def test_what_a_crash_left_in_the_log_is_seen(ragbase: CommandLine, notes: Path) -> None:
    keep_log(ragbase, notes)
    freeze(ragbase.home)

    assert run(ragbase, "list", "--json").json["total"] == 2
    found = run(ragbase, "query", "Who counts sheep on Thursdays?", "--threshold", "0", "--json")
    assert "counts sheep" in found.json["results"][0]["content"]


def test_a_log_that_cannot_be_read_is_not_passed_over(ragbase: CommandLine, notes: Path) -> None:
    keep_log(ragbase, notes)
    (ragbase.home / "ragbase.db-shm").unlink()
    freeze(ragbase.home)

    ended = run(ragbase, "list")

    assert ended.code == 1
    (message,) = ended.err.splitlines()
    assert f"{ragbase.home}/ragbase.db-wal" in message
    assert message.endswith("Run any ragbase command once where the folder can be written.")


@pytest.mark.parametrize(
    ("version", "said"),
    [(None, "is intact, and has format"), (1, "is intact, and has format 1, of an older"), (99, "by a newer ragbase")],
)
def test_doctor_says_what_the_database_is(version: int | None, said: str, ragbase: CommandLine) -> None:
    if version is not None:
        with closing(sqlite3.connect(ragbase.home / "ragbase.db")) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
    freeze(ragbase.home)

    ended = run(ragbase, "doctor", "--json")

    (check,) = [one for one in ended.json["checks"] if one["name"] == "database"]
    assert said in f"{check['found']} {check.get('remedy')}"


@pytest.mark.parametrize(("version", "age"), [(1, "an older"), (99, "a newer")])
def test_a_file_of_another_version_is_refused(version: int, age: str, ragbase: CommandLine) -> None:
    with closing(sqlite3.connect(ragbase.home / "ragbase.db")) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    freeze(ragbase.home)

    ended = run(ragbase, "list")

    assert ended.code == 1
    assert ended.err.startswith(f"Error: {ragbase.home}/ragbase.db was written by {age} ragbase")
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(
    "command",
    ["ingest NEW", "delete DOCUMENT", "retry DOCUMENT", "reconcile --repair", "backfill", "reindex", "serve --port 0"],
)
def test_a_command_that_writes_names_the_folder_the_rule_and_the_remedy(
    command: str, ragbase: CommandLine, notes: Path
) -> None:
    (notes / "sheep.md").write_text(SHEEP)
    ragbase.call("ingest", notes / "ferry.md")
    freeze(ragbase.home)
    names = {"NEW": str(notes / "sheep.md"), "DOCUMENT": str(notes / "ferry.md")}

    ended = run(ragbase, *(names.get(word, word) for word in command.split()))

    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines() == [
        f"Error: {ragbase.home} cannot be written, so that only query, list and status work. Make the folder and its "
        "files writable, or choose another data folder with --home or RAGBASE_HOME."
    ]


@pytest.mark.parametrize("command", ["list", "query ferry", "ingest NEW"])
def test_an_empty_folder_that_cannot_be_written_is_named(command: str, tmp_path: Path, notes: Path) -> None:
    home = tmp_path / "empty"
    home.mkdir(mode=0o555)
    ended = run(CommandLine(home), *(str(notes) if word == "NEW" else word for word in command.split()))

    assert ended.code == 1
    (message,) = ended.err.splitlines()
    assert message == (
        f"Error: {home} has no ragbase.db and cannot be written. Make the folder writable, or choose another data "
        "folder with --home or RAGBASE_HOME."
    )


@pytest.mark.parametrize("part", ["ragbase.db", "workers", "staging", "bucket"])
def test_a_part_that_cannot_be_written_is_named(part: str, ragbase: CommandLine, notes: Path) -> None:
    (notes / "sheep.md").write_text(SHEEP)
    path = ragbase.home / part
    for one in [path, *path.rglob("*")]:
        one.chmod(0o555 if one.is_dir() else 0o444)

    assert run(ragbase, "list").code == 0
    ended = run(ragbase, "ingest", notes / "sheep.md")

    assert ended.code == 1
    (message,) = ended.err.splitlines()
    assert str(ragbase.home) in message
    assert "writ" in message
    assert "not expected" not in message
