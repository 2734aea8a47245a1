"""Files that programs keep for themselves become no documents, on any way in, and are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

GUIDE = "# Guide\n\nThis is a guide for everybody who works with the pumps of the harbour.\n"
OWN = ("~$guide.docx", "guide.md~", "#guide.md#", ".DS_Store", "guide.md.part", "Thumbs.db", "@eaDir/guide.md")
USERS = ("guide.md", "notes~draft.md", "a#b.md", "part.md", "lost+found.md", "x~/guide.md")
COUNTED = "left out: 7 programs' own files (#guide.md#, .DS_Store, @eaDir/, Thumbs.db, guide.md.part, guide.md~, ~$"


@pytest.fixture
def share(tmp_path: Path) -> Path:
    folder = tmp_path / "share"
    for name in (*OWN, *USERS):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{GUIDE}\nIts name is {name}.\n")
    return folder


def names(ragbase: CommandLine) -> set[str]:
    return {document["filename"] for document in ragbase.call("list", "--json").json["documents"]}


@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_a_share_with_open_documents_is_taken_without_what_programs_left_there(
    command: str, ragbase: CommandLine, share: Path
) -> None:
    for counts in ("6 documents" if command == "ingest" else "6 added", "6 unchanged"):
        ended = ragbase.call(command, share)
        assert ended.code == 0 and counts in ended.out and ended.err == ""
        assert COUNTED in ended.out and "program_files" in ended.out
    assert names(ragbase) == {f"{share}/{name}" for name in USERS}
    told = ragbase.call("explain", "which guide", "--document", share / "guide.md~")
    assert "It is left out, because it is a program's own file." in told.out


def test_a_document_that_had_such_a_name_before_goes_on(
    ragbase: CommandLine, share: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGBASE_PROGRAM_FILES", "!*~")
    assert ragbase.call("ingest", share / "guide.md~").code == 0
    monkeypatch.delenv("RAGBASE_PROGRAM_FILES")
    (share / "guide.md~").write_text(f"{GUIDE}\nIt tells of valves now.\n")
    ended = ragbase.call("ingest", share)
    assert ended.code == 0 and "left out: 6 programs' own files" in ended.out
    assert "valves" in ragbase.call("query", "it tells of valves", "--threshold", "0", "--top-k", "20").out
    assert ragbase.call("delete", share / "guide.md~").code == 0
    assert COUNTED in ragbase.call("ingest", share).out


def test_a_program_that_names_such_a_file_is_told_at_once(ragbase: CommandLine, share: Path) -> None:
    with RAGEngine(load_config(home=ragbase.home, environment={}, embedder="hashing")) as engine:
        own = str(share / "guide.md~")
        ended = engine.ingest([str(share / "guide.md"), own])
        assert (ended["ingested_count"], ended["failed_files"]) == (1, [own])
        assert "programs keep files called *~ for themselves" in ended["errors"][own]
        assert [stored.name for stored in engine.profile.bucket.list()] == [f"{share}/guide.md".lstrip("/")]


def test_what_somebody_puts_into_the_buckets_folder_is_counted_by_reconcile(ragbase: CommandLine) -> None:
    bucket = ragbase.home / "bucket"
    assert ragbase.call("reconcile").code == 0
    for name in ("~$guide.docx", "desktop.ini", "guide.md"):
        (bucket / name).write_text(GUIDE)
    ragbase.call("reconcile", "--repair")
    ended = ragbase.call("reconcile")
    assert ended.code == 0 and "1 document" in ended.out
    assert "left out: 2 programs' own files (desktop.ini, ~$guide.docx)." in ended.out
    assert names(ragbase) == {"guide.md"}
    (kind,) = ragbase.call("reconcile", "--json").json["leftOut"]
    assert (kind["count"], kind["endings"]) == (2, ["desktop.ini", "~$guide.docx"])
    assert "left out: 2 programs' own files" in ragbase.call("backfill").out
    told = ragbase.call("explain", "which guide", "--document", "desktop.ini")
    assert "It is left out, because it is a program's own file." in told.out
