"""Which files a user's paths mean, what they are called in the bucket, and how they get there."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.domain.errors import ErrorCode, InvalidObject, PermanentError, UnreadableFile
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.domain.object_event import ObjectEvent
from ragbase.formats.table import check_size
from ragbase.sources.folder import LocalFile, expand, is_same, object_name, upload
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock

TREE = ("a.md", "b.TXT", "c.pdf", "film.mp4", "sub/d.json", "sub/deep/e.md", "sub/deep/no.exe")
SUPPORTED = ["a.md", "b.TXT", "c.pdf", "sub/d.json", "sub/deep/e.md"]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of documents in the working directory."""
    monkeypatch.chdir(tmp_path)
    for name in TREE:
        write(tmp_path / "docs" / name)
    return tmp_path / "docs"


def write(path: Path, data: bytes = b"text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def sources(*paths: str | Path) -> list[str]:
    files, problems = expand(paths)
    assert problems == []
    assert all(file.path == Path(file.source) and file.path.is_file() for file in files)
    return [file.source for file in files]


def problem(path: str) -> str:
    files, problems = expand([path])
    assert files == []
    assert [problem.path for problem in problems] == [path]
    return problems[0].message


def test_a_folder_means_every_supported_file_below_it_as_the_user_would_name_it(docs: Path) -> None:
    for given in ("docs", str(docs)):
        assert sources(given) == [f"{given}/{name}" for name in SUPPORTED]
    assert sources("docs/") == [f"docs/{name}" for name in SUPPORTED]
    assert sources(docs / "sub") == [f"{docs}/sub/d.json", f"{docs}/sub/deep/e.md"]
    assert sources("docs/../docs/sub/deep") == ["docs/../docs/sub/deep/e.md"]


def test_a_named_file_of_any_kind_is_taken(docs: Path) -> None:
    write(docs / ".hidden")
    assert sources("docs/film.mp4", docs / ".hidden", "./docs/a.md") == [
        "docs/film.mp4",
        str(docs / ".hidden"),
        "./docs/a.md",
    ]


def test_each_file_comes_once_under_its_first_name(docs: Path) -> None:
    assert sources("docs/sub/d.json", "docs", "docs/sub", str(docs / "a.md"), "docs") == [
        "docs/sub/d.json",
        *(f"docs/{name}" for name in SUPPORTED if name != "sub/d.json"),
    ]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("docs/*.md", ["docs/a.md"]),
        ("*/?.md", ["docs/a.md"]),
        ("docs/[ab].*", ["docs/a.md", "docs/b.TXT"]),
        ("docs/**/*.md", ["docs/a.md", "docs/sub/deep/e.md"]),
        ("docs/sub/**", ["docs/sub/d.json", "docs/sub/deep/e.md"]),
        ("docs/*", [f"docs/{name}" for name in SUPPORTED]),
        ("**/e.md", ["docs/sub/deep/e.md"]),
        ("**", [f"docs/{name}" for name in SUPPORTED]),
    ],
)
def test_a_pattern_means_the_supported_files_that_match(docs: Path, pattern: str, found: list[str]) -> None:
    assert sorted(source.removeprefix("./") for source in sources(pattern)) == found
    assert sorted(sources(f"{docs.parent}/{pattern}")) == [f"{docs.parent}/{name}" for name in found]
    assert sorted(sources(f"./{pattern}")) == [f"./{name}" for name in found]


@pytest.mark.parametrize("name", ["two words.md", "🦊.md", "line\nbreak.md", "notes[1].md", "what?*.md", "~a.md"])
def test_odd_names_are_only_names(docs: Path, name: str) -> None:
    write(docs / "odd" / name)
    assert sources(f"docs/odd/{name}") == [f"docs/odd/{name}"]
    assert sources("docs/odd") == [f"docs/odd/{name}"]


def test_a_folder_whose_name_looks_like_a_pattern_is_a_folder(docs: Path) -> None:
    write(docs / "[2024]" / "a.md")
    assert sources("docs/[2024]") == ["docs/[2024]/a.md"]
    assert "docs/[2024]/a.md" in sources("docs/**/*.md")


def test_what_is_hidden_is_left_out_unless_it_is_named(docs: Path) -> None:
    write(docs / "sub" / ".secret.md")
    write(docs / ".git" / "a.md")
    assert sources("docs") == [f"docs/{name}" for name in SUPPORTED]
    assert sources("docs/**/*.md") == ["docs/a.md", "docs/sub/deep/e.md"]
    assert sources("docs/.git") == ["docs/.git/a.md"]
    assert sources("docs/.g*/*.md") == ["docs/.git/a.md"]


def test_links_to_files_are_taken_and_loops_end(docs: Path) -> None:
    (docs / "link.md").symlink_to(docs / "a.md")
    (docs / "broken.md").symlink_to(docs / "nowhere")
    for number in range(3):
        (docs / "sub" / f"loop{number}").symlink_to(docs)
    expected = sorted([*(f"docs/{name}" for name in SUPPORTED), "docs/link.md"])
    assert sorted(sources("docs")) == expected
    assert sorted(sources("docs/**/*.md")) == [name for name in expected if name.endswith(".md")]
    assert "docs/sub/loop1/a.md" in sources("docs/sub/loop1")


@pytest.mark.parametrize("given", ["docs", "docs/*", "docs/**/*.md", "doc?"])
def test_a_link_to_itself_is_one_refused_file_and_the_others_go_on(
    docs: Path, bucket: MemoryBucket, given: str
) -> None:
    (docs / "again").symlink_to(".")
    (docs / "loop").symlink_to("loop")
    (docs / "loop.md").symlink_to("loop.md")
    found = {file.source: file for file in expand([given])[0]}
    assert {"docs/a.md", "docs/loop.md", "docs/sub/deep/e.md"} <= found.keys()
    with pytest.raises(UnreadableFile, match=r"^docs/loop\.md: .*symbolic links\. It is a link that leads to itself"):
        upload(found["docs/loop.md"], "loop.md", bucket, metadata={})


def test_a_path_that_cannot_be_looked_at_is_a_problem_and_the_others_go_on(locked: Path) -> None:
    long = "x" * 5_000
    files, problems = expand([f"{locked}/private/a.md", long, f"{long}/*.md", f"*/{long}/*.md", f"{locked}/*.md"])
    assert [file.path.name for file in files] == ["link.md", "locked.md", "open.md"]
    assert [problem.message for problem in problems] == [
        f"{locked}/private/a.md: this cannot be read: Permission denied. Check its permissions.",
        f"{long}: this cannot be read: File name too long. Shorten its path.",
        f"{long}/*.md: this cannot be read: File name too long. Shorten its path.",
        f"*/{long}/*.md: this cannot be read: File name too long. Shorten its path.",
    ]


def test_deep_folders_are_walked_to_their_end(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    depth = sys.getrecursionlimit() + 100
    monkeypatch.chdir(docs)
    for _ in range(depth):  # step by step: the whole path is too long for one call
        Path("d").mkdir()
        os.chdir("d")
    Path("z.md").touch()
    monkeypatch.chdir(docs.parent)

    assert sources("docs") == [
        *(f"docs/{name}" for name in SUPPORTED[:3]),
        f"docs/{'d/' * depth}z.md",
        *(f"docs/{name}" for name in SUPPORTED[3:]),
    ]
    (docs / ("d/" * depth) / "z.md").unlink()
    os.removedirs(docs / ("d/" * depth))  # pytest could not do it


def test_special_files_are_not_taken_from_folders(docs: Path) -> None:
    os.mkfifo(docs / "pipe.md")
    assert sources("docs") == [f"docs/{name}" for name in SUPPORTED]


def test_a_path_that_gives_nothing_is_a_problem_and_the_others_go_on(docs: Path) -> None:
    (docs / "empty").mkdir()
    write(docs / "pictures" / "only.mp4")
    assert "no such file or folder" in problem("docs/missing.md")
    assert "no such file or folder" in problem("nul\0.md")
    assert ".pdf, .html, .htm" in problem("docs/empty")
    assert ".pdf, .html, .htm" in problem("docs/pictures")
    assert "matches this pattern" in problem("docs/*.rst")
    assert "pattern is not understood" in problem("docs/**x")

    files, problems = expand(["missing-1", "docs/a.md", "missing-2", "missing-1"])
    assert [file.source for file in files] == ["docs/a.md"]
    assert [problem.path for problem in problems] == ["missing-1", "missing-2"]


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


@pytest.fixture
def locked() -> Iterator[Path]:
    """A folder in which this process may read only what it has permission for, even where the tests run as root."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write(folder / "docs" / "locked.md").chmod(0)
        write(folder / "docs" / "open.md")
        (folder / "docs" / "link.md").symlink_to("private/a.md")
        write(folder / "docs" / "private" / "a.md").parent.chmod(0)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield folder / "docs"
        finally:
            if root:
                os.seteuid(0)
            (folder / "docs" / "private").chmod(0o755)


def test_what_may_not_be_read_is_reported_and_the_rest_is_taken(locked: Path, bucket: MemoryBucket) -> None:
    files, problems = expand([locked])
    assert [file.path.name for file in files] == ["link.md", "locked.md", "open.md"]
    assert [problem.message for problem in problems] == [
        f"{locked}/private: this folder cannot be read: Permission denied. Check its permissions."
    ]
    for file in files[:2]:
        with pytest.raises(UnreadableFile, match=rf"{file.path.name}: the file cannot be read: Permission denied"):
            upload(file, file.path.name, bucket, metadata={})
        assert not is_same(file, bucket.put(file.path.name, b"text"))
