"""The file gives back the room of what was deleted, and the log its own."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from ragbase.adapters.embedded.changes import SqliteChanges
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.tidy import log_size
from ragbase.domain.document import Status
from tests.contract.test_document_store import document, put

INSERT = "INSERT INTO messages (topic, body, reason, visible_at) VALUES ('t', ?, '', 0)"
ROWS, SIZE = 2_000, 4_000
MOST_LEFT = 2_000_000


def fill(database: Database) -> None:
    rows = [(f"{number}{'x' * SIZE}",) for number in range(ROWS)]
    database.write(lambda connection: connection.executemany(INSERT, rows))


def clear(database: Database) -> None:
    database.write(lambda connection: connection.execute("DELETE FROM messages"))


def tidy(database: Database) -> None:
    """As often as a quiet server does it: the first call sees that somebody has written."""
    for _ in range(10):
        database.tidy()


def make_older(path: Path) -> None:
    """The file as a version has made it that could give nothing back."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA auto_vacuum = NONE")
    connection.execute("VACUUM")
    connection.execute("PRAGMA journal_mode = WAL")
    assert connection.execute("PRAGMA auto_vacuum").fetchone() == (0,)
    connection.close()


@pytest.mark.parametrize("is_older", [False, True])
def test_the_file_shrinks_after_many_deletions(tmp_path: Path, is_older: bool) -> None:
    path = tmp_path / "ragbase.db"
    database = Database(path)
    fill(database)
    if is_older:
        database.close()
        make_older(path)
        database = Database(path)
    tidy(database)
    assert path.stat().st_size > ROWS * SIZE
    clear(database)
    other = Database(path)
    other.write(lambda connection: connection.execute(INSERT, ("kept",)))
    tidy(database)
    assert path.stat().st_size < MOST_LEFT
    assert log_size(path) < MOST_LEFT * 2
    assert other.reader.execute("SELECT body FROM messages").fetchall() == [("kept",)]
    assert other.reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    other.close()
    database.close()


def test_the_log_is_emptied_once_nobody_writes(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")
    fill(database)
    assert log_size(database.path) > ROWS * SIZE
    database.tidy()
    assert log_size(database.path) > ROWS * SIZE, "somebody has written just now"
    database.tidy()
    assert log_size(database.path) == 0
    database.close()


def test_those_who_read_are_not_disturbed(tmp_path: Path) -> None:
    database, other = Database(tmp_path / "ragbase.db"), Database(tmp_path / "ragbase.db")
    fill(database)
    reading = other.reader.execute("SELECT body FROM messages ORDER BY id")
    first = reading.fetchone()
    clear(database)
    tidy(database)
    assert len([first, *reading.fetchall()]) == ROWS
    tidy(database)
    assert log_size(database.path) == 0
    other.close()
    database.close()


def test_a_tombstone_is_small_and_its_change_has_a_new_number(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")
    store, changes = SqliteDocumentStore(database), SqliteChanges(database)
    ids = [f"{number:04}" for number in range(200)]
    for id in ids:
        put(store, document(id))
    before, pages = changes.latest(), pages_of(database)
    for id in reversed(ids):
        store.update(id, lambda record: record and replace(record, status=Status.COMPLETED, tombstone=True))
    gone = store.get("0007")
    assert gone == replace(document("0007"), status=Status.COMPLETED, tombstone=True)
    assert changes.latest() == before + len(ids)
    assert len(changes.after(before, limit=1_000).ids) == len(ids)
    assert pages_of(database) < 0.85 * pages
    database.close()


def pages_of(database: Database) -> int:
    """Those in use."""
    (used,) = database.reader.execute(
        "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count"
    )
    return int(used[0])
