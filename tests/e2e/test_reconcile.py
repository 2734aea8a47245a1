"""`ragbase reconcile` and `ragbase backfill` on a data folder in which something went wrong."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from ragbase import hash_file_path
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.upkeep.reconcile.last_report import last_report
from tests.e2e.command_line import TIMEOUT, CommandLine, Ended

pytestmark = pytest.mark.slow

IN_STEP = {
    "inStep": 3,
    "inMotion": 0,
    "missing": 0,
    "stale": 0,
    "orphaned": 0,
    "stuck": 0,
    "unlabelled": 0,
    "shadowed": 0,
    "left": 0,
    "complete": True,
    "examples": [],
    "errors": [],
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThis is what note {number} has to say of itself.\n")
    return folder


@pytest.fixture
def ragbase(tmp_path: Path, notes: Path) -> CommandLine:
    ragbase = CommandLine(tmp_path / "home")
    assert ragbase.call("ingest", notes).code == 0
    return ragbase


@contextmanager
def database(ragbase: CommandLine) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(ragbase.home / "ragbase.db", isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def forget(ragbase: CommandLine, path: Path) -> None:
    """The record of a file is lost, as if its event had never come."""
    with database(ragbase) as connection:
        deleted = connection.execute("DELETE FROM documents WHERE id = ?", (hash_file_path(path),))
        assert deleted.rowcount == 1


def lose_chunks(ragbase: CommandLine, path: Path) -> None:
    with database(ragbase) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'chunks%'")
        rows = [
            connection.execute(f"DELETE FROM {name} WHERE document_id = ?", (hash_file_path(path),)).rowcount
            for (name,) in tables.fetchall()
        ]
        assert sum(rows) == 1


def reconcile(ragbase: CommandLine, *options: str) -> Ended:
    return ragbase.call("reconcile", "--grace", "0", *options)


def test_what_is_in_step_is_reported_as_in_step(ragbase: CommandLine) -> None:
    ended = reconcile(ragbase)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "in step     3 documents",
        "in motion   0 documents",
        "missing     0 documents",
        "stale       0 documents",
        "orphaned    0 chunks",
        "stuck       0 documents",
        "unlabelled  0 chunks",
        "shadowed    0 objects",
    ]
    assert reconcile(ragbase, "--json").json == IN_STEP
    with closing(open_profile(load_config(home=ragbase.home, environment={}))) as profile:
        kept = last_report(profile.checkpoints).report  # for who asks later
    assert kept is not None and json.loads(kept.to_json()) == IN_STEP


def test_an_empty_folder_is_in_step(tmp_path: Path) -> None:
    ended = reconcile(CommandLine(tmp_path / "empty"), "--json")
    assert (ended.code, ended.json) == (0, {**IN_STEP, "inStep": 0})


def test_what_differs_is_reported_repaired_and_then_in_step(ragbase: CommandLine, notes: Path) -> None:
    forget(ragbase, notes / "0.md")
    lose_chunks(ragbase, notes / "1.md")

    ended = reconcile(ragbase)
    repaired = reconcile(ragbase, "--repair")

    assert ended.code == 1
    assert "missing     2 documents" in ended.out
    assert "the object has no record" in ended.out
    assert "0 of 1 chunks are there" in ended.out
    assert ended.out.endswith("; repair them with: ragbase reconcile --repair\n")
    assert repaired.code == 0
    assert repaired.out.endswith("All are repaired.\n")
    assert reconcile(ragbase, "--json").json == IN_STEP
    for number in range(3):
        assert f"note {number} has to say" in ragbase.call("query", f"what has note {number} to say", "--json").out


def test_what_has_just_changed_is_left_to_itself(ragbase: CommandLine, notes: Path) -> None:
    forget(ragbase, notes / "0.md")
    ended = ragbase.call("reconcile", "--grace", "600", "--json")
    assert (ended.code, ended.json["inMotion"], ended.json["missing"]) == (0, 1, 0)


def test_a_repair_that_ends_as_a_failed_document_is_reported(ragbase: CommandLine, notes: Path) -> None:
    (notes / "broken.json").write_text("{")
    assert ragbase.call("ingest", notes / "broken.json").code == 1
    forget(ragbase, notes / "broken.json")

    ended = reconcile(ragbase, "--repair")

    assert ended.code == 1
    assert "CORRUPT_FILE" in ended.err
    assert reconcile(ragbase).code == 0, "FAILED with a reason is how a document may end"


def test_objects_that_were_there_before_become_documents(ragbase: CommandLine, notes: Path) -> None:
    for number in range(2):
        forget(ragbase, notes / f"{number}.md")
    dry = ragbase.call("backfill", "--dry-run")
    assert (dry.code, dry.out) == (0, "2 documents to process; 1 already known\n")

    done = ragbase.call("backfill", "--rate", "1000")

    assert done.code == 0
    assert sorted(done.out.splitlines()) == sorted(
        [
            "2 documents, 2 chunks; 1 already known, 0 failed",
            *(f"indexed: {notes}/{number}.md (1 chunk)" for number in range(2)),
        ]
    )
    again = ragbase.call("backfill", "--json").json
    assert again == {"routed": 0, "known": 3, "documents": 0, "chunks": 0, "failed": []}
    assert reconcile(ragbase).code == 0


def test_a_prefix_chooses(ragbase: CommandLine, notes: Path) -> None:
    with database(ragbase) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM objects ORDER BY name")]
    for number in range(3):
        forget(ragbase, notes / f"{number}.md")
    assert ragbase.call("backfill", names[1], "--json").json["documents"] == 1
    absent = ragbase.call("backfill", "absent/", "--json")
    assert (absent.code, "absent/: no name in the bucket begins so" in absent.err) == (1, True)
    assert ragbase.call("list", "--json").json["total"] == 1


def test_an_interrupted_backfill_goes_on(ragbase: CommandLine, notes: Path) -> None:
    for number in range(3):
        forget(ragbase, notes / f"{number}.md")
    child = ragbase.start("backfill", "--rate", "0.05")  # the second one is due after 20 s
    assert child.stdout is not None
    assert child.stdout.readline().startswith(b"indexed: ")
    child.terminate()
    child.communicate(timeout=TIMEOUT)

    again = ragbase.call("backfill", "--rate", "1000", "--json").json

    assert (again["routed"], again["known"], again["failed"]) == (2, 1, [])
    assert ragbase.call("list", "--json").json["total"] == 3


@pytest.mark.parametrize("options", [("--rate", "0"), ("--rate", "-1"), ("--rate", "fast")])
def test_a_rate_is_a_number_above_zero(ragbase: CommandLine, options: tuple[str, ...]) -> None:
    refused = ragbase.call("backfill", *options)
    assert refused.code == 2
    assert "--rate" in refused.err
