"""The disk of the data folder is full, or nearly so: what frees room goes on, and a deletion that fails did nothing."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragbase import RAGEngine, load_config
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.tidy import log_size
from ragbase.domain.errors import Unavailable
from ragbase.domain.object_event import ObjectEvent
from tests.unit.adapters.embedded.folder_place import Place, content

MEGABYTE = 1024 * 1024
INSERT = "INSERT INTO messages (topic, body, reason, visible_at) VALUES ('t', ?, '', 0)"

SetFree = Callable[[int], None]


@pytest.fixture
def set_free(monkeypatch: pytest.MonkeyPatch) -> SetFree:
    """Says how many bytes of a disk of 60 MB are free."""

    def set_free(free: int) -> None:
        disk = SimpleNamespace(f_blocks=60 * MEGABYTE, f_frsize=1, f_bavail=free)
        monkeypatch.setattr(os, "statvfs", lambda _: disk)

    return set_free


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.close()


def refuse(_: sqlite3.Connection, __: ObjectEvent) -> None:
    raise sqlite3.OperationalError("database or disk is full")


@pytest.mark.parametrize("name", ["a.md", "below/two/folders/a.md"])
def test_a_deletion_that_is_refused_has_not_happened(place: Place, name: str) -> None:
    bucket = place.process()
    stored = bucket.put(name, b"text")
    with pytest.raises(Unavailable, match=r"disk is full\. Delete documents, or free space on the disk\.$"):
        place.process(refuse).delete_many({name: None})
    assert bucket.scan() == 0, "the file is as it was"
    assert bucket.stat(name) == stored
    assert content(bucket) == {name: b"text"}
    assert list((place.home / "staging").iterdir()) == []
    assert bucket.delete(name) == stored


def test_a_file_that_comes_while_a_deletion_is_refused_stays(place: Place) -> None:
    bucket = place.process()
    bucket.put("a.md", b"text")

    def write_and_refuse(connection: sqlite3.Connection, event: ObjectEvent) -> None:
        place.write("a.md", b"another text")
        refuse(connection, event)

    with pytest.raises(Unavailable):
        place.process(write_and_refuse).delete("a.md")
    assert bucket.scan() == 1
    assert content(bucket) == {"a.md": b"another text"}


def test_the_last_of_the_disk_is_for_deletions(tmp_path: Path, set_free: SetFree) -> None:
    with RAGEngine(load_config(home=tmp_path / "home", embedder="hashing")) as engine:
        for name in ("a", "b", "c"):
            (tmp_path / f"{name}.md").write_text(f"The lighthouse {name} stands on the rock since 1850.")
        engine.ingest([str(tmp_path / "a.md"), str(tmp_path / "b.md")])
        set_free(2 * MEGABYTE)
        with pytest.raises(Unavailable, match=r"nearly full.*Delete documents"):
            engine.profile.bucket.put("c.md", b"text")
        with pytest.raises(Unavailable, match="nearly full"):
            engine.ingest([str(tmp_path / "c.md")])
        assert engine.delete([str(tmp_path / "a.md")])["deleted_count"] == 1
        assert {one.chunk.content[:16] for one in engine.query("lighthouse")} == {"The lighthouse b"}
        index, (left,) = engine.profile.open_index(), engine.profile.documents.page()
        assert sum(sum(held.values()) for held in index.vectors().held([left.id]).values()) == 1
        set_free(50 * MEGABYTE)
        assert engine.ingest([str(tmp_path / "c.md")])["ingested_count"] == 1


def test_a_deletion_is_not_kept_waiting_by_work_that_has_no_room(tmp_path: Path, set_free: SetFree) -> None:
    with RAGEngine(load_config(home=tmp_path / "home", embedder="hashing")) as engine:
        (tmp_path / "a.md").write_text("The lighthouse stands on the rock since 1850.")
        engine.ingest([str(tmp_path / "a.md")])
        for number in range(40):
            engine.profile.bucket.put(f"later-{number}.md", f"The text {number} waits for room on the disk.".encode())
        set_free(2 * MEGABYTE)
        (document,) = engine.profile.documents.page()
        engine.delete([str(tmp_path / "a.md")])
        assert engine.profile.open_index().vectors().held([document.id]) == {}


def test_the_log_is_emptied_where_it_takes_the_room(tmp_path: Path, set_free: SetFree) -> None:
    database = Database(tmp_path / "ragbase.db")
    for _ in range(8):
        database.write(lambda connection: connection.execute(INSERT, ("x" * MEGABYTE,)), durable=False)
    assert log_size(database.path) > 8 * MEGABYTE
    set_free(12 * MEGABYTE)  # an eighth of the disk is kept, and the log needs its room twice
    database.check_room()
    assert log_size(database.path) == 0
    set_free(5 * MEGABYTE)
    with pytest.raises(Unavailable):
        database.check_room()
    database.close()


def test_where_nothing_is_left_the_snapshots_go(tmp_path: Path, set_free: SetFree) -> None:
    Database(tmp_path / "ragbase.db").close()
    snapshots = tmp_path / "snapshots"
    snapshots.mkdir()
    (snapshots / "lock").touch()
    (snapshots / "vectors").write_bytes(b"vectors")
    set_free(2 * MEGABYTE)
    Database(tmp_path / "ragbase.db").close()
    assert (snapshots / "vectors").exists()
    set_free(4096)
    Database(tmp_path / "ragbase.db").close()
    assert [file.name for file in snapshots.iterdir()] == ["lock"]
