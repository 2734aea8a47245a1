"""Which files a user's paths mean, and which are left out."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.domain.errors import UnreadableFile
from ragbase.domain.program_files import ProgramFiles
from ragbase.sources import open_inside
from ragbase.sources.expand import expand
from ragbase.sources.folder import is_same, upload
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock

TREE = ("a.md", "b.TXT", "c.pdf", "picture.psd", "sub/d.json", "sub/deep/e.md", "sub/deep/no.zip")
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
    expanded = expand(paths)
    assert expanded.problems == []
    assert all(file.path == Path(file.source) and file.path.is_file() for file in expanded.files)
    return [file.source for file in expanded.files]


def left_out(*paths: str | Path) -> dict[str, str]:
    """The kind of each file that is left out."""
    return {path: why.many for path, why in expand(paths).left_out}


def problem(path: str) -> str:
    expanded = expand([path])
    assert expanded.files == []
    assert [problem.path for problem in expanded.problems] == [path]
    return expanded.problems[0].message


def test_what_programs_keep_for_themselves_is_left_out_however_it_is_named(docs: Path) -> None:
    own = ("~$a.docx", ".DS_Store", "sub/Thumbs.db", "sub/a.md~", "@eaDir/a.md", ".Trash-1000/files/b.md")
    for name in own:
        write(docs / name)
    named = [f"docs/{name}" for name in own]
    found = expand(["docs", "docs/sub/*", *named[:2], "docs/sub/a.md~"])
    assert [file.source for file in found.files] == [f"docs/{name}" for name in SUPPORTED]
    assert not found.problems
    kept = {path: (why.many, why.ending, why.files) for path, why in found.left_out if "programs" in why.many}
    assert kept == {
        **{path: ("programs' own files", Path(path).name, 1) for path in (*named[:4],)},
        "docs/@eaDir/a.md": ("programs' own files", "@eaDir/", 1),
        "docs/.Trash-1000/": ("programs' own files", ".Trash-1000/", 1),
    }
    assert "docs/a.md" not in [file.source for file in expand(["docs"], program_files=ProgramFiles("a.*")).files]


def test_a_folder_means_every_supported_file_below_it_as_the_user_would_name_it(docs: Path) -> None:
    for given in ("docs", str(docs)):
        assert sources(given) == [f"{given}/{name}" for name in SUPPORTED]
    assert sources("docs/") == [f"docs/{name}" for name in SUPPORTED]
    assert sources(docs / "sub") == [f"{docs}/sub/d.json", f"{docs}/sub/deep/e.md"]
    assert sources("docs/../docs/sub/deep") == ["docs/../docs/sub/deep/e.md"]


def test_a_named_file_of_any_kind_is_taken(docs: Path) -> None:
    write(docs / ".hidden")
    assert sources("docs/picture.psd", docs / ".hidden", "./docs/a.md") == [
        "docs/picture.psd",
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


def test_a_hidden_folder_is_counted_and_not_listed(docs: Path) -> None:
    for number in range(20):
        write(docs / ".git" / "objects" / f"{number}")
    write(docs / ".gitignore")
    (docs / ".empty").mkdir()
    hidden = {path: why.files for path, why in expand(["docs"]).left_out if why.many == "hidden files"}
    assert hidden == {"docs/.git/": 20, "docs/.gitignore": 1}


def test_links_to_files_are_taken_and_loops_end(docs: Path) -> None:
    (docs / "link.md").symlink_to(docs / "a.md")
    (docs / "broken.md").symlink_to(docs / "nowhere")
    for number in range(3):
        (docs / "sub" / f"loop{number}").symlink_to(docs)
    expected = sorted([*(f"docs/{name}" for name in SUPPORTED), "docs/link.md"])
    assert sorted(sources("docs")) == expected
    assert sorted(sources("docs/**/*.md")) == [name for name in expected if name.endswith(".md")]
    assert "docs/sub/loop1/a.md" in sources("docs/sub/loop1")
    assert left_out("docs") == {
        "docs/broken.md": "broken links",
        "docs/picture.psd": "pictures",
        **{f"docs/sub/loop{number}": "links to folders" for number in range(3)},
        "docs/sub/deep/no.zip": "archives",
    }


def test_a_link_out_of_the_folder_is_left_out_unless_it_is_named(docs: Path) -> None:
    secret = write(docs.parent / "elsewhere" / "secret.md")
    (docs / "sub" / "secret.md").symlink_to(secret)
    (docs / "sub" / "folder").symlink_to(secret.parent)
    (docs / "..data").mkdir()
    write(docs / "..data" / "mounted.md")
    (docs / "mounted.md").symlink_to("..data/mounted.md")  # as Kubernetes mounts a ConfigMap

    assert "docs/sub/secret.md" not in sources("docs") and "docs/mounted.md" in sources("docs")
    assert left_out("docs")["docs/sub/secret.md"] == left_out("docs")["docs/sub/folder"] == "links out of the folder"
    assert left_out("docs/sub/*.md") == {"docs/sub/secret.md": "links out of the folder"}
    assert sources("docs/sub/secret.md") == ["docs/sub/secret.md"]
    assert sources("docs/sub/folder") == ["docs/sub/folder/secret.md"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("README", b"Start the pump first.\n"),
        ("Makefile", b"all:\n\techo pump\n"),
        ("guide.rst", b"Pumps\n=====\n"),
        ("app.log.3", b"\x1b[31m12:00 pump\x1b[0m\n"),
        ("notes.unknown", "Prüfung der Pumpe, jährlich.\n".encode("latin-1")),
        ("notes.sjis", "ポンプの圧力を確認してください。\n".encode("shift_jis") * 200),
        ("report.out", "Die Pumpe läuft.".encode("utf-16")),
        ("manual", b"%PDF-1.4\n\x00\xff"),
    ],
)
def test_plain_text_under_any_name_is_taken(docs: Path, name: str, data: bytes) -> None:
    write(docs / name, data)
    assert f"docs/{name}" in sources("docs")
    assert sources(f"docs/{name[:2]}*") == [f"docs/{name}"]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("photo.HEIC", b"\xff\xd8\xff\xe0", "pictures"),
        ("archive.tar.gz", b"\x1f\x8b\x08", "archives"),
        ("pointer.psd", b"version https://git-lfs.github.com/spec/v1\n", "pictures"),
        ("dump.bin", bytes(range(256)), "binary files"),
        ("program", b"\x7fELF\x02\x01\x01\x00", "binary files"),
        ("old.unknown", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "binary files"),
        ("marker", b"", "empty files"),
        ("__init__.md", b"", "empty files"),
    ],
)
def test_what_is_no_text_is_left_out_and_named(docs: Path, name: str, data: bytes, kind: str) -> None:
    write(docs / name, data)
    assert left_out("docs")[f"docs/{name}"] == kind
    assert sources(f"docs/{name}") == [f"docs/{name}"]


def test_a_format_that_the_settings_leave_out_is_named(docs: Path) -> None:
    write(docs / "README")
    expanded = expand(["docs"], {"md", "json"})
    assert [file.source for file in expanded.files] == ["docs/a.md", "docs/sub/d.json", "docs/sub/deep/e.md"]
    reasons = {path: why.reason for path, why in expanded.left_out}
    assert "allowed_formats does not name pdf" in reasons["docs/c.pdf"]
    assert "allowed_formats does not name txt" in reasons["docs/README"]


def test_every_file_of_a_folder_is_taken_or_named(docs: Path) -> None:
    for name in (".env", ".git/config", "README", "sub/x.bin", "sub/y.mp4"):
        write(docs / name, b"\0" if name == "sub/x.bin" else b"text")
    expanded = expand(["docs"])
    named = sum(why.files for _, why in expanded.left_out)
    assert len(expanded.files) + named == sum(path.is_file() for path in docs.rglob("*"))


@pytest.mark.parametrize("given", ["docs", "docs/*", "docs/**/*.md", "doc?"])
def test_a_link_to_itself_is_one_refused_file_and_the_others_go_on(
    docs: Path, bucket: MemoryBucket, given: str
) -> None:
    (docs / "again").symlink_to(".")
    (docs / "loop").symlink_to("loop")
    (docs / "loop.md").symlink_to("loop.md")
    found = {file.source: file for file in expand([given]).files}
    assert {"docs/a.md", "docs/loop.md", "docs/sub/deep/e.md"} <= found.keys()
    with pytest.raises(UnreadableFile, match=r"^docs/loop\.md: .*symbolic links\. It is a link that leads to itself"):
        upload(found["docs/loop.md"], "loop.md", bucket, metadata={})


def test_a_path_that_cannot_be_looked_at_is_a_problem_and_the_others_go_on(locked: Path) -> None:
    long = "x" * 5_000
    expanded = expand([f"{locked}/private/a.md", long, f"{long}/*.md", f"*/{long}/*.md", f"{locked}/*.md"])
    assert [file.path.name for file in expanded.files] == ["link.md", "locked.md", "open.md"]
    assert [problem.message for problem in expanded.problems] == [
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
    Path("z.md").write_text("text")
    monkeypatch.chdir(docs.parent)

    try:
        found = sources("docs")
    finally:  # pytest could not do it
        (docs / ("d/" * depth) / "z.md").unlink()
        os.removedirs(docs / ("d/" * depth))
    assert found == [
        *(f"docs/{name}" for name in SUPPORTED[:3]),
        f"docs/{'d/' * depth}z.md",
        *(f"docs/{name}" for name in SUPPORTED[3:]),
    ]


def test_special_files_are_not_taken_from_folders(docs: Path) -> None:
    os.mkfifo(docs / "pipe.md")
    assert sources("docs") == [f"docs/{name}" for name in SUPPORTED]
    assert left_out("docs")["docs/pipe.md"] == "special files"


def test_a_path_that_gives_nothing_is_a_problem_and_the_others_go_on(docs: Path) -> None:
    (docs / "empty").mkdir()
    write(docs / "pictures" / "only.psd")
    assert "no such file or folder" in problem("docs/missing.md")
    assert "no such file or folder" in problem("nul\0.md")
    assert "there are no files of this folder" in problem("docs/empty")
    assert "all files of this folder are left out" in problem("docs/pictures")
    assert "there are no files that match this pattern" in problem("docs/*.rst")
    assert "pattern is not understood" in problem("docs/**x")

    expanded = expand(["missing-1", "docs/a.md", "missing-2", "missing-1"])
    assert [file.source for file in expanded.files] == ["docs/a.md"]
    assert [problem.path for problem in expanded.problems] == ["missing-1", "missing-2"]


@pytest.fixture
def bucket() -> MemoryBucket:
    return MemoryBucket("bucket", lambda _: None, VirtualClock())


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
    expanded = expand([locked])
    assert [file.path.name for file in expanded.files] == ["link.md", "locked.md", "open.md"]
    assert [problem.message for problem in expanded.problems] == [
        f"{locked}/private: this folder cannot be read: Permission denied. Check its permissions."
    ]
    for file in expanded.files[:2]:
        with pytest.raises(UnreadableFile, match=rf"{file.path.name}: the file cannot be read: Permission denied"):
            upload(file, file.path.name, bucket, metadata={})
        assert not is_same(file, bucket.put(file.path.name, b"text"))


# --- links


def test_no_link_on_the_way_leads_a_pattern_out_of_its_folder(docs: Path) -> None:
    secret = write(docs.parent / "elsewhere" / "sub" / "secret.md")
    (docs / "way").symlink_to(secret.parent.parent)
    (docs / "inside").symlink_to(docs / "sub")
    assert left_out("docs/*/sub/*.md") == {"docs/way/sub/secret.md": "links out of the folder"}
    assert left_out("docs/wa*") == {"docs/way": "links out of the folder"}
    assert left_out("docs/way/s?b/*.md") == {}, "the user has named the link"
    assert sources("docs/way/s?b/*.md") == ["docs/way/sub/secret.md"]
    assert sources("docs/ins*/deep/*.md") == ["docs/inside/deep/e.md"]


def test_links_of_links_and_the_folder_itself_being_one(docs: Path) -> None:
    secret = write(docs.parent / "elsewhere" / "secret.md")
    (docs / "1.md").symlink_to("2.md")
    (docs / "2.md").symlink_to(secret)
    (docs / "3.md").symlink_to("4.md")
    (docs / "4.md").symlink_to("sub/deep/../deep/e.md")
    (docs / "x.md").symlink_to("c.pdf")  # its name decides
    (docs / "up.md").symlink_to("../docs/a.md")
    (docs.parent / "alias").symlink_to("docs")
    for given in ("docs", "alias", "docs/../alias"):
        taken = sources(given)
        assert {f"{given}/{name}" for name in ("3.md", "4.md", "x.md", "up.md")} < set(taken)
        assert not {f"{given}/1.md", f"{given}/2.md"} & set(taken)
        outside = {path for path, kind in left_out(given).items() if kind == "links out of the folder"}
        assert outside == {f"{given}/1.md", f"{given}/2.md"}


def test_a_folder_with_a_name_that_begins_like_the_given_one_is_outside(docs: Path) -> None:
    write(docs.parent / "docs-private" / "a.md")
    (docs / "private.md").symlink_to("../docs-private/a.md")
    assert left_out("docs")["docs/private.md"] == "links out of the folder"


def test_a_link_to_a_hidden_file_shows_it_no_more_than_its_name_does(docs: Path) -> None:
    write(docs / ".git" / "config", b"[remote]\nurl = https://token@example.com\n")
    (docs / "notes.txt").symlink_to(".git/config")
    assert left_out("docs")["docs/notes.txt"] == "links to hidden files"
    assert left_out("docs/*.txt") == {"docs/notes.txt": "links to hidden files"}
    (docs / ".git" / "mine.md").symlink_to("config")
    assert "docs/.git/mine.md" in sources("docs/.git")


def test_links_are_named_where_they_are_counted(docs: Path) -> None:
    write(docs.parent / "elsewhere" / "secret.md")
    (docs / "sub" / "secret.md").symlink_to(docs.parent / "elsewhere" / "secret.md")
    (why,) = (why for _, why in expand(["docs"]).left_out if why.many == "links out of the folder")
    assert why.ending == "secret.md" and "--follow-links" in why.reason


def test_links_are_followed_if_the_user_says_so_and_loops_end(docs: Path) -> None:
    elsewhere = docs.parent / "elsewhere"
    write(elsewhere / "one.md")
    write(elsewhere / "deep" / "two.md")
    (elsewhere / "back").symlink_to(docs)
    (elsewhere / "deep" / "self").symlink_to("../deep")
    (docs / "sub" / "out").symlink_to(elsewhere)
    (docs / "sub" / "out2").symlink_to(elsewhere / "deep")
    (docs / "sub" / "x.md").symlink_to(elsewhere / "one.md")
    (docs / "loop").symlink_to("loop")
    expanded = expand(["docs"], follow_links=True)
    assert [file.source for file in expanded.files] == sorted(
        [
            *(f"docs/{name}" for name in SUPPORTED),
            "docs/loop",  # the upload says that it leads to itself
            "docs/sub/out/one.md",
            "docs/sub/out/deep/two.md",
            "docs/sub/x.md",
        ]
    )
    again = [path for path, why in expanded.left_out if why.many == "links to folders that are read already"]
    assert again == ["docs/sub/out/back", "docs/sub/out/deep/self", "docs/sub/out2"]
    assert {file.source for file in expand(["docs/sub/o*"], follow_links=True).files} >= {"docs/sub/out/one.md"}


def test_folders_that_link_to_each_other_do_not_multiply(docs: Path) -> None:
    folders = [docs / f"f{number}" for number in range(12)]
    for folder in folders:
        write(folder / "a.md")
        for other in folders:
            (folder / f"to-{other.name}").symlink_to(other)
    assert len(expand(["docs"], follow_links=True).files) < 200


@pytest.mark.parametrize("swapped", ["docs/sub/deep/e.md", "docs/sub/deep", "docs/sub"])
def test_what_has_become_a_link_since_the_folder_was_listed_is_not_followed(docs: Path, swapped: str) -> None:
    for name in ("e.md", "deep/e.md", "sub/deep/e.md"):
        write(docs.parent / "elsewhere" / name, b"a secret")
    (file,) = (file for file in expand(["docs"]).files if file.source == "docs/sub/deep/e.md")
    below = Path("elsewhere") / {"e.md": "e.md", "deep": "", "sub": "sub"}[Path(swapped).name]
    Path(swapped).rename("moved")
    Path(swapped).symlink_to(docs.parent / below)
    assert Path("docs/sub/deep/e.md").read_bytes() == b"a secret"
    bucket = MemoryBucket("bucket", lambda _: None, VirtualClock())
    with pytest.raises(UnreadableFile, match=r"docs/sub/deep/e\.md: it is or was a link that leads out"):
        upload(file, "e.md", bucket, metadata={})
    assert not is_same(file, bucket.put("x.md", b"a secret"))


@pytest.mark.parametrize("swapped", ["docs/sub/deep/e.md", "docs/sub/deep", "docs/sub"])
def test_a_link_that_comes_between_the_check_and_the_opening_is_not_followed(
    docs: Path, swapped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("e.md", "deep/e.md", "sub/deep/e.md"):
        write(docs.parent / "elsewhere" / name, b"a secret")
    (file,) = (file for file in expand(["docs"]).files if file.source == "docs/sub/deep/e.md")
    below = Path("elsewhere") / {"e.md": "e.md", "deep": "", "sub": "sub"}[Path(swapped).name]
    check = open_inside.parts_inside

    def swap_after(folder: str, path: str) -> list[str] | None:
        parts = check(folder, path)
        Path(swapped).rename("moved")
        Path(swapped).symlink_to(docs.parent / below)
        return parts

    monkeypatch.setattr(open_inside, "parts_inside", swap_after)
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
        file.open()
