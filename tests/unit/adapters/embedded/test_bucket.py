"""The folder as a bucket: what happens to its files behind the bucket's back."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.adapters.embedded import folder_files
from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.adapters.embedded.database import Database
from ragbase.domain.errors import GenerationGone, InvalidObject, TransientError
from ragbase.sources.open_inside import open_below, open_folder
from ragbase.testing.clock import START, VirtualClock
from ragbase.testing.examples import share
from tests.unit.adapters.embedded.folder_place import Place, content


def test_a_dropped_file_is_an_upload(place: Place, bucket: FolderBucket) -> None:
    place.write("notes/über uns.md", b"# Title")
    assert bucket.scan() == 1
    stored = bucket.stat("notes/über uns.md")
    assert stored is not None
    assert (stored.size, stored.content_type, stored.metadata) == (7, "text/markdown", {})
    assert bucket.read(stored.name, stored.generation) == b"# Title"
    assert place.events == [("finalised", "notes/über uns.md")]
    assert bucket.scan() == 0


def test_a_change_in_place_is_a_new_generation_even_at_the_same_size_and_moment(
    place: Place, bucket: FolderBucket
) -> None:
    path = place.write("a.md", b"one")
    bucket.scan()
    generations = [bucket.stat("a.md")]
    for data in (b"two", b"thr"):
        status = path.stat()
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # the clock has not ticked in between
        assert bucket.scan() == 1
        generations.append(bucket.stat("a.md"))
    assert [stored.generation for stored in generations if stored] == sorted(
        {stored.generation for stored in generations if stored}
    )
    assert content(bucket) == {"a.md": b"thr"}


def test_a_file_dated_in_the_future_is_read_until_it_has_rested_and_not_again(
    place: Place, bucket: FolderBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A camera or another machine has set its time. A time that the file system's clock gave it counts as recent."""
    ahead = time.time() + 86_400
    path = place.write("a.md", b"one")
    os.utime(path, (ahead, ahead))
    bucket.scan()
    path.write_bytes(b"two")
    os.utime(path, (ahead, ahead))
    assert bucket.scan() == 1 and content(bucket) == {"a.md": b"two"}

    monkeypatch.setattr("time.time_ns", lambda: int((ahead - 86_390) * 1e9))
    bucket.scan()
    looked = list[str]()
    look = folder_files.FolderFiles.look

    def noted(self: folder_files.FolderFiles, name: str) -> folder_files.FileDigest | None:
        looked.append(name)
        return look(self, name)

    monkeypatch.setattr(folder_files.FolderFiles, "look", noted)
    bucket.scan()
    assert not looked
    monkeypatch.setattr("time.time_ns", lambda: int((ahead - 90_000) * 1e9))
    place.write("clock-is-ahead.md", b"one")
    for _ in range(2):
        bucket.scan()
    assert looked == ["clock-is-ahead.md"] * 2


@pytest.mark.parametrize(
    ("there", "new", "why"),
    [
        ("foo.md", "foo.md/bar.md", "'foo.md' is a file here"),
        ("a/foo.md", "a/foo.md/b/bar.md", "'a/foo.md' is a file here"),
        ("foo.md/bar.md", "foo.md", "there is a folder of that name here"),
    ],
)
def test_a_file_and_a_folder_cannot_have_one_name(bucket: FolderBucket, there: str, new: str, why: str) -> None:
    bucket.put(there, b"first")
    with pytest.raises(InvalidObject) as caught:
        bucket.put(new, b"second")
    said = str(caught.value)
    assert said.startswith(f"{new!r} cannot be stored: {why}") and "Rename" in said
    assert str(bucket.folder) not in said and "staging" not in said
    assert content(bucket) == {there: b"first"}


def test_a_put_leaves_a_file_of_a_time_that_no_later_write_gives_it(place: Place, bucket: FolderBucket) -> None:
    before = time.time_ns()
    bucket.put("a.md", b"one")
    assert (place.folder / "a.md").stat().st_mtime_ns < before - 1_000_000_000


def test_a_file_that_is_written_while_it_is_read_is_left_for_the_next_time(
    place: Place, bucket: FolderBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("a.md", b"half")
    digest = hashlib.file_digest

    def digest_while_writing(*arguments: Any) -> Any:
        result = digest(*arguments)
        place.write("a.md", b"half and half")
        return result

    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "file_digest", digest_while_writing)
        assert bucket.scan() == 0
    assert place.events == []
    assert bucket.scan() == 1
    assert content(bucket) == {"a.md": b"half and half"}


def test_a_change_right_after_a_put_is_seen(place: Place, bucket: FolderBucket) -> None:
    bucket.put("a.md", b"one", metadata={"ragbase-source": "mine.md"})
    place.write("a.md", b"two")
    assert bucket.notice("a.md") == 1
    stored = bucket.stat("a.md")
    assert stored is not None
    assert stored.metadata == {"ragbase-source": "mine.md"}
    assert content(bucket) == {"a.md": b"two"}


def test_a_file_that_is_only_touched_or_rewritten_as_it_was_is_no_change(place: Place, bucket: FolderBucket) -> None:
    before = bucket.put("a.md", b"text")
    os.utime(place.folder / "a.md")
    assert bucket.scan() == 0
    place.write("b.md", b"text").replace(place.folder / "a.md")
    assert bucket.scan() == 0
    os.utime(place.folder / "a.md", (0, 0))
    assert bucket.scan() == 0
    assert list(bucket.changes()) == []  # once it is old it need not be read again
    assert list(bucket.list()) == [before]
    assert place.events == [("finalised", "a.md")]


def test_a_removed_file_is_a_deletion(place: Place, bucket: FolderBucket) -> None:
    place.write("folder/a.md", b"a")
    place.write("folder/b.md", b"b")
    bucket.scan()
    (place.folder / "folder/a.md").unlink()
    assert bucket.notice("folder/a.md", "folder/b.md", "never/there.md") == 1
    (place.folder / "folder").rename(place.home / "elsewhere")
    assert bucket.scan() == 1
    assert content(bucket) == {}
    assert place.events[2:] == [("deleted", "folder/a.md"), ("deleted", "folder/b.md")]


def test_no_number_comes_twice_even_if_the_clock_goes_back(tmp_path: Path) -> None:
    times = [START + timedelta(seconds=seconds) for seconds in (5, 5, 0, 1)]
    with closing(Database(tmp_path / "ragbase.db")) as database:
        put = [
            FolderBucket(
                tmp_path / "bucket",
                tmp_path / "staging",
                database,
                name="bucket",
                announce=lambda *_: None,
                clock=VirtualClock(now),
            ).put("a.md", b"text")
            for now in times
        ]
    assert len({stored.generation for stored in put}) == len(times)
    assert [stored.written_at for stored in put] == times


def test_a_file_that_comes_back_has_a_new_generation(place: Place, bucket: FolderBucket) -> None:
    first = bucket.put("a.md", b"text", metadata={"key": "value"})
    (place.folder / "a.md").unlink()
    bucket.scan()
    place.write("a.md", b"text")
    bucket.scan()
    again = bucket.stat("a.md")
    assert again is not None
    assert again.generation != first.generation
    assert again.metadata == {}


def test_what_is_hidden_special_or_a_link_is_no_object(place: Place, bucket: FolderBucket) -> None:
    outside = place.home / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(b"secret")
    place.write(".hidden.md", b"text")
    place.write(".git/a.md", b"text")
    (place.folder / "file-link.md").symlink_to(outside / "secret.md")
    (place.folder / "folder-link").symlink_to(outside)
    (place.folder / "loop").symlink_to(place.folder)
    os.mkfifo(place.folder / "pipe.md")
    Path(os.fsdecode(os.fsencode(place.folder) + b"/\xff.md")).write_bytes(b"text")
    place.write("good.md", b"text")

    assert bucket.scan() == 1
    names = (".hidden.md", ".git/a.md", "file-link.md", "folder-link/secret.md", "loop/good.md", "pipe.md", "\udcff.md")
    assert bucket.notice(*names, "../outside/secret.md", "") == 0
    assert content(bucket) == {"good.md": b"text"}


def test_links_are_counted_and_named_in_the_log_once(
    place: Place, bucket: FolderBucket, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(12):
        (place.folder / f"{number:02}.md").symlink_to(place.home / "secret.md")
    with caplog.at_level(logging.WARNING, "ragbase"):
        bucket.scan()
        bucket.scan()
        (place.folder / "new.md").symlink_to(place.home / "secret.md")
        bucket.scan()
    entries = [vars(entry)["fields"] for entry in caplog.records if entry.message == "bucket.links_left_out"]
    assert [entry["count"] for entry in entries] == [12, 1]
    assert entries[0]["names"] == [f"'{number:02}.md'" for number in range(10)] and entries[1]["names"] == ["'new.md'"]


@pytest.mark.parametrize("swapped", ["folder", "folder/a.md"])
def test_a_link_that_comes_while_a_file_is_opened_is_not_followed(
    place: Place, bucket: FolderBucket, swapped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who may write into the bucket's folder swaps a folder or a file just before it is read."""
    (place.home / "outside").mkdir()
    (place.home / "outside" / "a.md").write_bytes(b"other")
    stored = bucket.put("folder/a.md", b"texts")
    opened = open_below

    def swap_first(folder: str, parts: Sequence[str]) -> int:
        if not (place.home / "moved").exists():
            (place.folder / swapped).rename(place.home / "moved")
            (place.folder / swapped).symlink_to(place.home / "outside" / ("a.md" if swapped.endswith(".md") else ""))
        return opened(folder, parts)

    monkeypatch.setattr(folder_files, "open_below", swap_first)
    with pytest.raises(GenerationGone):
        bucket.read("folder/a.md", stored.generation)


def test_a_link_that_comes_while_a_file_is_written_or_removed_is_not_followed(
    place: Place, bucket: FolderBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = place.home / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"other")
    bucket.put("folder/a.md", b"texts")

    def swap_first(folder: str, parts: Sequence[str]) -> int:
        if not (place.home / "moved").exists():
            (place.folder / "folder").rename(place.home / "moved")
            (place.folder / "folder").symlink_to(outside)
        return open_folder(folder, parts)

    monkeypatch.setattr(folder_files, "open_folder", swap_first)
    with pytest.raises(InvalidObject, match=r"folder/b\.md"):
        bucket.put("folder/b.md", b"new")
    (place.folder / "folder").unlink()
    (place.home / "moved").rename(place.folder / "folder")
    with pytest.raises(TransientError):
        bucket.delete("folder/a.md")
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"a.md": b"other"}


def test_a_hidden_object_that_was_put_stays(bucket: FolderBucket) -> None:
    bucket.put("home/.config/a.md", b"text")
    assert bucket.scan() == 0
    assert content(bucket) == {"home/.config/a.md": b"text"}


def test_a_file_that_became_a_link_is_a_deletion(place: Place, bucket: FolderBucket) -> None:
    bucket.put("folder/a.md", b"text")
    (place.folder / "folder").rename(place.home / "moved")
    (place.folder / "folder").symlink_to(place.home / "moved")
    assert bucket.scan() == 1
    assert bucket.stat("folder/a.md") is None
    with pytest.raises(InvalidObject, match=r"folder/b\.md"):
        bucket.put("folder/b.md", b"text")
    assert sorted(path.name for path in (place.home / "moved").iterdir()) == ["a.md"]


def test_links_to_themselves_are_no_objects_and_harm_no_other(place: Place, bucket: FolderBucket) -> None:
    for name in ("a.md", "folder/b.md", "folder/c.md", "folder/deep/d.md"):
        bucket.put(name, b"text")
    stored = bucket.stat("folder/c.md")
    assert stored is not None
    shutil.rmtree(place.folder / "folder")
    (place.folder / "folder").symlink_to("folder")
    (place.folder / "loop.md").symlink_to("loop.md")
    (place.folder / "again").symlink_to(".")

    assert bucket.delete("folder/b.md") is None
    with pytest.raises(GenerationGone):
        bucket.read(stored.name, stored.generation)
    with pytest.raises(InvalidObject, match=r"folder/b\.md"):
        bucket.put("folder/b.md", b"text")
    assert bucket.scan() == 1
    assert content(bucket) == {"a.md": b"text"}
    assert bucket.notice("loop.md", "again/a.md", "folder/c.md") == 0
    assert {name for kind, name in place.events if kind == "deleted"} == {
        "folder/b.md",
        "folder/c.md",
        "folder/deep/d.md",
    }


def test_stat_answers_from_the_folder(place: Place, bucket: FolderBucket) -> None:
    first, gone = bucket.put("a.md", b"one"), bucket.put("gone.md", b"text")
    place.write("a.md", b"two")
    place.write("new.md", b"text")
    (place.folder / "gone.md").unlink()

    live = bucket.stat_many(["a.md", "gone.md", "new.md"])

    assert live.keys() == {"a.md"}, "a name that was never noticed is left to the next look at the whole folder"
    assert live["a.md"].generation > first.generation
    assert bucket.read("a.md", live["a.md"].generation) == b"two"
    assert place.events[2:] == [("finalised", "a.md"), ("deleted", "gone.md")]
    assert bucket.put("gone.md", b"text").generation > gone.generation


def test_a_changed_file_is_deleted_as_it_is(place: Place, bucket: FolderBucket) -> None:
    first = bucket.put("a.md", b"one")
    place.write("a.md", b"two")
    removed = bucket.delete("a.md")
    assert removed is not None
    assert removed.generation > first.generation
    assert list(place.folder.iterdir()) == []
    assert [kind for kind, _ in place.events] == ["finalised", "finalised", "deleted"]


def test_read_never_gives_bytes_of_another_generation(place: Place, bucket: FolderBucket) -> None:
    old = bucket.put("a.md", b"old")
    place.write("a.md", b"new")
    with pytest.raises(GenerationGone):
        bucket.read("a.md", old.generation)
    assert content(bucket) == {"a.md": b"new"}

    live = bucket.stat("a.md")
    assert live is not None
    (place.folder / "a.md").unlink()
    with pytest.raises(GenerationGone):
        bucket.read("a.md", live.generation)
    assert bucket.stat("a.md") is None
    assert place.events == [("finalised", "a.md"), ("finalised", "a.md"), ("deleted", "a.md")]


@pytest.mark.slow
def test_a_name_may_have_many_folders(bucket: FolderBucket) -> None:
    name = "d/" * (sys.getrecursionlimit() + 100) + "a.md"
    bucket.put(name, b"text")
    assert bucket.scan() == 0
    assert content(bucket) == {name: b"text"}
    assert bucket.delete(name) is not None


def test_delete_removes_the_file_and_the_folders_that_it_leaves_empty(place: Place, bucket: FolderBucket) -> None:
    for name in ("a/b/c/one.md", "a/two.md"):
        bucket.put(name, b"text")
    bucket.delete("a/b/c/one.md")
    assert sorted(path.name for path in (place.folder / "a").iterdir()) == ["two.md"]
    bucket.delete("a/two.md")
    assert list(place.folder.iterdir()) == []


@pytest.mark.parametrize(("first", "second"), [("a", "a/b.md"), ("a/b.md", "a"), ("a", "a/b/c.md")])
def test_a_name_cannot_be_a_file_and_a_folder(place: Place, bucket: FolderBucket, first: str, second: str) -> None:
    bucket.put(first, b"text")
    with pytest.raises(InvalidObject) as refusal:
        bucket.put(second, b"text")
    assert repr(second) in str(refusal.value)
    assert content(bucket) == {first: b"text"}
    assert list((place.home / "staging").iterdir()) == []


def test_a_path_that_the_file_system_cannot_hold_is_refused(bucket: FolderBucket) -> None:
    with pytest.raises(InvalidObject, match="too long"):
        bucket.put("/".join(["x" * 200] * 30), b"text")


_NAMES = st.sampled_from(["a.md", "b", "d/a.md", "d/e/c.txt"])
_CHANGES = st.tuples(_NAMES, st.none() | st.binary(max_size=2), st.booleans())


@share(0.3)
@given(steps=st.lists(_CHANGES, max_size=12))
def test_after_a_scan_the_bucket_is_as_its_folder(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, bytes | None, bool]]
) -> None:
    place = Place(tmp_path_factory.mktemp("place"))
    bucket = place.process()
    expected: dict[str, bytes] = {}
    for name, data, by_hand in steps:
        if data is None:
            expected.pop(name, None)
            (place.folder / name).unlink(missing_ok=True) if by_hand else bucket.delete(name)
            (place.folder / name).unlink(missing_ok=True)  # what was never noticed is no object that can be deleted
        else:
            expected[name] = data
            place.write(name, data) if by_hand else bucket.put(name, data)
    bucket.scan()
    assert content(bucket) == expected
    assert bucket.scan() == 0
    place.close()
