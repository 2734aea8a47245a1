"""The records in SQLite: what queries compare follows the record, and an older file goes on as it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.schema import ADDED_COLUMNS, SCHEMA
from ragbase.adapters.record_json import record_json
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.lease import Lease
from ragbase.domain.work import Failure
from tests.contract.test_document_store import NOW, active, document, put

MOMENTS = st.sampled_from([NOW, NOW + timedelta(microseconds=1), NOW.astimezone(UTC) + timedelta(days=1)])
RECORDS = st.builds(
    lambda status, tombstone, created_at, updated_at, shown, lease: document(
        "a",
        status=status,
        tombstone=tombstone,
        created_at=created_at,
        updated_at=updated_at,
        active=active() if shown else None,
        lease=lease,
    ),
    st.sampled_from(Status),
    st.booleans(),
    MOMENTS,
    MOMENTS,
    st.booleans(),
    st.sampled_from([None, Lease("one", 1, NOW), Lease("other", 1, NOW)]),
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / "ragbase.db")) as database:
        yield database


def columns(database: Database) -> list[list[object]]:
    """All but the last, the number of the last change."""
    return [columns for *columns, _ in database.reader.execute("SELECT * FROM documents")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(RECORDS, min_size=1, max_size=6))
def test_after_any_changes_a_row_is_as_if_it_were_new(records: Sequence[Document], database: Database) -> None:
    database.write(lambda connection: connection.execute("DELETE FROM documents"))
    for record in records:
        put(SqliteDocumentStore(database), record)
    changed = columns(database)
    database.write(lambda connection: connection.execute("DELETE FROM documents"))
    put(SqliteDocumentStore(database), records[-1])
    assert changed == columns(database)


def test_what_two_processes_insert_at_once_is_one_record(tmp_path: Path, database: Database) -> None:
    ours = SqliteDocumentStore(database)
    seen: list[Document | None] = []

    def both(before: Document | None) -> Document:
        seen.append(before)
        if before is None:  # the other one is quicker
            with closing(Database(tmp_path / "ragbase.db")) as other:
                SqliteDocumentStore(other).update("a", lambda _: document("a"))
        return document("a", size=before.size + 1 if before else 0)

    change = ours.update("a", both)
    assert seen == [None, document("a")]
    assert (change.before, change.after) == (document("a"), document("a", size=5))
    assert ours.get("a") == change.after


OLD = [
    document("a", status=Status.COMPLETED, active=active()),
    document("b", name="tenant/b.md", status=Status.PROCESSING, lease=Lease("dead", 1, NOW)),
    document("c", status=Status.FAILED, failure=Failure(ErrorCode.CORRUPT_FILE, "why")),
    document("d", status=Status.PENDING, tombstone=True),
]


def test_records_are_as_everybody_has_changed_them(tmp_path: Path, database: Database) -> None:
    store = SqliteDocumentStore(database)
    put(store, document("a"))
    with closing(Database(tmp_path / "ragbase.db")) as same:
        for place, writer in enumerate((SqliteDocumentStore(same), store, SqliteDocumentStore(same))):
            assert store.get_many(["a"])["a"].revision == place
            writer.update("a", lambda before: before and replace(before, revision=before.revision + 1))
    assert store.get_many(["a", "b"])["a"].revision == 3
    with pytest.raises(ValueError, match="undone"), database.together():
        put(store, document("b"))
        assert list(store.get_many(["a", "b"])) == ["a", "b"]
        raise ValueError("undone")
    assert list(store.get_many(["a", "b"])) == ["a"]


def test_the_records_of_the_eighth_format_are_found_as_before(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        for statement in ";\n".join(SCHEMA[:8]).split(";\n"):
            connection.execute(statement)
        for column in chain.from_iterable(ADDED_COLUMNS.values()):
            connection.execute(f"ALTER TABLE chunks_first ADD COLUMN {column}")
        for one in OLD:
            connection.execute(
                "INSERT INTO documents (id, bucket, name, status, tombstone, created_at, updated_at, active_md5, "
                "active_fingerprint, lease_worker, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    one.id,
                    one.bucket,
                    one.name,
                    one.status.value,
                    one.tombstone,
                    "2025-01-01T00:00:00.000000+00:00",
                    "2025-01-01T00:00:00",
                    one.active.md5 if one.active else None,
                    one.active.fingerprint if one.active else None,
                    one.lease.worker if one.lease else None,
                    record_json(one),
                ),
            )
        connection.execute("PRAGMA user_version = 8")
        connection.commit()
    with closing(Database(path)) as old, closing(Database(tmp_path / "new.db")) as new:
        found = SqliteDocumentStore(old)
        put(SqliteDocumentStore(new), *OLD)
        assert columns(old) == columns(new)
        assert [one.id for one in found.page()] == ["a", "b", "c"]
        assert [one.id for one in found.page(status=Status.FAILED)] == ["c"]
        assert [one.id for one in found.page(tenant="tenant")] == ["b"]
        assert [one.id for one in found.scan("bucket", limit=9)] == ["a", "c", "d", "b"]
        assert [one.id for one in found.leased_to("dead")] == ["b"]
        assert [one.id for one in found.waiting(before=datetime.max.replace(tzinfo=UTC), limit=9)] == ["b"]
        assert found.find_active(active().md5, active().fingerprint) == OLD[0]
        changed = found.update("a", lambda record: record and replace(record, status=Status.PENDING))
        assert changed.before == OLD[0]
        assert [one.id for one in found.page(status=Status.PENDING)] == ["a"]
        assert old.reader.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
