"""The embedded profile's file: many threads and processes at once, each write whole or not at all."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.indexes import SqliteIndexes
from ragbase.adapters.embedded.schema import SCHEMA
from ragbase.adapters.embedded.writes import Result, Work
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.testing.chunks import DIMENSION
from ragbase.testing.chunks import document as texts
from tests.contract.test_document_store import active, document
from tests.unit.adapters.embedded.in_processes import INSERT, add, open_and_add


def bodies(database: Database) -> list[str]:
    return [body for (body,) in database.reader.execute("SELECT body FROM messages ORDER BY body")]


@pytest.mark.slow
def test_many_processes_open_a_new_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "home" / "ragbase.db"
    names = [f"{number}" for number in range(8)]
    with multiprocessing.get_context("spawn").Pool(len(names)) as pool:
        pool.starmap(open_and_add, [(path, name) for name in names])
    database = Database(path)
    assert bodies(database) == names
    database.close()


def test_one_failing_write_undoes_itself_alone(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")
    begun, together = threading.Event(), threading.Barrier(5)
    failures: list[str] = []

    def hold(connection: sqlite3.Connection) -> None:
        begun.wait()

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute(INSERT, ("never",))
        raise LookupError("mine")

    def write(number: int) -> None:
        together.wait()
        try:
            if number:
                add(database, f"{number}", durable=number % 2 == 0)
            else:
                database.write(fail)
        except LookupError as error:
            failures.append(str(error))

    holder = threading.Thread(target=lambda: database.write(hold))
    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in (holder, *writers):
        thread.start()
    together.wait()
    begun.set()
    for thread in (holder, *writers):
        thread.join()
    assert failures == ["mine"]
    assert bodies(database) == ["1", "2", "3"]
    database.close()


def test_a_lone_failing_write_undoes_itself(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute(INSERT, ("never",))
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        database.write(fail)
    add(database, "after")
    assert bodies(database) == ["after"]
    database.close()


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ragbase.db"
    path.write_bytes(b"this is a text, and not a short one, which nobody could take for a database" * 20)
    with pytest.raises(ConfigurationError, match="is damaged: file is not a database"):
        Database(path)


def test_a_file_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "ragbase.db"
    record = replace(document("a"), status=Status.COMPLETED, active=active())
    (one,) = texts("a", ["some text"])
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA[0])
        connection.execute("INSERT INTO embedding_model VALUES ('model')")
        connection.execute(
            "INSERT INTO documents VALUES ('a', 'COMPLETED', 0, ?, 'md5', 'made-by', NULL, ?)",
            (record.created_at.isoformat(), TypeAdapter(Document).dump_json(record, exclude_defaults=True).decode()),
        )
        connection.execute(
            "INSERT INTO chunks VALUES (1, ?, 'a', 1, 0, 0, 'some text', 0, 9, '[]', NULL, 'hash', 'some text', ?)",
            (one.chunk.id, one.vector.tobytes()),
        )
        connection.execute("PRAGMA user_version = 1")
    connection.close()

    for _ in range(2):  # the second time it is up to date
        database = Database(path)
        indexes = SqliteIndexes(database)
        live = indexes.current()
        assert live is not None
        assert (live.model, live.dimension) == ("model", DIMENSION)
        (chunk,) = indexes.open(live).read("a", 1)
        assert (chunk.chunk.text, chunk.chunk.row, chunk.chunk.table_header) == ("some text", None, "")
        (found,) = SqliteDocumentStore(database).scan("bucket", limit=9)
        assert found == replace(record, active=replace(active(), index_name=live.name))
        assert found.indexed_in(live.name) is not None
        database.close()


def test_what_is_written_together_is_seen_by_its_thread_at_once_and_by_others_after_the_commit(tmp_path: Path) -> None:
    database, other = Database(tmp_path / "ragbase.db"), Database(tmp_path / "ragbase.db")
    said: list[list[str]] = []
    with database.together():
        add(database, "a")
        add(database, "b")
        database.after_commit(lambda: said.append(bodies(other)))
        assert (bodies(database), bodies(other), said) == (["a", "b"], [], [])
    assert said == [["a", "b"]]
    add(database, "c")
    assert bodies(other) == ["a", "b", "c"]


def test_a_failing_write_among_those_made_together_undoes_itself_alone(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute(INSERT, ("half",))
        raise ValueError("no")

    with database.together():
        add(database, "before")
        with pytest.raises(ValueError, match="no"):
            database.write(fail)
        add(database, "after")
    assert bodies(database) == ["after", "before"]


def test_a_failing_single_change_among_those_made_together_undoes_itself_alone(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")
    with database.together():
        add(database, "before", is_one_change=True)
        with pytest.raises(sqlite3.IntegrityError):
            add(database, None, is_one_change=True)
        add(database, "after", is_one_change=True)
    assert bodies(database) == ["after", "before"]


def test_an_error_that_leaves_what_is_written_together_undoes_all(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")
    said: list[str] = []
    with pytest.raises(ValueError, match="no"), database.together():
        add(database, "a")
        database.after_commit(lambda: said.append("committed"))
        raise ValueError("no")
    assert (bodies(database), said) == ([], [])
    add(database, "b")
    assert bodies(database) == ["b"]


@pytest.mark.parametrize("is_one_change", [False, True])
def test_nothing_is_written_after_an_error_has_ended_the_transaction(tmp_path: Path, is_one_change: bool) -> None:
    database = Database(tmp_path / "ragbase.db")

    def roll_back(connection: sqlite3.Connection) -> None:
        connection.execute(INSERT, ("half",))
        connection.execute("ROLLBACK")  # as SQLite does by itself when the disk is full
        raise sqlite3.OperationalError("database or disk is full")

    with pytest.raises(Unavailable), database.together():
        add(database, "before")
        with pytest.raises(Unavailable):
            database.write(roll_back, is_one_change=is_one_change)
        with pytest.raises(Unavailable):
            add(database, "after")
    assert bodies(database) == []
    add(database, "later")
    assert bodies(database) == ["later"]


class Recorded(Database):
    """Notes whether each write was durable."""

    durable: list[bool]

    def write(self, work: Work[Result], *, durable: bool = True, is_one_change: bool = False) -> Result:
        self.durable.append(durable)
        return super().write(work, durable=durable, is_one_change=is_one_change)


def test_a_record_that_another_process_has_changed_is_changed_as_it_is_now(tmp_path: Path) -> None:
    database, other = Recorded(tmp_path / "ragbase.db"), Database(tmp_path / "ragbase.db")
    database.durable = []
    store, others = SqliteDocumentStore(database), SqliteDocumentStore(other)
    first, theirs = document("a"), document("a", generation=2)
    store.update("a", lambda _: first)
    others.update("a", lambda _: theirs)

    def settle_theirs(record: Document | None) -> Document | None:
        assert record is not None
        return replace(record, status=Status.COMPLETED if record == theirs else Status.PROCESSING)

    assert store.update("a", settle_theirs).before == theirs
    record = others.get("a")
    assert record is not None
    assert (record.generation, record.status) == (2, Status.COMPLETED)
    assert database.durable[-1], "users learn that it has settled"
    assert others.update("a", lambda record: record).after == record
