"""What a sync does to the bucket: from any state, through any fault, it ends as a clean run does."""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import GenerationChanged, TooManyVanished, Unavailable, UnreadableSource
from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.domain.program_files import ProgramFiles
from ragbase.ports import DocumentSource, SourceEntry, StoredObject
from ragbase.sources.bucket_source import BucketSource
from ragbase.sources.folder_source import FolderSource
from ragbase.sources.sync import sync
from ragbase.sources.sync_step import SourceChange
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock
from ragbase.testing.source import MemorySource
from tests.unit.adapters.embedded.folder_place import Place

ROOT = "docs/"


def new_bucket() -> MemoryBucket:
    return MemoryBucket("documents", lambda _: None, VirtualClock())


def source_of(*names: str, address: str = "memory://docs/") -> MemorySource:
    source = MemorySource(address, root=ROOT)
    source.files = {name: f"text of {name}".encode() for name in names}
    return source


def changes(source: DocumentSource, bucket: MemoryBucket, **how: Any) -> dict[str, SourceChange]:
    return {step.name: step.change for step in sync(source, bucket, **how)}


def held(bucket: MemoryBucket) -> dict[str, bytes]:
    return {one.name: bucket.read(one.name, one.generation) for one in bucket.list()}


def test_a_first_sync_uploads_everything_and_a_second_one_nothing() -> None:
    source, bucket = source_of("a.md", "b/c.md"), new_bucket()
    assert changes(source, bucket) == {"docs/a.md": SourceChange.ADDED, "docs/b/c.md": SourceChange.ADDED}
    assert held(bucket) == {"docs/a.md": b"text of a.md", "docs/b/c.md": b"text of b/c.md"}

    before = list(bucket.list())
    assert set(changes(source, bucket).values()) == {SourceChange.UNCHANGED}
    assert list(bucket.list()) == before


def test_only_what_changed_is_uploaded_again() -> None:
    source, bucket = source_of("a.md", "b.md"), new_bucket()
    changes(source, bucket)
    b = bucket.stat("docs/b.md")

    source.files["a.md"] = b"another text"
    assert changes(source, bucket) == {"docs/a.md": SourceChange.CHANGED, "docs/b.md": SourceChange.UNCHANGED}
    assert held(bucket)["docs/a.md"] == b"another text"
    assert bucket.stat("docs/b.md") == b


def test_each_document_says_where_it_is_from() -> None:
    source, bucket = source_of("a.md", "b.md"), new_bucket()
    source.urls["b.md"] = "https://example.com/b"
    changes(source, bucket)
    sources = {one.name: one.metadata["ragbase-source"] for one in bucket.list()}
    assert sources == {"docs/a.md": "memory://docs/a.md", "docs/b.md": "https://example.com/b"}


def test_vanished_documents_are_deleted_only_if_asked() -> None:
    source, bucket = source_of(*(f"{number}.md" for number in range(10))), new_bucket()
    changes(source, bucket)
    del source.files["3.md"]

    assert changes(source, bucket)["docs/3.md"] is SourceChange.VANISHED
    assert "docs/3.md" in held(bucket)
    assert changes(source, bucket, delete=True, dry_run=True)["docs/3.md"] is SourceChange.DELETED
    assert "docs/3.md" in held(bucket)
    assert changes(source, bucket, delete=True)["docs/3.md"] is SourceChange.DELETED
    assert "docs/3.md" not in held(bucket)
    assert len(held(bucket)) == 9


@pytest.mark.parametrize(("vanished", "is_refused"), [(2, False), (3, True), (10, True)])
def test_more_than_a_fifth_is_deleted_only_by_force(vanished: int, is_refused: bool) -> None:
    source, bucket = source_of(*(f"{number}.md" for number in range(10))), new_bucket()
    changes(source, bucket)
    for number in range(vanished):
        del source.files[f"{number}.md"]
    source.files = {name: data + b" changed" for name, data in source.files.items()}

    if is_refused:
        with pytest.raises(TooManyVanished, match=rf"{vanished} of 10 documents have vanished.*--force"):
            changes(source, bucket, delete=True)
        assert len(held(bucket)) == 10
        assert all(data.endswith(b"changed") for data in list(held(bucket).values())[vanished:])
    assert Counter(changes(source, bucket, delete=True, force=is_refused).values())[SourceChange.DELETED] == vanished
    assert len(held(bucket)) == 10 - vanished


def test_what_others_uploaded_is_neither_deleted_nor_overwritten() -> None:
    source, other, bucket = source_of("a.md"), source_of("b.md", address="memory://other/"), new_bucket()
    mine = bucket.put("docs/mine.md", b"by hand")
    changes(other, bucket)
    source.files["mine.md"] = b"from the source"
    source.files["b.md"] = b"from the source"

    steps = {step.name: step for step in sync(source, bucket, delete=True, force=True)}
    assert {name: step.change for name, step in steps.items()} == {
        "docs/a.md": SourceChange.ADDED,
        "docs/b.md": SourceChange.FAILED,
        "docs/mine.md": SourceChange.FAILED,
    }
    assert "--prefix" in (steps["docs/mine.md"].error or "")
    assert bucket.stat("docs/mine.md") == mine

    source.files.clear()
    assert changes(source, bucket, delete=True, force=True) == {"docs/a.md": SourceChange.DELETED}
    assert sorted(held(bucket)) == ["docs/b.md", "docs/mine.md"]


def test_a_document_that_was_edited_in_the_bucket_is_no_longer_the_sources() -> None:
    source, bucket = source_of("a.md", "b.md"), new_bucket()
    changes(source, bucket)
    stored = bucket.stat("docs/a.md")
    assert stored is not None
    bucket.put("docs/a.md", b"edited", metadata=stored.metadata)  # as a bucket's folder keeps it

    assert changes(source, bucket)["docs/a.md"] is SourceChange.FAILED
    source.files.clear()
    assert changes(source, bucket, delete=True, force=True) == {"docs/b.md": SourceChange.DELETED}
    assert held(bucket) == {"docs/a.md": b"edited"}


def test_another_root_holds_another_copy() -> None:
    source, bucket = source_of("a.md"), new_bucket()
    changes(source, bucket)
    assert changes(source, bucket, root="") == {"a.md": SourceChange.ADDED}
    source.files.clear()
    with pytest.raises(UnreadableSource, match="memory://docs/: there is nothing at this address"):
        changes(source, bucket, root="copy/", delete=True, force=True)
    assert changes(source, bucket, root="", delete=True, force=True) == {"a.md": SourceChange.DELETED}
    assert sorted(held(bucket)) == ["docs/a.md"]


def test_files_that_ragbase_cannot_take_stop_no_other_file() -> None:
    source, bucket = source_of("a.md", "b/../c.md", "picture.psd"), new_bucket()
    source.files["large.txt"] = bytes(MAX_FILE_SIZE + 1)
    steps = {step.name: step for step in sync(source, bucket)}
    assert {name: step.change for name, step in steps.items()} == {
        "docs/a.md": SourceChange.ADDED,
        "docs/b/../c.md": SourceChange.FAILED,
        "docs/large.txt": SourceChange.FAILED,
        "docs/picture.psd": SourceChange.LEFT_OUT,
    }
    assert "50 MB" in (steps["docs/large.txt"].error or "")
    assert list(held(bucket)) == ["docs/a.md"]


def test_files_that_programs_keep_for_themselves_are_left_out_and_named() -> None:
    source, bucket = source_of("a.md", "~$a.md", "@eaDir/a.md", "part.md", "b.bak", "c.part"), new_bucket()
    bucket.put("docs/~$a.md", b"by hand")
    steps = list(sync(source, bucket, program_files=ProgramFiles("*.bak,!*.part")))
    assert {step.name for step in steps if step.change is SourceChange.ADDED} == {
        "docs/a.md",
        "docs/part.md",
        "docs/c.part",
    }
    left_out = {step.name: step.left_out.ending for step in steps if step.left_out is not None}
    assert left_out == {"docs/~$a.md": "~$a.md", "docs/@eaDir/a.md": "@eaDir/", "docs/b.bak": "b.bak"}


def test_what_a_sync_brought_before_goes_on_until_it_is_gone_from_the_source() -> None:
    source, bucket = source_of("~$a.md", "b.md", "c.md", "d.md", "e.md", "f.md"), new_bucket()
    list(sync(source, bucket, program_files=ProgramFiles("!~$*")))
    assert changes(source, bucket, delete=True)["docs/~$a.md"] is SourceChange.UNCHANGED
    source.files["~$a.md"] = b"changed"
    assert changes(source, bucket, delete=True)["docs/~$a.md"] is SourceChange.CHANGED
    del source.files["~$a.md"]
    assert changes(source, bucket, delete=True)["docs/~$a.md"] is SourceChange.DELETED


def test_a_folder_that_only_the_system_may_read_stops_no_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.md", "lost+found/b.md", "$RECYCLE.BIN/S-1/c.md", "$RECYCLE.BIN/d.md", "z.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    scan = os.scandir

    def refusing(folder: str) -> Any:
        if folder.endswith(("lost+found", "S-1")):
            raise PermissionError(13, "Permission denied", folder)
        return scan(folder)

    monkeypatch.setattr("ragbase.sources.walk.os.scandir", refusing)
    steps = list(sync(FolderSource(tmp_path), new_bucket()))
    left_out = {step.source.removeprefix(f"{tmp_path}/") for step in steps if step.left_out is not None}
    assert left_out == {"$RECYCLE.BIN/S-1/", "$RECYCLE.BIN/d.md", "lost+found/"} and len(steps) == 5
    (tmp_path / "S-1").mkdir()
    with pytest.raises(UnreadableSource, match="S-1: this folder cannot be read"):
        list(sync(FolderSource(tmp_path), new_bucket()))


def test_of_a_file_and_a_folder_with_its_name_the_file_is_kept_in_each_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a bucket that is a folder. The first one is the slowest, and others come between the two by their names."""
    source = source_of("foo.md", "foo.md-1.md", "foo.md.md", "foo.md/bar.md", "foo.md/deep/bar.md")
    read = source.read

    def slowly(entry: SourceEntry) -> Iterator[bytes]:
        if entry.name == "foo.md":
            others_have_come.wait(0.3)
        yield from read(entry)
        if entry.name.startswith("foo.md/"):
            others_have_come.set()

    monkeypatch.setattr(source, "read", slowly)
    for run in range(2):
        others_have_come = threading.Event()
        with closing(Place(tmp_path / str(run))) as place:
            folder = place.process()
            steps = {step.name: step for step in sync(source, folder)}
            failed = {name: step.error or "" for name, step in steps.items() if step.change is SourceChange.FAILED}
            assert sorted(failed) == ["docs/foo.md/bar.md", "docs/foo.md/deep/bar.md"]
            assert all("'docs/foo.md' is a file here" in error for error in failed.values())
            assert [one.name for one in folder.list()] == ["docs/foo.md", "docs/foo.md-1.md", "docs/foo.md.md"]


def test_a_folder_of_a_bucket_that_has_bytes_is_left_out_and_named() -> None:
    theirs, bucket = MemoryBucket("theirs", lambda _: None, VirtualClock()), new_bucket()
    stored = theirs.put("docs/a.md", b"text")
    for name, data in {"docs/": b"bytes", "docs/sub/": b"bytes", "docs/empty/": b""}.items():
        theirs._live[name] = (replace(stored, name=name, size=len(data)), data)
    steps = {step.name: step for step in sync(BucketSource(theirs, "docs/", scheme="gs"), bucket)}
    left_out = {name: step.left_out.one for name, step in steps.items() if step.left_out is not None}
    assert left_out == dict.fromkeys(("theirs/docs/", "theirs/docs/sub/"), "folder with content of its own")
    assert set(steps) == {"theirs/docs/a.md", *left_out}


def test_content_decides_where_the_name_says_nothing() -> None:
    source, bucket = source_of("README", "guide.rst", "a.md"), new_bucket()
    source.files |= {"core": b"\x7fELF\0", "x.dat": bytes(9_000), "empty": b"", "disk": bytes(MAX_FILE_SIZE + 1)}
    for dry_run in (True, False):
        steps = list(sync(source, bucket, dry_run=dry_run))
        left_out = {step.name: step.left_out.many for step in steps if step.left_out is not None}
        assert left_out == {
            "docs/core": "binary files",
            "docs/disk": "large files of unknown kinds",
            "docs/empty": "empty files",
            "docs/x.dat": "binary files",
        }
        added = [step.name for step in steps if step.change is SourceChange.ADDED]
        assert sorted(added) == ["docs/README", "docs/a.md", "docs/guide.rst"]
    assert sorted(held(bucket)) == ["docs/README", "docs/a.md", "docs/guide.rst"]
    assert bucket.stat("docs/guide.rst") is not None
    assert Counter(changes(source, bucket).values()) == {SourceChange.UNCHANGED: 3, SourceChange.LEFT_OUT: 4}


def test_what_a_source_no_longer_gives_has_vanished() -> None:
    """As a page that robots.txt has come to forbid, or a file that a link out of the folder has replaced."""
    source, bucket = source_of(*(f"{number}.md" for number in range(10))), new_bucket()
    changes(source, bucket)
    hidden = LeftOutFile(one="hidden file", many="hidden files", reason="It is hidden.")

    class Hiding(MemorySource):
        def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
            for entry in super().entries(after=after):
                yield replace(entry, left_out=hidden) if entry.name == "3.md" else entry

    now = Hiding("memory://docs/", root=ROOT)
    now.files = source.files
    steps = [(step.name, step.change) for step in sync(now, bucket, delete=True)]
    assert ("docs/3.md", SourceChange.LEFT_OUT) in steps and ("docs/3.md", SourceChange.DELETED) in steps
    assert len(held(bucket)) == 9


def test_what_ingest_brought_from_the_same_file_is_taken_over(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("same.md", "changed.md", "theirs.md"):
        (folder / name).write_text(f"text of {name}")
    root, bucket = f"{folder}/".lstrip("/"), new_bucket()
    ingested = {"ragbase-min-text-length": "1"}
    for name, said in (("same.md", "docs/same.md"), ("changed.md", f"{folder}/changed.md")):
        data = b"older" if name == "changed.md" else (folder / name).read_bytes()
        bucket.put(root + name, data, metadata={**ingested, "ragbase-source": said, "ragbase-chunk-size": "300/0"})
    theirs = bucket.put(f"{root}theirs.md", b"by an upload")

    for dry_run in (True, False):
        found = {
            name.removeprefix(root): one for name, one in changes(FolderSource(folder), bucket, dry_run=dry_run).items()
        }
        assert found == {
            "same.md": SourceChange.UNCHANGED,
            "changed.md": SourceChange.CHANGED,
            "theirs.md": SourceChange.FAILED,
        }
    assert bucket.stat(f"{root}theirs.md") == theirs
    kept = bucket.stat(f"{root}same.md")
    assert kept is not None and kept.metadata["ragbase-chunk-size"] == "300/0"
    (folder / "same.md").unlink()
    assert changes(FolderSource(folder), bucket, delete=True, force=True)[f"{root}same.md"] is SourceChange.DELETED
    elsewhere = {step.change for step in sync(FolderSource(folder), bucket, root="team/")}
    assert elsewhere == {SourceChange.ADDED}


def test_a_file_that_changes_while_it_is_read_is_left_for_the_next_time() -> None:
    source, bucket = source_of("a.md", "b.md"), new_bucket()

    class Changing(MemorySource):
        def read(self, entry: SourceEntry) -> Iterator[bytes]:
            source.files["a.md"] = b"changed meanwhile"
            return source.read(entry)

        def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
            return iter(list(source.entries(after=after)))

    steps = {step.name: step for step in sync(Changing(root=ROOT), bucket)}
    assert {name: step.change for name, step in steps.items()} == {
        "docs/a.md": SourceChange.FAILED,
        "docs/b.md": SourceChange.ADDED,
    }
    assert "again" in (steps["docs/a.md"].error or "")


@pytest.mark.parametrize("size", [None, 9 * 1024 * 1024])
def test_large_files_are_held_one_at_a_time(size: int | None) -> None:
    source, bucket = source_of(), new_bucket()
    reading = set[str]()
    most = 0

    class Large(MemorySource):
        def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
            return iter([SourceEntry(name=f"{number}.txt", mark="1", size=size) for number in range(6)])

        def read(self, entry: SourceEntry) -> Iterator[bytes]:
            nonlocal most
            for number in range(9):
                if number == 8:  # the ninth block goes beyond 8 MB
                    yield bytes(1024 * 1024)
                    reading.add(entry.name)
                    most = max(most, len(reading))
                else:
                    yield bytes(1024 * 1024)

    class Emptying(MemoryBucket):
        def put(self, name: str, data: bytes, **how: Any) -> StoredObject:
            reading.discard(name.removeprefix(ROOT))
            return super().put(name, data, **how)

    bucket = Emptying("documents", lambda _: None, VirtualClock())
    assert set(changes(Large(source.address, root=ROOT), bucket).values()) == {SourceChange.ADDED}
    assert most == 1


def test_a_source_without_order_is_sorted_first() -> None:
    names = [f"{number}.md" for number in range(50)]
    bucket = new_bucket()
    source = MemorySource("memory://docs/", root=ROOT, in_order=False)
    random.Random(0).shuffle(names)
    source.files = {name: name.encode() for name in names}
    source.urls = {name: f"https://example.com/{name}" for name in names}
    assert list(changes(source, bucket)) == sorted(f"docs/{name}" for name in names)
    del source.files["7.md"]
    assert Counter(changes(source, bucket, delete=True).values()) == {
        SourceChange.UNCHANGED: 49,
        SourceChange.DELETED: 1,
    }


def test_a_source_that_breaks_its_order_deletes_nothing() -> None:
    source, bucket = source_of("a.md", "b.md"), new_bucket()
    changes(source, bucket)

    class Disordered(MemorySource):
        def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
            return iter(sorted(super().entries(after=after), key=lambda entry: entry.name, reverse=True))

    disordered = Disordered(source.address, root=ROOT)
    disordered.files = source.files
    with pytest.raises(UnreadableSource, match="order"):
        changes(disordered, bucket, delete=True, force=True)
    assert len(held(bucket)) == 2


def test_a_source_that_fails_half_way_deletes_nothing() -> None:
    source, bucket = source_of("a.md", "b.md", "c.md"), new_bucket()
    changes(source, bucket)

    class Failing(MemorySource):
        def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
            yield next(super().entries(after=after))
            raise Unavailable("it does not answer")

    failing = Failing(source.address, root=ROOT)
    failing.files = source.files
    with pytest.raises(Unavailable):
        changes(failing, bucket, delete=True, force=True)
    assert len(held(bucket)) == 3


def test_a_document_that_somebody_writes_meanwhile_is_theirs() -> None:
    """Between the listing and the write, and between the listing and the deletion."""
    source = source_of("a.md", "b.md")

    class Contested(MemoryBucket):
        def put(self, name: str, data: bytes, *, replaces: int | None = None, **how: Any) -> StoredObject:
            if replaces is not None and name == "docs/a.md":
                super().put(name, b"theirs")
            return super().put(name, data, replaces=replaces, **how)

        def delete(self, name: str, *, generation: int | None = None) -> StoredObject | None:
            super().put(name, b"theirs")
            return super().delete(name, generation=generation)

    bucket = Contested("documents", lambda _: None, VirtualClock())
    assert changes(source, bucket) == {"docs/a.md": SourceChange.FAILED, "docs/b.md": SourceChange.ADDED}
    source.files.clear()
    assert changes(source, bucket, delete=True, force=True) == {}
    assert held(bucket) == {"docs/a.md": b"theirs", "docs/b.md": b"theirs"}


def test_another_sync_of_the_same_source_at_the_same_time_is_no_fault() -> None:
    source = source_of("a.md", "b.md")

    class Raced(MemoryBucket):
        def put(self, name: str, data: bytes, *, replaces: int | None = None, **how: Any) -> StoredObject:
            super().put(name, data, **how)  # the other one was faster
            raise GenerationChanged(name)

    bucket = Raced("documents", lambda _: None, VirtualClock())
    assert set(changes(source, bucket).values()) == {SourceChange.UNCHANGED}
    assert len(held(bucket)) == 2


class Killed(BaseException):
    """The process ends here, as kill -9 ends it: nothing is caught or cleaned up in its name."""


class KillingBucket(MemoryBucket):
    """Ends the process at one of its calls: before it, or after it has had its effect."""

    def __init__(self, *, after: bool) -> None:
        super().__init__("documents", lambda _: None, VirtualClock(), number=lambda _: self._next())
        self.calls = 0
        self.ends_at: int | None = None
        self._after = after
        self._generation = 0

    def _next(self) -> int:
        self._generation += 1
        return self._generation

    def put(self, name: str, data: bytes, **how: Any) -> StoredObject:
        with _Step(self):
            return super().put(name, data, **how)

    def delete(self, name: str, **how: Any) -> StoredObject | None:
        with _Step(self):
            return super().delete(name, **how)

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        for stored in super().list(prefix, after=after):
            with _Step(self):
                yield stored

    def step(self, *, after: bool) -> None:
        if after:
            self.calls += 1
        if self.ends_at is not None and self.calls >= self.ends_at + after and after == self._after:
            raise Killed


class _Step:
    def __init__(self, bucket: KillingBucket) -> None:
        self._bucket = bucket

    def __enter__(self) -> None:
        self._bucket.step(after=False)

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self._bucket.step(after=True)


def brought(bucket: MemoryBucket) -> Mapping[str, tuple[bytes, Mapping[str, str]]]:
    return {one.name: (bucket.read(one.name, one.generation), one.metadata) for one in bucket.list()}


def before_and_after() -> tuple[MemorySource, MemorySource]:
    old = source_of("a.md", "b.md", "c.md", "d.md", "e.md")
    new = source_of("a.md", "b.md", "c.md", "new.md")
    new.files["b.md"] = b"changed"
    return old, new


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_sync_that_is_killed_at_any_call_and_run_again_ends_as_a_clean_one(after: bool) -> None:
    old, new = before_and_after()
    clean = KillingBucket(after=after)
    changes(old, clean)
    clean.put("docs/theirs.md", b"theirs")
    first = clean.calls
    changes(new, clean, delete=True, force=True)
    last, wanted = clean.calls, brought(clean)
    assert sorted(wanted) == [f"docs/{name}" for name in ("a.md", "b.md", "c.md", "new.md", "theirs.md")]

    killed = 0
    for at in range(first, last):
        bucket = KillingBucket(after=after)
        changes(old, bucket)
        bucket.put("docs/theirs.md", b"theirs")
        assert bucket.calls == first
        bucket.ends_at = at
        try:
            changes(new, bucket, delete=True, force=True)
        except Killed:
            killed += 1
        bucket.ends_at = None
        changes(new, bucket, delete=True, force=True)
        assert brought(bucket) == wanted, at
    assert killed == last - first >= 9


@given(
    st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.binary(min_size=1, max_size=2)), min_size=1, max_size=4)
)
def test_after_any_history_the_bucket_holds_what_the_source_holds(history: list[dict[str, bytes]]) -> None:
    source, bucket = source_of(), new_bucket()
    theirs = bucket.put("docs/z.md", b"theirs")
    for files in history:
        source.files = {f"{name}.md": data for name, data in files.items()}
        with suppress(UnreadableSource):  # there is nothing, and never was
            changes(source, bucket, delete=True, force=True)
        assert held(bucket) == {f"docs/{name}.md": data for name, data in files.items()} | {"docs/z.md": b"theirs"}
    assert bucket.stat("docs/z.md") == theirs
