"""Files in the bucket's folder that were added, changed or removed while nothing ran, and a database that was lost."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ragbase.adapters.embedded.worker_locks import WorkerLocks
from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

COUNT = 3


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(COUNT):
        write(folder / f"{number}.md", f"note {number}")
    return folder


@pytest.fixture
def ragbase(tmp_path: Path, notes: Path) -> CommandLine:
    ragbase = CommandLine(tmp_path / "home")
    assert ragbase.call("ingest", notes).code == 0
    return ragbase


@pytest.fixture
def copies(ragbase: CommandLine, notes: Path) -> Path:
    """The folder in the bucket that has the copies of the notes."""
    return ragbase.home / "bucket" / str(notes).lstrip("/")


def write(path: Path, subject: str) -> None:
    path.write_text(f"# About\n\nThis is what {subject} has to say of itself.\n")


def shown(ragbase: CommandLine) -> set[str]:
    """The subjects of all texts that search shows."""
    results = ragbase.call("query", "what has it to say of itself", "--threshold", "0", "--top-k", "100", "--json")
    return {result["content"].split("what ")[1].split(" has to")[0] for result in results.json["results"]}


def rows(ragbase: CommandLine, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(ragbase.home / "ragbase.db")) as connection:
        return connection.execute(query).fetchall()


def assert_one_generation_each(ragbase: CommandLine, count: int) -> None:
    """Each live object has a record of its generation, and one chunk of that generation; there is nothing else."""
    (table,) = (name for (name,) in rows(ragbase, "SELECT 'chunks_' || name FROM indexes WHERE live"))
    generations = rows(ragbase, "SELECT name, generation FROM objects WHERE live ORDER BY name")
    records = (
        "SELECT name, json_extract(record, '$.active.generation') FROM documents WHERE NOT tombstone ORDER BY name"
    )
    chunks = f"SELECT name, generation FROM {table} JOIN documents ON documents.id = document_id ORDER BY name"
    assert len(generations) == count
    assert rows(ragbase, records) == generations
    assert rows(ragbase, chunks) == generations


def change_everything(copies: Path) -> None:
    (copies / "0.md").unlink()
    write(copies / "1.md", "the changed note")
    write(copies / "new.md", "the new note")


def test_ingest_restores_what_was_removed_or_changed_in_the_bucket(
    ragbase: CommandLine, notes: Path, copies: Path
) -> None:
    change_everything(copies)

    again = ragbase.call("ingest", notes, "--json").json

    assert again == {"documents": 3, "chunks": 3, "unchanged": 1, "failed": []}
    assert (copies / "0.md").read_text() == (notes / "0.md").read_text()
    assert (copies / "1.md").read_text() == (notes / "1.md").read_text()
    assert shown(ragbase) == {"note 0", "note 1", "note 2"}
    assert ragbase.call("ingest", notes, "--json").json["unchanged"] == COUNT


def test_reconcile_reports_what_was_done_in_the_folder_until_it_is_repaired(ragbase: CommandLine, copies: Path) -> None:
    change_everything(copies)

    for _ in range(2):
        ended = ragbase.call("reconcile")
        assert ended.code == 1
        assert ended.out.splitlines()[:4] == [
            "in step     1 document",
            "in motion   0 documents",
            "missing     1 document",
            "stale       2 documents",
        ]
        assert shown(ragbase) == {"note 0", "note 1", "note 2"}, "nothing is repaired"
    repaired = ragbase.call("reconcile", "--repair")

    assert repaired.code == 0
    assert repaired.out.endswith("All are repaired.\n")
    assert shown(ragbase) == {"the changed note", "note 2", "the new note"}
    assert_one_generation_each(ragbase, 3)
    assert ragbase.call("reconcile").code == 0


def test_while_another_process_works_here_a_change_is_in_motion(ragbase: CommandLine, copies: Path) -> None:
    write(copies / "new.md", "the new note")
    with closing(WorkerLocks(ragbase.home / "workers")) as other:
        other.enter()
        ended = ragbase.call("reconcile", "--json")
        assert (ended.code, ended.json["inMotion"], ended.json["missing"]) == (0, 1, 0)
    assert ragbase.call("reconcile", "--json").json["missing"] == 1


@pytest.mark.parametrize("command", [("reconcile", "--repair"), ("backfill", "--rate", "1000")])
def test_a_lost_database_is_made_again_from_the_folder(
    command: tuple[str, ...], ragbase: CommandLine, notes: Path
) -> None:
    for file in ragbase.home.glob("ragbase.db*"):
        file.unlink()

    lost = ragbase.call("reconcile")
    assert (lost.code, f"missing     {COUNT} documents" in lost.out) == (1, True)
    assert ragbase.call("backfill", "--dry-run").out == f"{COUNT} documents to process; 0 already known\n"
    done = ragbase.call(*command)

    assert done.code == 0
    assert shown(ragbase) == {"note 0", "note 1", "note 2"}
    assert_one_generation_each(ragbase, COUNT)
    assert ragbase.call("reconcile").code == 0
    assert ragbase.call("backfill", "--json").json["known"] == COUNT
    assert ragbase.call("ingest", notes).code == 0
    assert_one_generation_each(ragbase, COUNT)
    assert {one["filename"] for one in ragbase.call("list", "--json").json["documents"]} == {
        f"{notes}/{number}.md" for number in range(COUNT)
    }


def test_backfill_counts_and_waits_for_what_it_found_in_the_folder(ragbase: CommandLine, copies: Path) -> None:
    change_everything(copies)

    done = ragbase.call("backfill", "--rate", "1000", "--json")

    assert done.json == {"routed": 2, "known": 1, "documents": 2, "chunks": 2, "failed": []}
    assert {"the changed note", "the new note"} <= shown(ragbase)


def test_a_bucket_folder_that_is_away_is_named(ragbase: CommandLine, notes: Path) -> None:
    shutil.rmtree(ragbase.home / "bucket")
    (ragbase.home / "bucket").symlink_to("elsewhere")

    for command in (("ingest", notes), ("reconcile",), ("backfill",)):
        ended = ragbase.call(*command)
        assert ended.code == 1
        (message,) = ended.err.splitlines()
        assert message.startswith(f"Error: {ragbase.home}/bucket ")
        assert "not expected" not in message
