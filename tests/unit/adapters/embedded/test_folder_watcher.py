"""A dropped, changed or removed file is noticed, whole, without anybody asking."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.folder_watcher import FolderWatcher
from ragbase.adapters.system.clock import SystemClock
from ragbase.domain.object_event import EventKind, ObjectEvent

_DEADLINE = 20.0
"""Seconds after which something that should have happened has not."""

Place = tuple[FolderBucket, list[ObjectEvent]]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    events: list[ObjectEvent] = []
    database = Database(tmp_path / "ragbase.db")
    bucket = FolderBucket(
        tmp_path / "bucket",
        tmp_path / "staging",
        database,
        name="bucket",
        announce=lambda _, event: events.append(event),
        clock=SystemClock(),
    )
    yield bucket, events
    database.close()


@contextmanager
def watching(bucket: FolderBucket, settle: float = 0.02, rescan: float = 600.0) -> Iterator[None]:
    before = set(threading.enumerate())
    watcher = FolderWatcher(bucket, settle=settle, rescan=rescan)
    watcher.start()
    try:
        yield
    finally:
        watcher.stop()
    assert set(threading.enumerate()) <= before  # one of another test may have ended meanwhile


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + _DEADLINE
    while not condition():
        assert time.monotonic() < end, "It did not happen in time."
        time.sleep(0.005)


def md5_of(bucket: FolderBucket, name: str) -> str | None:
    stored = bucket.stat(name)
    return stored.md5 if stored else None


def test_what_happens_to_files_is_noticed(place: Place) -> None:
    bucket, events = place
    path = bucket.folder / "a note.md"
    with watching(bucket):
        path.write_bytes(b"one")
        wait_for(lambda: len(events) == 1)
        path.write_bytes(b"two")
        wait_for(lambda: len(events) == 2)
        path.rename(bucket.folder / "renamed.md")
        wait_for(lambda: len(events) == 4)
        (bucket.folder / "renamed.md").unlink()
        wait_for(lambda: len(events) == 5)
    assert [(event.kind, event.name) for event in events[:2]] == [(EventKind.FINALISED, "a note.md")] * 2
    assert {(event.kind, event.name) for event in events[2:4]} == {
        (EventKind.DELETED, "a note.md"),
        (EventKind.FINALISED, "renamed.md"),
    }
    assert (events[4].kind, events[4].name) == (EventKind.DELETED, "renamed.md")


def test_what_happened_before_the_start_is_found(place: Place) -> None:
    bucket, events = place
    bucket.put("gone.md", b"text")
    (bucket.folder / "gone.md").unlink()
    (bucket.folder / "new.md").write_bytes(b"text")
    with watching(bucket):
        wait_for(lambda: len(events) == 3)
    assert [stored.name for stored in bucket.list()] == ["new.md"]


def test_whole_folders_come_and_go(place: Place, tmp_path: Path) -> None:
    bucket, _ = place
    outside = tmp_path / "outside"
    (outside / "deep" / "er").mkdir(parents=True)
    for name in ("a.md", "deep/b.md", "deep/er/c.md"):
        (outside / name).write_bytes(b"text")
    with watching(bucket):
        wait_for(lambda: not bucket.changes())
        outside.rename(bucket.folder / "inside")
        wait_for(
            lambda: (
                [stored.name for stored in bucket.list()]
                == [
                    "inside/a.md",
                    "inside/deep/b.md",
                    "inside/deep/er/c.md",
                ]
            )
        )
        (bucket.folder / "inside").rename(outside)
        wait_for(lambda: not list(bucket.list()))


def test_a_file_is_not_read_half_written(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long its writer is held up: the time in which a file settles is over only when the test says so."""
    bucket, events = place
    settle, passed = 600.0, 0.0

    def is_noticed_later() -> bool:
        nonlocal passed
        passed += settle
        # The watcher looks at its clock when something happens.
        (bucket.folder / "other.md").write_text(str(passed), encoding="utf-8")
        return "long.md" in {event.name for event in events}

    watch = SimpleNamespace(monotonic=lambda: time.monotonic() + passed)
    monkeypatch.setattr("ragbase.adapters.embedded.folder_watcher.time", watch)
    with watching(bucket, settle=settle, rescan=1e8):
        with (bucket.folder / "long.md").open("wb") as file:
            for _ in range(10):
                file.write(b"part ")
                file.flush()
                time.sleep(0.01)  # the watcher hears of each part
        assert events == []
        wait_for(is_noticed_later)
    assert [event.size for event in events if event.name == "long.md"] == [50]


def test_a_put_is_not_noticed_a_second_time(place: Place) -> None:
    bucket, events = place
    with watching(bucket):
        stored = bucket.put("a.md", b"text")
        (bucket.folder / "after.md").write_bytes(b"text")
        wait_for(lambda: len(events) == 2)
    assert bucket.stat("a.md") == stored


def test_without_events_the_regular_look_finds_everything(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise OSError("inotify watch limit reached")

    monkeypatch.setattr("ragbase.adapters.embedded.folder_watcher.Observer.start", refuse)
    bucket, _ = place
    with watching(bucket, rescan=0.05):
        (bucket.folder / "a.md").write_bytes(b"one")
        wait_for(lambda: md5_of(bucket, "a.md") is not None)
        first = md5_of(bucket, "a.md")
        (bucket.folder / "a.md").write_bytes(b"two")
        wait_for(lambda: md5_of(bucket, "a.md") != first)


@pytest.mark.slow
def test_folders_that_are_too_deep_to_watch_are_looked_at(place: Place) -> None:
    bucket, _ = place
    name = "d/" * (sys.getrecursionlimit() + 100) + "a.md"
    bucket.put(name, b"text")
    with watching(bucket, rescan=0.05):
        (bucket.folder / "b.md").write_bytes(b"text")
        wait_for(lambda: md5_of(bucket, "b.md") is not None)
    assert bucket.delete(name) is not None


def test_links_to_themselves_stop_nothing(place: Place) -> None:
    bucket, _ = place
    (bucket.folder / "before").symlink_to("before")
    (bucket.folder / "before.md").symlink_to("before.md")
    (bucket.folder / "again").symlink_to(".")
    with watching(bucket):
        (bucket.folder / "a.md").write_bytes(b"text")
        wait_for(lambda: md5_of(bucket, "a.md") is not None)
        (bucket.folder / "after").symlink_to("after")
        (bucket.folder / "after.md").symlink_to("after.md")
        (bucket.folder / "folder").mkdir()
        (bucket.folder / "folder" / "again").symlink_to("..")
        (bucket.folder / "folder" / "b.md").write_bytes(b"text")
        wait_for(lambda: md5_of(bucket, "folder/b.md") is not None)
    assert [stored.name for stored in bucket.list()] == ["a.md", "folder/b.md"]


def test_a_large_bucket_is_not_compared_again_for_each_new_folder(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket, events = place
    compare, begun = bucket.changes, list[float]()

    def slowly() -> Sequence[str]:
        begun.append(time.monotonic())
        time.sleep(0.5)
        return compare()

    monkeypatch.setattr(bucket, "changes", slowly)
    with watching(bucket):
        wait_for(lambda: bool(begun))
        for number in range(5):
            (bucket.folder / str(number)).mkdir()
            (bucket.folder / f"{number}.md").write_text("text", encoding="utf-8")
            wait_for(lambda: len(events) == len(list(bucket.folder.glob("*.md"))))
    # On a busy machine five folders take so long that another comparison is due.
    assert all(later - earlier > 10 * 0.5 for earlier, later in pairwise(begun))
