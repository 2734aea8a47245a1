"""A search that starts from a file finds what one that reads the database finds, whatever became of the file."""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from ragbase.adapters.embedded import snapshot_files
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.index_tables import tables_of
from ragbase.adapters.embedded.indexes import SqliteIndexes
from ragbase.adapters.embedded.snapshot import Snapshot
from ragbase.adapters.embedded.snapshot_file import write_snapshot
from ragbase.adapters.embedded.snapshot_files import LEAST_UNSAVED, SnapshotFiles
from ragbase.adapters.embedded.vector_cache import VectorCache
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.domain.index import index_of
from ragbase.domain.tenant import Tenancy
from ragbase.testing.chunks import DIMENSION, document, unit, vector_of
from tests.e2e.command_line import obey_permissions
from tests.unit.adapters.embedded.in_processes import write_and_search

MANY = LEAST_UNSAVED + 1
"""So many chunks get a file."""
OTHER = index_of("other", model="model", dimension=DIMENSION, language="english")
SPAWN = multiprocessing.get_context("spawn")
Opened = Callable[[], SqliteVectorStore]


def fill(store: SqliteVectorStore, name: str = "filled", count: int = MANY) -> None:
    store.write(document(name, [f"{name} {i % 50} {i}" for i in range(count)]))


def files(path: Path) -> list[Path]:
    folder = path.parent / "snapshots"
    return sorted(file for file in folder.iterdir() if file.name != "lock") if folder.exists() else []


def read_from_database(path: Path) -> int:
    """How many chunks a new process does not find in the file."""
    database = Database(path)
    cache = VectorCache(DIMENSION, tables_of("model"), "", SnapshotFiles(database, DIMENSION, "model", ""))
    try:
        return cache.snapshot(database.reader).unsaved
    finally:
        database.close()


def found(store: SqliteVectorStore) -> object:
    """All that a search says, but for rounding."""
    candidates = store.search(vector_of("query"), ["filled", "7", "more"], 100_000)
    hits = [(round(hit.cosine, 5), hit.chunk, hit.terms) for hit in candidates.hits]
    facts = (candidates.passages, candidates.frequency, candidates.average_length, candidates.exhausted)
    return sorted(hits, key=lambda hit: hit[1].id), facts


def assert_right(path: Path, store: SqliteVectorStore) -> None:
    """The answer is the one that a copy of the database alone gives."""
    with closing(sqlite3.connect(path)) as source:
        copy = path.with_name("copy.db")
        with closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    database = Database(copy)
    with patch.object(SnapshotFiles, "load", return_value=None):
        expected = found(SqliteVectorStore(database, DIMENSION, "model"))
    database.close()
    assert found(store) == expected


# when there is one


def test_a_small_index_has_no_file(opened: Opened, path: Path) -> None:
    store = opened()
    fill(store, count=LEAST_UNSAVED)
    found(store)
    store.close()
    assert files(path) == []


@pytest.mark.parametrize("by", ["the process that has filled the index", "the first search"])
def test_the_next_process_starts_from_a_file_that_is_left_by(by: str, opened: Opened, path: Path) -> None:
    writer = opened()
    fill(writer)
    if by == "the first search":
        found(opened())
    else:
        writer.close()
    assert len(files(path)) == 1
    assert read_from_database(path) == 0
    assert_right(path, opened())


def test_it_is_written_again_when_much_has_changed_and_takes_the_place_of_the_one_before(
    opened: Opened, path: Path
) -> None:
    store = opened()
    fill(store)
    found(store)
    before = files(path)
    fill(store, "little", 20)
    found(store)
    assert files(path) == before
    assert read_from_database(path) == 20
    fill(store, "more")
    found(store)
    assert len(files(path)) == 1
    assert files(path) != before
    assert read_from_database(path) == 0
    store.delete("more", generation=1)
    store.delete("filled", generation=1)
    found(store)
    assert files(path)[0].stat().st_size < 20_000
    assert_right(path, opened())


# when it is not what the database holds


def test_what_came_and_went_since_is_read_from_the_database(opened: Opened, path: Path) -> None:
    store = opened()
    fill(store)
    store.write(document("goes", ["filled 7 goes"]))
    store.write(document("changes", ["filled before"]))
    found(store)
    store.delete("goes", generation=1)
    store.write(document("changes", ["filled after"]))
    store.write(document("comes", ["more 7"]))
    assert read_from_database(path) == 4
    assert_right(path, opened())


def damage_cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def damage_empty(file: Path) -> None:
    file.write_bytes(b"")


def damage_header(file: Path) -> None:
    flip(file, 3)


def damage_number(file: Path) -> None:
    flip(file, file.stat().st_size // 2)


def damage_end(file: Path) -> None:
    flip(file, file.stat().st_size - 1)


def damage_longer(file: Path) -> None:
    file.write_bytes(file.read_bytes() + bytes(64))


def damage_gone(file: Path) -> None:
    file.unlink()


def flip(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [damage_cut, damage_empty, damage_header, damage_number, damage_end, damage_longer, damage_gone],
)
def test_a_damaged_file_is_not_read_and_is_written_again(
    damage: Callable[[Path], None], opened: Opened, path: Path
) -> None:
    store = opened()
    fill(store)
    found(store)
    (file,) = files(path)
    damage(file)
    assert read_from_database(path) == MANY
    assert_right(path, opened())
    assert read_from_database(path) == 0
    assert_right(path, opened())


def test_a_file_of_another_index_is_not_read(opened: Opened, path: Path) -> None:
    store = opened()
    fill(store)
    found(store)
    (mine,) = files(path)
    database = Database(path)
    other = SqliteIndexes(database).open(OTHER)
    other.write(document("other", [f"filled {i}" for i in range(MANY)]))
    other.search(unit(1), [], 1)
    database.close()
    (theirs,) = {*files(path)} - {mine}
    shutil.copy(theirs, mine)
    assert read_from_database(path) == MANY
    assert_right(path, opened())


def test_a_database_that_went_back_and_took_another_way_does_not_start_from_the_file(
    opened: Opened, path: Path
) -> None:
    """As after a power failure, or a backup: the file has chunks that the database never had, with the same row ids."""
    store = opened()
    store.write(document("kept", ["kept"]))
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(path.with_name("backup.db"))) as target:
        source.backup(target)
    fill(store, "lost")
    found(store)
    (file,) = files(path)
    home = path.parent.with_name("restored")
    (home / "snapshots").mkdir(parents=True)
    shutil.copy(path.with_name("backup.db"), home / "ragbase.db")
    shutil.copy(file, home / "snapshots")
    database = Database(home / "ragbase.db")
    restored = SqliteVectorStore(database, DIMENSION, "model")
    fill(restored, "filled")
    assert_right(home / "ragbase.db", restored)
    assert read_from_database(home / "ragbase.db") == 0
    assert file.name not in {one.name for one in files(home / "ragbase.db")}
    database.close()


def test_an_index_that_was_dropped_and_made_again_does_not_start_from_what_was(path: Path) -> None:
    mine, theirs = Database(path), Database(path)
    indexes, others = SqliteIndexes(mine), SqliteIndexes(theirs)
    store = indexes.open(OTHER)
    store.write(document("before", [f"before {i}" for i in range(MANY)]))
    assert store.search(unit(1), [], 1).passages == MANY

    others.drop(OTHER)
    assert files(path) == []
    others.open(OTHER).write(document("after", ["after"] * 3))

    assert [hit.chunk.text for hit in store.search(unit(1), [], 5).hits] == ["after"] * 3
    mine.close()
    theirs.close()


def test_a_snapshot_of_an_index_that_was_dropped_meanwhile_gets_no_name(path: Path) -> None:
    database = Database(path)
    indexes = SqliteIndexes(database)
    store = indexes.open(OTHER)
    store.write(document("before", [f"before {i}" for i in range(MANY)]))

    def dropped_meanwhile(file: Path, snapshot: Snapshot) -> str:
        indexes.drop(OTHER)
        indexes.open(OTHER).write(document("after", ["after"] * 3))
        return write_snapshot(file, snapshot)

    with patch.object(snapshot_files, "write_snapshot", dropped_meanwhile):
        assert store.search(unit(1), [], 1).passages == MANY
    assert files(path) == []
    assert [hit.chunk.text for hit in indexes.open(OTHER).search(unit(1), [], 5).hits] == ["after"] * 3
    database.close()


def test_the_file_of_a_tenant_goes_with_the_tenant(path: Path) -> None:
    split = index_of("split", model="model", dimension=DIMENSION, language="english", tenancy=Tenancy.FOLDER)
    database = Database(path)
    indexes = SqliteIndexes(database)
    for tenant in ("a", "b"):
        store = indexes.open(split, tenant)
        store.write(document(tenant, [f"{tenant} {i}" for i in range(MANY)]))
        assert store.search(unit(1), [tenant], 1).frequency == {tenant: MANY}
    assert len(files(path)) == 2
    indexes.drop_tenant(split, "a")
    assert len(files(path)) == 1
    assert SqliteIndexes(database).open(split, "b").search(unit(1), ["a", "b"], 1).frequency == {"a": 0, "b": MANY}
    database.close()


# where it cannot be written


def test_a_folder_that_takes_no_file_costs_no_answer(opened: Opened, path: Path) -> None:
    store = opened()
    fill(store)
    (path.parent / "snapshots").write_text("in the way")
    assert_right(path, store)
    store.close()


SEARCH = """
import sys
from pathlib import Path
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.testing.chunks import DIMENSION, unit
database = Database(Path(sys.argv[1]))
store = SqliteVectorStore(database, DIMENSION, "model", create=False)
print(database.is_read_only, store.search(unit(1), [], 1).passages)
store.close()
database.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize("with_file", [True, False])
def test_a_folder_that_may_only_be_read_is_searched_with_or_without_a_file(path: Path, *, with_file: bool) -> None:
    database = Database(path)
    store = SqliteVectorStore(database, DIMENSION, "model")
    fill(store)
    if with_file:
        store.close()
    database.close()
    before = files(path)
    folders = [path.parent, *(folder for folder in path.parent.iterdir() if folder.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    ended = subprocess.run(
        [sys.executable, "-c", SEARCH, str(path)],
        preexec_fn=obey_permissions,
        capture_output=True,
        text=True,
        check=True,
    )
    for folder in folders:
        folder.chmod(0o755)
    assert (ended.stdout.split(), ended.stderr) == (["True", str(MANY)], "")
    assert files(path) == before


# many processes


@pytest.mark.prove
def test_processes_that_are_killed_as_they_write_files_leave_a_right_answer(opened: Opened, path: Path) -> None:
    opened()
    for names in ("ab", "cd", "ef"):
        pipes = [multiprocessing.Pipe(duplex=False) for _ in names]
        processes = [
            SPAWN.Process(target=write_and_search, args=(path, name, sender))
            for name, (_, sender) in zip(names, pipes, strict=True)
        ]
        for process in processes:
            process.start()
        for receiver, sender in pipes:
            sender.close()
            while receiver.recv() < 15:
                pass
        for process in processes:
            process.kill()
            process.join()
        assert_right(path, opened())
    store = opened()
    fill(store)
    found(store)
    assert len(files(path)) == 1
    assert read_from_database(path) == 0
