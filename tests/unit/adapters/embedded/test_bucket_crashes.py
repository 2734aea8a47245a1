"""The folder as a bucket at every crash point, and with several processes in it at once."""

from __future__ import annotations

import errno
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.domain.errors import TransientError
from ragbase.domain.object_event import EventKind, ObjectEvent
from tests.unit.adapters.embedded.folder_place import Place, content


class Crash(BaseException):
    """The process ends here."""


def _crash(_: sqlite3.Connection, __: ObjectEvent) -> None:
    raise Crash


def test_a_put_that_ends_before_its_commit_is_made_good_by_the_next_scan(place: Place, bucket: FolderBucket) -> None:
    old = bucket.put("a.md", b"old")
    with pytest.raises(Crash):
        place.process(_crash).put("a.md", b"new")
    assert list(bucket.list()) == [old]

    assert bucket.scan() == 1
    new = bucket.stat("a.md")
    assert new is not None
    assert new.generation > old.generation
    assert content(bucket) == {"a.md": b"new"}
    assert place.events == [("finalised", "a.md"), ("finalised", "a.md")]


def test_a_delete_that_ends_before_its_commit_is_made_good_by_the_next_scan(place: Place, bucket: FolderBucket) -> None:
    bucket.put("a.md", b"text")
    with pytest.raises(Crash):
        place.process(_crash).delete("a.md")
    assert bucket.scan() == 1
    assert place.events == [("finalised", "a.md"), ("deleted", "a.md")]


def test_a_deletion_of_many_that_ends_before_its_commit_is_made_good_by_the_next_one(
    place: Place, bucket: FolderBucket
) -> None:
    for name in "abc":
        bucket.put(name, b"text")
    with pytest.raises(Crash):
        place.process(_crash).delete_many(dict.fromkeys("abc"))
    bucket.delete_many(dict.fromkeys("abc"))
    assert list(bucket.list()) == []
    assert place.events[3:] == [("deleted", name) for name in "abc"]


def test_a_file_that_cannot_be_removed_keeps_no_other_one_of_its_deletion(
    place: Place, bucket: FolderBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        bucket.put(name, b"text")
    rename = os.rename

    def refuse(path: str, to: str, *, src_dir_fd: int) -> None:
        if path == "b":
            raise PermissionError(13, "Permission denied")
        rename(path, to, src_dir_fd=src_dir_fd)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(TransientError, match="b cannot be removed: Permission denied"):
        bucket.delete_many(dict.fromkeys("abc"))
    assert content(bucket) == {"b": b"text"}
    assert place.events[3:] == [("deleted", "a"), ("deleted", "c")]
    assert list((place.home / "staging").iterdir()) == []


def test_a_file_on_another_file_system_below_the_folder_is_removed_too(
    place: Place, bucket: FolderBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put("a", b"text")

    def refuse(path: str, to: str, *, src_dir_fd: int) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "rename", refuse)
    bucket.delete("a")
    assert list(place.folder.iterdir()) == []


def test_the_object_and_its_event_are_one_commit(place: Place) -> None:
    stored = place.process(_note).put("a.md", b"text")
    with sqlite3.connect(place.home / "ragbase.db") as connection:
        rows = connection.execute("SELECT topic, body FROM messages").fetchall()
    connection.close()
    assert rows == [("finalised", str(stored.generation))]


def _note(connection: sqlite3.Connection, event: ObjectEvent) -> None:
    assert connection.in_transaction
    connection.execute(
        "INSERT INTO messages (topic, body, reason, visible_at) VALUES (?, ?, '', 0)",
        (event.kind.value, str(event.generation)),
    )


def test_what_a_killed_process_left_in_staging_is_removed(place: Place, bucket: FolderBucket) -> None:
    for name in ("left", "being-written"):
        (place.home / "staging" / name).write_bytes(b"text")
    os.utime(place.home / "staging" / "left", (0, 0))
    bucket.scan()
    assert [path.name for path in (place.home / "staging").iterdir()] == ["being-written"]


def test_a_folder_that_is_not_mounted_is_no_deletion(place: Place, bucket: FolderBucket) -> None:
    stored = bucket.put("a.md", b"text")
    place.folder.rename(place.home / "away")
    for look in (bucket.scan, lambda: bucket.notice("a.md"), lambda: bucket.read("a.md", stored.generation)):
        with pytest.raises(TransientError, match="gone"):
            look()
    with pytest.raises(TransientError, match="gone"):
        bucket.put("b.md", b"text")
    (place.home / "away").rename(place.folder)
    assert content(bucket) == {"a.md": b"text"}


def test_processes_that_scan_at_once_register_each_change_once(place: Place) -> None:
    processes = [place.process() for _ in range(3)]
    for number in range(150):
        place.write(f"{number}.md", b"%d" % number)
    with ThreadPoolExecutor(3) as pool:
        counts = list(pool.map(lambda bucket: bucket.scan(), processes))
    assert sum(counts) == 150
    assert sorted(place.events) == sorted((EventKind.FINALISED.value, f"{number}.md") for number in range(150))


def test_processes_that_write_and_scan_at_once_agree_with_the_folder(place: Place) -> None:
    writer, other, scanner = (place.process() for _ in range(3))

    def write(bucket: FolderBucket, mark: bytes) -> None:
        for number in range(40):
            bucket.put(f"{number % 4}.md", mark * (number + 1))
            if number % 7 == 0:
                bucket.delete(f"{number % 4}.md")

    with ThreadPoolExecutor(3) as pool:
        writes = [pool.submit(write, writer, b"w"), pool.submit(write, other, b"o")]
        # Nobody but the buckets touches the files, so that a scan finds nothing at any moment.
        noticed = [scanner.scan() for _ in range(20)]
        for done in writes:
            done.result()
    assert noticed == [0] * 20
    assert content(scanner) == {path.name: path.read_bytes() for path in place.folder.iterdir()}
