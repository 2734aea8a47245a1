"""What every audit log does: entries that are added, bound to each other, and never changed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest

from ragbase.access.verify_audit import Break, verify
from ragbase.adapters.embedded.audit_log import SqliteAuditLog
from ragbase.adapters.google.audit_log import CHAINS, COLLECTION, FirestoreAuditLog
from ragbase.domain.audit import REGISTRY, AuditEntry, hash_of
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.testing.audit_log import MemoryAuditLog
from ragbase.testing.contracts.audit_log import AuditLogContract, OpenedLog, deed
from tests.contract.real_servers import in_test
from tests.shared_servers import fresh_project, shared_firestore


@contextmanager
def memory() -> Iterator[OpenedLog]:
    log = MemoryAuditLog()
    yield lambda: log


@contextmanager
def sqlite() -> Iterator[OpenedLog]:
    opened: list[SqliteAuditLog] = []
    with TemporaryDirectory() as folder:

        def another() -> SqliteAuditLog:
            opened.append(SqliteAuditLog(Path(folder) / "home" / "audit.db"))
            return opened[-1]

        yield another
        for log in opened:
            log.close()


@contextmanager
def firestore() -> Iterator[OpenedLog]:
    project = fresh_project()
    with patch.dict(os.environ, FIRESTORE_EMULATOR_HOST=shared_firestore()):
        yield lambda: FirestoreAuditLog(project)


LOGS: dict[str, Callable[[], AbstractContextManager[OpenedLog]]] = {
    "memory": memory,
    "sqlite": sqlite,
    "firestore": firestore,
}


class TestAuditLog(AuditLogContract):
    @pytest.fixture(params=in_test(LOGS))
    def opened(self, request: pytest.FixtureRequest) -> Iterator[OpenedLog]:
        with LOGS[request.param]() as opened:
            yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A log with five entries."""
    file = tmp_path / "audit.db"
    log = SqliteAuditLog(file)
    log.append([deed(number) for number in range(1, 6)])
    log.close()
    return file


def broken(file: Path, *statements: str) -> list[tuple[int, str]]:
    """What a check finds after somebody with the file has run these."""
    with sqlite3.connect(file) as connection:
        for trigger in ("no_change", "no_removal"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for statement in statements:
            connection.execute(statement)
    connection.close()
    log = SqliteAuditLog(file)
    found = verify(log)
    log.close()
    return [(one.number, one.reason) for one in found.breaks]


@pytest.mark.parametrize("statement", ["UPDATE entries SET hash = 'x'", "DELETE FROM entries"])
def test_the_file_refuses_to_change_an_entry(file: Path, statement: str) -> None:
    with sqlite3.connect(file) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


def test_a_changed_entry_is_named(file: Path) -> None:
    ((number, reason),) = broken(
        file, "UPDATE entries SET text = replace(text, '192.0.2.1', '192.0.2.9') WHERE number = 3"
    )
    assert (number, "changed" in reason) == (3, True)


def test_a_changed_entry_with_a_new_hash_is_named_by_the_next(file: Path) -> None:
    log = SqliteAuditLog(file)
    third = log.chain("main", after=2, limit=1)[0]
    log.close()
    forged = third.text.replace("192.0.2.1", "192.0.2.9")
    quoted = forged.replace("'", "''")
    found = broken(file, f"UPDATE entries SET text = '{quoted}', hash = '{hash_of(forged)}' WHERE number = 3")
    assert [number for number, _ in found] == [4]


def test_a_removed_entry_is_named(file: Path) -> None:
    ((number, reason),) = broken(file, "DELETE FROM entries WHERE number = 2")
    assert (number, "missing" in reason) == (2, True)


def test_an_entry_that_was_removed_and_closed_up_is_named(file: Path) -> None:
    found = broken(
        file,
        "DELETE FROM entries WHERE number = 2",
        "UPDATE entries SET number = number - 1 WHERE number > 2",
    )
    assert [number for number, _ in found] == [2]


def test_swapped_entries_are_named(file: Path) -> None:
    found = broken(
        file,
        "UPDATE entries SET number = -3 WHERE number = 3",
        "UPDATE entries SET number = 3 WHERE number = 4",
        "UPDATE entries SET number = 4 WHERE number = -3",
    )
    assert [number for number, _ in found] == [3]


def test_an_inserted_entry_is_named(file: Path) -> None:
    found = broken(
        file,
        "UPDATE entries SET number = -number WHERE number > 2",
        "UPDATE entries SET number = 1 - number WHERE number < 0",
        "INSERT INTO entries SELECT 3, at, text, hash FROM entries WHERE number = 1",
    )
    assert [number for number, _ in found] == [3]


def test_a_time_that_was_changed_for_lists_alone_is_named(file: Path) -> None:
    ((number, reason),) = broken(file, "UPDATE entries SET at = '2020' WHERE number = 2")
    assert (number, "time" in reason) == (2, True)


def test_an_entry_that_is_no_json_is_named(file: Path) -> None:
    assert [
        number for number, _ in broken(file, f"UPDATE entries SET text = '[', hash = '{hash_of('[')}' WHERE number = 1")
    ] == [1]


def test_only_a_kept_head_shows_that_the_end_was_cut(file: Path) -> None:
    log = SqliteAuditLog(file)
    head = verify(log).heads[0].hash
    log.close()
    assert broken(file, "DELETE FROM entries WHERE number > 3") == []
    log = SqliteAuditLog(file)
    assert list(verify(log, heads=[head]).missing) == [head]
    log.close()


def test_the_file_is_its_owners_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        log = SqliteAuditLog(tmp_path / "audit.db")
        log.append([deed(1)])
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
        log.close()
    finally:
        os.umask(before)
    assert set(modes) >= {"audit.db", "audit.db-wal"}
    assert set(modes.values()) == {0o600}


def test_a_damaged_file_is_said_to_be_one(file: Path) -> None:
    file.write_bytes(b"nonsense" * 1000)
    with pytest.raises(ConfigurationError, match="is damaged"):
        SqliteAuditLog(file).append([deed(1)])


def test_a_file_of_a_newer_version_is_refused(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ConfigurationError, match="newer ragbase"):
        SqliteAuditLog(file).append([deed(1)])


@pytest.fixture
def project() -> Iterator[str]:
    with patch.dict(os.environ, FIRESTORE_EMULATOR_HOST=shared_firestore()):
        yield fresh_project()


def documents(project: str, collection: str) -> dict[str, object]:
    from google.cloud.firestore import Client

    return {one.id: one.reference for one in Client(project).collection(collection).stream()}


@pytest.mark.slow
def test_each_process_has_a_chain_that_the_registry_announces(project: str) -> None:
    logs = [FirestoreAuditLog(project) for _ in range(3)]
    for number, log in enumerate(logs):
        log.append([deed(number)])
        log.append([deed(number + 10)])
    found = verify(FirestoreAuditLog(project))
    assert found.is_sound
    assert [head.number for head in found.heads] == [3, 2, 2, 2]
    assert found.heads[0].chain == REGISTRY


@pytest.mark.slow
def test_a_chain_that_is_gone_is_named(project: str) -> None:
    for number in range(2):
        FirestoreAuditLog(project).append([deed(number)])
    name, reference = sorted(documents(project, COLLECTION).items())[0]
    reference.delete()  # type: ignore[attr-defined]
    found = verify(FirestoreAuditLog(project))
    assert found.breaks == (Break(name.partition("-")[0], 0, "the registry announces this chain, and it is gone"),)


@pytest.mark.slow
def test_a_chain_that_was_added_is_named(project: str) -> None:
    from google.cloud.firestore import Client

    FirestoreAuditLog(project).append([deed(1)])
    forged = AuditEntry.after("0" * 64, deed(2), chain="ffff", number=1)
    place = Client(project).collection(COLLECTION).document("ffff-000000000001")
    place.create({"text": forged.text, "hash": forged.hash, "at": forged.at})
    found = verify(FirestoreAuditLog(project))
    assert found.breaks == (Break("ffff", 0, "the registry does not announce this chain"),)


@pytest.mark.slow
def test_a_removed_announcement_is_named(project: str) -> None:
    for number in range(3):
        FirestoreAuditLog(project).append([deed(number)])
    documents(project, CHAINS)["000000000002"].delete()  # type: ignore[attr-defined]
    (found,) = verify(FirestoreAuditLog(project)).breaks
    assert (found.chain, found.number) == (REGISTRY, 2)


@pytest.mark.slow
def test_a_write_whose_answer_was_lost_is_not_made_twice(project: str) -> None:
    from google.api_core.exceptions import ServiceUnavailable
    from google.cloud.firestore import WriteBatch

    log = FirestoreAuditLog(project)
    log.append([deed(1)])
    commit = WriteBatch.commit

    def lose(batch: WriteBatch, **options: object) -> None:
        commit(batch, **options)  # type: ignore[arg-type]
        raise ServiceUnavailable("lost")  # type: ignore[no-untyped-call]

    with patch.object(WriteBatch, "commit", lose), pytest.raises(Unavailable):
        log.append([deed(2)])
    log.append([deed(3)])
    assert verify(log).is_sound
    assert [entry.number for entry in log.newest(limit=10)] == [3, 2, 1]
