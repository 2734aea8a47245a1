"""A search goes on with the snapshot that it took, whatever is written meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.index_tables import tables_of
from ragbase.adapters.embedded.snapshot import Snapshot
from ragbase.adapters.embedded.snapshot_files import SnapshotFiles
from ragbase.adapters.embedded.vector_cache import VectorCache
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.testing.chunks import DIMENSION, document, unit


def cache_of(database: Database) -> VectorCache:
    return VectorCache(DIMENSION, tables_of("model"), "", SnapshotFiles(database, DIMENSION, "model", ""))


def test_a_snapshot_never_changes(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")
    store, cache = SqliteVectorStore(database, DIMENSION, "model"), cache_of(database)

    def contents(snapshot: Snapshot) -> object:
        return (
            snapshot.live.tolist(),
            snapshot.row_ids.tolist(),
            [part.tolist() for part in snapshot.vectors.parts],
            snapshot.cosines(unit(1)).tolist(),
            snapshot.bm25(["0", "text"])[0].tolist(),
        )

    taken: list[tuple[Snapshot, object]] = []
    for step in range(12):
        store.write(document(f"{step}", [f"text {i} {step}" for i in range(10)]))
        if step % 2:
            store.delete(f"{step - step % 3}", generation=1)
        snapshot = cache.snapshot(database.reader)
        taken.append((snapshot, contents(snapshot)))
        for earlier, before in taken:
            assert contents(earlier) == before
    assert taken[-1][0].passages < 120
    database.close()


def test_a_snapshot_that_needs_no_change_is_given_again(tmp_path: Path) -> None:
    database = Database(tmp_path / "ragbase.db")
    store, cache = SqliteVectorStore(database, DIMENSION, "model"), cache_of(database)
    empty = cache.snapshot(database.reader)
    assert cache.snapshot(database.reader) is empty
    store.write(document("a", ["text"]))
    filled = cache.snapshot(database.reader)
    assert (empty.passages, filled.passages) == (0, 1)
    assert filled.average_length == pytest.approx(1)
    assert cache.snapshot(database.reader) is filled
    database.close()
