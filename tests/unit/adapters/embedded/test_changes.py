"""The order of changes over several processes, and of a file of an older version."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from ragbase.adapters.embedded.changes import SqliteChanges
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from tests.plain_document import plain_document


def test_what_another_process_writes_is_a_change(tmp_path: Path) -> None:
    path = tmp_path / "ragbase.db"
    with closing(Database(path)) as mine, closing(Database(path)) as theirs:
        changes = SqliteChanges(mine)
        assert changes.latest() == 0
        for number, store in enumerate((SqliteDocumentStore(theirs), SqliteDocumentStore(mine)), start=1):
            record = plain_document(f"{number}.md")
            store.update(record.id, lambda _, record=record: record)  # type: ignore[misc]  # mypy cannot type the default
            assert changes.latest() == number
            assert changes.after(number - 1, limit=9).ids == [record.id]


def test_an_uncommitted_change_is_seen_by_its_thread_alone(tmp_path: Path) -> None:
    with closing(Database(tmp_path / "ragbase.db")) as database:
        changes, store = SqliteChanges(database), SqliteDocumentStore(database)
        record = plain_document("a.md")
        with ThreadPoolExecutor(1) as other:
            with database.together():
                store.update(record.id, lambda _: record)
                assert (changes.latest(), other.submit(changes.latest).result()) == (1, 0)
            assert other.submit(changes.latest).result() == 1


def test_records_of_an_older_version_have_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "ragbase.db"
    old, new = plain_document("old.md"), plain_document("new.md")
    with closing(Database(path)) as database:
        SqliteDocumentStore(database).update(old.id, lambda _: old)
        database.write(
            lambda connection: [
                connection.execute(statement)
                for statement in (
                    "DROP INDEX documents_by_change",
                    "ALTER TABLE documents DROP COLUMN change",
                    "DROP TABLE word_boxes",  # of the same step
                    "PRAGMA user_version = 10",
                )
            ]
        )
    with closing(Database(path)) as database:
        changes, store = SqliteChanges(database), SqliteDocumentStore(database)
        assert changes.latest() == 0
        store.update(new.id, lambda _: new)
        assert changes.after(0, limit=9).ids == [new.id]
        assert store.get(old.id) == old
