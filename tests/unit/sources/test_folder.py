"""What local files are called in the bucket, and how they get there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragbase.domain.errors import ErrorCode, InvalidObject, PermanentError, UnreadableFile
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.domain.object_event import ObjectEvent
from ragbase.formats.table import check_size
from ragbase.sources.folder import LocalFile, is_same, object_name, upload
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the working directory."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "docs" / "a.md")
    return tmp_path / "docs"


def write(path: Path, data: bytes = b"text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_the_name_in_the_bucket_is_the_absolute_path(docs: Path) -> None:
    root = str(docs.parent).lstrip("/")
    for path in ("docs/a.md", "./docs/a.md", "docs/sub/../a.md", str(docs / "a.md"), f"//{docs}/a.md"):
        assert object_name(Path(path)) == f"{root}/docs/a.md"
    (docs / "link.md").symlink_to(docs / "a.md")
    assert object_name(docs / "link.md") == f"{root}/docs/link.md"
    assert object_name(Path("docs/x\n🦊.md")) == f"{root}/docs/x\n🦊.md"


def test_a_file_in_the_buckets_folder_has_its_own_name(docs: Path) -> None:
    (docs.parent / "alias").symlink_to(docs)
    for folder in (docs, docs.parent / "alias", Path("docs")):
        assert object_name(docs / "sub" / "d.json", folder) == "sub/d.json"
    assert object_name(Path("docs/../docs/a.md"), docs) == "a.md"
    assert object_name(Path("docs2/a.md"), docs) == object_name(Path("docs2/a.md"))


@pytest.fixture
def events() -> list[ObjectEvent]:
    return []


@pytest.fixture
def bucket(events: list[ObjectEvent]) -> MemoryBucket:
    return MemoryBucket("bucket", events.append, VirtualClock())


def local(path: Path) -> LocalFile:
    return LocalFile(path, f"given/{path.name}")


def test_a_file_is_uploaded_unless_the_bucket_holds_it(
    tmp_path: Path, bucket: MemoryBucket, events: list[ObjectEvent]
) -> None:
    file = local(write(tmp_path / "a.md", b"one"))
    first = upload(file, "a.md", bucket, metadata={"key": "1"})
    assert bucket.read("a.md", first.generation) == b"one"
    assert (first.content_type, first.metadata) == ("text/markdown", {"key": "1"})
    assert upload(file, "a.md", bucket, metadata={"key": "1"}) == first
    assert len(events) == 1

    renamed = upload(file, "a.md", bucket, metadata={"key": "2"})
    assert renamed.generation != first.generation
    file.path.write_bytes(b"two")
    changed = upload(file, "a.md", bucket, metadata={"key": "2"})
    assert bucket.read("a.md", changed.generation) == b"two"
    assert len(events) == 3


def test_is_same_compares_the_bytes(tmp_path: Path, bucket: MemoryBucket) -> None:
    file = local(write(tmp_path / "a.md", b"one"))
    stored = bucket.put("a.md", b"one")
    assert is_same(file, stored)
    for data in (b"two", b"one and more", b""):
        file.path.write_bytes(data)
        assert not is_same(file, stored)
    file.path.unlink()
    assert not is_same(file, stored)


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path, bucket: MemoryBucket) -> None:
    path = tmp_path / "big.xyz"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_SIZE + 1024 * 1024)  # a hole: it takes no room
    with pytest.raises(PermanentError, match=r"given/big\.xyz: 51\.0 MB is over the limit of 50 MB") as refusal:
        upload(local(path), "big.xyz", bucket, metadata={})
    assert refusal.value.code is ErrorCode.FILE_TOO_LARGE


def test_a_file_of_exactly_the_limit_is_taken(tmp_path: Path, bucket: MemoryBucket) -> None:
    path = tmp_path / "just.md"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_SIZE)
    assert upload(local(path), "just.md", bucket, metadata={}).size == MAX_FILE_SIZE


@pytest.mark.parametrize("more", [1, 100_000])
def test_a_file_that_grows_meanwhile_is_taken_as_it_is_in_the_end(
    tmp_path: Path, bucket: MemoryBucket, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    path = write(tmp_path / "growing.md", b"begun")

    def grow(file: LocalFile, size: int) -> None:
        if size == len(b"begun"):  # it has been measured, and not yet read
            with path.open("ab") as stream:
                stream.write(b"." * more)

    monkeypatch.setattr("ragbase.sources.folder._check_size", grow)
    stored = upload(local(path), "growing.md", bucket, metadata={})
    assert bucket.read("growing.md", stored.generation) == b"begun" + b"." * more


def test_a_file_that_grows_over_the_limit_meanwhile_is_refused(
    tmp_path: Path, bucket: MemoryBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "growing.md", b"begun")

    def grow(size: int) -> None:
        with path.open("ab") as stream:
            stream.truncate(MAX_FILE_SIZE + 1024 * 1024)
        check_size(size)

    monkeypatch.setattr("ragbase.sources.folder.check_size", grow)
    with pytest.raises(PermanentError, match=r"given/growing\.md: 50\.0 MB is over the limit of 50 MB"):
        upload(local(path), "growing.md", bucket, metadata={})


def test_an_empty_file_is_refused(tmp_path: Path, bucket: MemoryBucket) -> None:
    with pytest.raises(PermanentError, match=r"given/empty\.md: the file is empty"):
        upload(local(write(tmp_path / "empty.md", b"")), "empty.md", bucket, metadata={})


def test_what_is_no_readable_file_is_refused(tmp_path: Path, bucket: MemoryBucket) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder").mkdir()
    for name, reason in [("missing.md", "no such file"), ("folder", "is a folder"), ("pipe.md", "not a regular file")]:
        with pytest.raises(UnreadableFile, match=f"given/{name}: .*{reason}"):
            upload(local(tmp_path / name), name, bucket, metadata={})
    with pytest.raises(UnreadableFile, match="cannot be read"):
        upload(LocalFile(Path("a\0b"), "given"), "a", bucket, metadata={})
    with pytest.raises(InvalidObject):
        upload(local(write(tmp_path / "a.md")), "\udcff.md", bucket, metadata={})
    assert list(bucket.list()) == []
