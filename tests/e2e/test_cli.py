"""The command line on a data folder, from ingest to delete, and how it ends when it is interrupted."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragbase import hash_file_path
from tests.e2e.command_line import TIMEOUT, CommandLine, read_all

pytestmark = pytest.mark.slow

GUIDE = "# Guide\n\n## Backups\n\nThe nightly backup starts at half past two and takes ten minutes.\n"
GARDEN = "Tomatoes want a sunny bed, and water in the morning.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE)
    (folder / "garden.txt").write_text(GARDEN)
    return folder


def test_files_become_answers(ragbase: CommandLine, notes: Path) -> None:
    ingested = ragbase.call("ingest", notes)

    assert ingested.code == 0
    assert sorted(ingested.out.splitlines()) == [
        "2 documents, 2 chunks; 0 unchanged, 0 failed",
        f"indexed: {notes}/garden.txt (1 chunk)",
        f"indexed: {notes}/guide.md (1 chunk)",
    ]
    found = ragbase.call("query", "When does the nightly backup start?", "--top-k", "1")
    assert found.code == 0
    assert f"1. {notes}/guide.md > Guide" in found.out
    assert f"characters 0–{len(GUIDE.rstrip())}" in found.out
    assert "The nightly backup starts at half past two" in found.out


def test_a_question_is_answered_in_sentences(ragbase: CommandLine, notes: Path) -> None:
    empty = ragbase.call("ask", "When does the nightly backup start?")
    assert (empty.code, empty.out.splitlines()[0]) == (0, "The documents have no information on this.")
    assert "ragbase ingest" in empty.out
    ragbase.call("ingest", notes)
    question = ("ask", "When does the nightly backup start?", "--document", notes / "guide.md")
    told = ragbase.call(*question)
    assert told.code == 0
    assert "The nightly backup starts at half past two and takes ten minutes. [1]" in told.out
    assert f"1. {notes}/guide.md > Guide" in told.out
    answer = ragbase.call(*question, "--json").json
    text = ragbase.call("text", notes / "guide.md", "--json").json["text"]
    citations = [citation for sentence in answer["sentences"] for citation in sentence["citations"]]
    assert citations
    for one in citations:
        assert text[one["metadata"]["charStart"] : one["metadata"]["charEnd"]] == one["text"]
    nothing = ragbase.call("ask", "quantum chromodynamics", "--threshold", "0.99")
    assert (nothing.code, nothing.out.splitlines()[0]) == (0, "The documents have no information on this.")


def test_a_question_can_be_asked_of_some_documents(ragbase: CommandLine, notes: Path) -> None:
    (notes / "ops").mkdir()
    (notes / "ops/old.md").write_text(f"---\ntags: [Ops, draft]\ndate: 2023-05-01\n---\n{GUIDE}\nIn the old way.")
    ragbase.call("ingest", notes)

    def sources(*options: str | Path) -> set[str]:
        found = ragbase.call("query", "nightly backup", "--threshold", "0", "--json", *options)
        assert found.code == 0, found.err
        return {result["filename"].removeprefix(f"{notes}/") for result in found.json["results"]}

    assert sources() == {"guide.md", "garden.txt", "ops/old.md"}
    assert sources("--path", notes / "ops") == {"ops/old.md"}
    assert sources("--path", str(notes).lstrip("/")) == sources()
    assert sources("--document", notes / "guide.md", "--document", notes / "garden.txt") == {"guide.md", "garden.txt"}
    assert sources("--format", "txt") == {"garden.txt"}
    assert sources("--tag", "ops", "--tag", "draft") == {"ops/old.md"}
    assert sources("--tag", "ops", "--tag", "news") == set()
    assert sources("--from", "2023-01-01", "--to", "2023-05-01") == {"ops/old.md"}
    assert sources("--from", "2023-05-02") == set()


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "pages"),
        ("--tag", " "),
        ("--from", "soon"),
        ("--from", "2024-01-02", "--to", "2024-01-01"),
        ("--where", "author"),
    ],
)
def test_a_filter_that_is_not_understood_is_no_question(ragbase: CommandLine, options: tuple[str, ...]) -> None:
    refused = ragbase.call("query", "nightly backup", *options)
    assert refused.code == 2
    assert options[0] in refused.err


def test_json_has_the_shapes_of_the_document_contract(ragbase: CommandLine, notes: Path) -> None:
    guide = str(notes / "guide.md")
    id = hash_file_path(guide)
    assert ragbase.call("ingest", guide, "--json").json == {"documents": 1, "chunks": 1, "unchanged": 0, "failed": []}

    listed = ragbase.call("list", "--json", "--status", "COMPLETED", "--limit", "5").json
    created = listed["documents"][0].pop("createdAt")
    assert listed == {
        "documents": [
            {"id": id, "filename": guide, "status": "COMPLETED", "lane": "fast", "size": 87, "chunkCount": 1}
        ],
        "total": 1,
    }
    status = ragbase.call("status", guide, "--json").json
    assert (status.pop("createdAt"), bool(status.pop("updatedAt"))) == (created, True)
    assert (status.pop("lane"), status.pop("size"), status.pop("history")["attempts"]) == ("fast", 87, 1)
    assert status == {"id": id, "filename": guide, "status": "COMPLETED", "retryCount": 0, "chunkCount": 1}

    (result,) = ragbase.call("query", "nightly backup", "--json").json["results"]
    metadata = result["metadata"]
    assert 0.5 <= result["score"] <= 1
    assert (result["documentId"], result["filename"]) == (id, guide)
    assert GUIDE[metadata["charStart"] : metadata["charEnd"]] == result["content"]

    assert ragbase.call("delete", guide, "--json").json == {"deleted": [guide], "notFound": []}
    assert ragbase.call("list", "--json").json == {"documents": [], "total": 0}
    nothing = ragbase.call("query", "nightly backup", "--json").json
    assert nothing == {"results": [], "warnings": ["There are no documents yet."]}


def test_unchanged_files_are_left_alone_and_changed_ones_replaced(ragbase: CommandLine, notes: Path) -> None:
    ragbase.call("ingest", notes)
    (notes / "garden.txt").write_text("Potatoes grow in ridges of loose soil.\n")

    again = ragbase.call("ingest", notes, "--json").json

    assert again == {"documents": 2, "chunks": 2, "unchanged": 1, "failed": []}
    assert "Potatoes" in ragbase.call("query", "potatoes in ridges", "--threshold", "0").out
    assert "Tomatoes" not in ragbase.call("query", "tomatoes in a sunny bed", "--threshold", "0").out


def test_ingest_takes_a_size_of_chunks(ragbase: CommandLine, notes: Path) -> None:
    (notes / "guide.md").write_text("# Guide\n\n" + "The nightly backup takes ten minutes. " * 99)
    usual = ragbase.call("ingest", notes, "--json").json["chunks"]

    smaller = ragbase.call("ingest", notes, "--chunk-size", "100/0 tokens", "--json").json

    assert smaller["chunks"] > usual and smaller["unchanged"] == 0
    refused = ragbase.call("ingest", notes, "--chunk-size", "100 tokens")
    assert refused.code == 2 and "'100 tokens' is not SIZE/OVERLAP UNIT" in refused.err


def test_status_shows_everything_and_names_are_ids_or_paths(ragbase: CommandLine, notes: Path) -> None:
    ragbase.call("ingest", notes)
    guide = notes / "guide.md"

    by_path = ragbase.call("status", guide, "--verbose")
    by_id = ragbase.call("status", hash_file_path(guide), "-v")

    assert by_path.code == by_id.code == 0
    assert by_path.out == by_id.out
    fields = dict(line.split("  ", 1) for line in by_path.out.splitlines())
    fields = {name.strip(): value.strip() for name, value in fields.items()}
    assert fields["document"] == str(guide)
    assert (fields["status"], fields["lane"], fields["chunks"]) == ("COMPLETED", "fast", "1")
    assert fields["retries"] == "0 of 3"
    assert fields["cost"] == "1 text embedded, 0 tokens billed"


def test_a_citation_can_be_checked_with_the_text(ragbase: CommandLine, notes: Path) -> None:
    crew = notes / "crew.csv"
    crew.write_bytes("name;task\nAnna;steers the ship\nBert;cooks \x1b[31mporridge\n".encode("utf-16"))
    ragbase.call("ingest", notes)
    for name, question in {"guide.md": "nightly backup", "crew.csv": "who steers the ship"}.items():
        result = ragbase.call("query", question, "--threshold", "0", "--json").json["results"][0]
        assert result["filename"] == str(notes / name)
        place = slice(result["metadata"]["charStart"], result["metadata"]["charEnd"])

        exact, as_json = ragbase.call("text", notes / name), ragbase.call("text", notes / name, "--json").json

        assert exact.out[place] == as_json["text"][place] == result["content"]
        assert exact.out == as_json["text"]
    assert "\x1b[31m" in exact.out


def test_a_text_that_cannot_be_had_says_why(ragbase: CommandLine, notes: Path) -> None:
    (notes / "bad.json").write_text("{")
    ragbase.call("ingest", notes)
    failed = ragbase.call("text", notes / "bad.json")
    assert (failed.code, failed.out) == (1, "")
    assert "search shows nothing of it. `ragbase status` says why." in failed.err


def test_a_table_of_documents(ragbase: CommandLine, notes: Path) -> None:
    assert ragbase.call("list").out == "No documents yet. Add some with: ragbase ingest PATH\n"
    ragbase.call("ingest", notes)

    header, *rows, blank, total = ragbase.call("list").out.splitlines()

    assert header.split() == ["ID", "DOCUMENT", "STATUS", "CHUNKS", "CREATED"]
    assert {tuple(row.split()[1:4]) for row in rows} == {
        (str(notes / "guide.md"), "COMPLETED", "1"),
        (str(notes / "garden.txt"), "COMPLETED", "1"),
    }
    more, *records, _, _ = ragbase.call("list", "--verbose").out.splitlines()
    assert more.split() == ["ID", "DOCUMENT", "STATUS", "LANE", "CHUNKS", "RETRIES", "EMBEDDED", "TOKENS", "UPDATED"]
    assert {tuple(row.split()[1:8]) for row in records} == {
        (str(notes / "guide.md"), "COMPLETED", "fast", "1", "0", "1", "0"),
        (str(notes / "garden.txt"), "COMPLETED", "fast", "1", "0", "1", "0"),
    }
    assert (blank, total) == ("", "2 documents")
    assert ragbase.call("list", "--limit", "1", "--offset", "1").out.endswith("\n2–2 of 2 documents\n")
    cursor = ragbase.call("list", "--limit", "1", "--json").json["nextCursor"]
    (shown, *_, total) = ragbase.call("list", "--limit", "1", "--cursor", cursor).out.splitlines()[1:]
    assert (shown.split(), total) == (rows[1].split(), "1 of 2 documents")
    assert ragbase.call("list", "--status", "failed").out == "No documents.\n"


@pytest.mark.parametrize("command", ["text", "status", "retry", "delete"])
def test_a_document_that_is_not_there_is_named(command: str, ragbase: CommandLine) -> None:
    ended = ragbase.call(command, "nowhere.md")

    assert ended.code == 1
    assert "nowhere.md: there is no such document." in ended.err
    assert "Traceback" not in ended.err


def test_delete_does_what_it_can_and_names_the_rest(ragbase: CommandLine, notes: Path) -> None:
    ragbase.call("ingest", notes)
    guide, garden = notes / "guide.md", notes / "garden.txt"

    ended = ragbase.call("delete", guide, "nowhere.md", hash_file_path(garden))

    assert ended.code == 1
    assert ended.out == "2 documents deleted\n"
    assert ended.err.startswith("failed: nowhere.md: ")
    assert guide.exists(), "the file that was ingested stays"
    assert ragbase.call("list", "--json").json["total"] == 0


def test_delete_takes_folders_and_patterns(ragbase: CommandLine, notes: Path) -> None:
    (notes / "old" / "deep").mkdir(parents=True)
    for name in ("a.md", "old/b.md", "old/deep/c.md", "older.md"):
        (notes / name).write_text(f"# {name}\n\nThe text of the note {name} is not long, but long enough.\n")
    ragbase.call("ingest", notes)

    asked = ragbase.call("delete", notes / "old")
    assert (asked.code, "Delete 2 documents?" in asked.err) == (1, True), "nobody has answered"
    assert ragbase.call("list", "--json").json["total"] == 6
    empty = ragbase.call("delete", "", "--yes")
    assert (empty.code, "a name is empty" in empty.err) == (2, True)
    folder = ragbase.call("delete", f"{notes}/old/", "--yes", "--json").json
    assert (sorted(folder["deleted"]), folder["notFound"]) == ([f"{notes}/old/b.md", f"{notes}/old/deep/c.md"], [])
    pattern = ragbase.call("delete", f"{notes}/**/*.md", f"{notes}/*.pdf", "--yes")
    assert (pattern.code, pattern.out) == (1, "3 documents deleted\n")
    assert pattern.err.startswith(f"failed: {notes}/*.pdf: there is no such document")
    (left,) = ragbase.call("list", "--json").json["documents"]
    assert left["filename"] == str(notes / "garden.txt")
    assert ragbase.call("delete", notes / "garden.txt").out == "1 document deleted\n", "one that is named is not asked"


def test_delete_takes_documents_of_one_source_name(ragbase: CommandLine, notes: Path) -> None:
    """Their names in the bucket differ."""
    for folder in ("one", "two"):
        assert ragbase.call("sync", notes, "--prefix", folder).code == 0
    assert ragbase.call("delete", "one", "two", "--yes").out == "4 documents deleted\n"
    assert ragbase.call("list", "--json").json["total"] == 0


def test_quiet_says_only_what_has_failed(ragbase: CommandLine, notes: Path) -> None:
    for call in (("ingest", notes), ("sync", notes, "--prefix", "other"), ("delete", notes / "garden.txt")):
        done = ragbase.call(*call, "--quiet")
        assert (done.code, done.out, done.err) == (0, "", ""), call
    (notes / "broken.json").write_text("{")
    for call in (("ingest", notes), ("sync", notes, "--prefix", "other"), ("retry", notes / "broken.json")):
        failed = ragbase.call(*call, "-q")
        assert (failed.code, failed.out, len(failed.err.splitlines())) == (1, "", 1), call
        assert failed.err.startswith("failed: ") and "broken.json: CORRUPT_FILE" in failed.err
    assert ragbase.call("ingest", notes / "guide.md", "-q", "--json").json["documents"] == 1


def test_nothing_found_is_no_failure(ragbase: CommandLine, notes: Path) -> None:
    empty = ragbase.call("query", "anything at all")
    assert empty.code == 0
    assert empty.out.startswith(f"No document in {ragbase.home} is searchable yet. Add some with: ragbase ingest")

    ragbase.call("ingest", notes)
    for command in ("query", "ask"):
        nothing = ragbase.call(command, "When does the nightly backup of web-31 start?", "--threshold", "0.9999")
        *_, said, nearest, unknown, hint = nothing.out.splitlines()
        assert (nothing.code, said) == (0, "Nothing found: no passage scores 0.9999 or more.")
        assert re.fullmatch(rf"Nearest: {notes}/guide\.md > .* \(0\.\d+\)\. It lacks: web-31\.", nearest)
        assert unknown == "No passage has: web-31."
        assert "ragbase explain" in hint
        assert "--threshold" in hint
        (near,) = ragbase.call(command, "web-31?", "--threshold", "1", "--json").json["nearMiss"]["passages"]
        assert near.keys() == {"documentId", "filename", "score", "metadata", "lacks", "confidence"}


def test_a_filter_that_no_document_matches_is_named(ragbase: CommandLine, notes: Path) -> None:
    ragbase.call("ingest", notes)
    options = ("--tag", "tyop", "--path", notes / "nowhere", "--format", "md")
    for command in ("query", "ask"):
        said = ragbase.call(command, "nightly backup", *options)
        assert (said.code, "Nothing found" in said.out) == (0, True)
        assert said.err.splitlines() == [
            f"warning: no document matches --path {notes}/nowhere",
            "warning: no document matches --tag tyop",
        ]
    missing = ragbase.call("query", "nightly backup", "--document", "guide.dm")
    assert (missing.code, "guide.dm: there is no such document" in missing.err) == (1, True)


@pytest.mark.parametrize(("typed", "meant"), [("quary", "query"), ("search", "query"), ("ingset", "ingest")])
def test_a_mistyped_command_is_met_with_the_right_one(ragbase: CommandLine, typed: str, meant: str) -> None:
    said = ragbase.call(typed, "x")
    assert (said.code, f"No such command {typed!r}. Did you mean {meant}" in said.err) == (2, True)


def test_a_list_says_why_a_document_has_failed(ragbase: CommandLine, notes: Path) -> None:
    (notes / "broken.json").write_text('{"a": ')
    ragbase.call("ingest", notes)
    assert f"failed: {notes}/broken.json: CORRUPT_FILE: The file is not valid JSON" in ragbase.call("list").out
    (failed,) = ragbase.call("list", "--status", "FAILED", "--json").json["documents"]
    assert failed["failReason"].startswith("CORRUPT_FILE: ") and failed["remedy"]
    assert failed["remedy"] in ragbase.call("status", notes / "broken.json").out


def test_a_refused_file_in_the_buckets_folder_says_why(ragbase: CommandLine, notes: Path) -> None:
    ragbase.call("ingest", notes)
    (ragbase.home / "bucket" / "photo.psd").write_bytes(b"8BPS\0\1" + bytes(100))
    (ragbase.home / "bucket" / "README").write_text(
        "The lighthouse of Utö has been lit on every single night since 1814."
    )
    assert ragbase.call("backfill").code == 1
    mistyped = ragbase.call("backfill", "pohto")
    assert (mistyped.code, "pohto: no name in the bucket begins so" in mistyped.err) == (1, True)
    (failed,) = ragbase.call("list", "--status", "FAILED", "--json").json["documents"]
    assert failed["filename"] == "photo.psd" and failed["failReason"].startswith("UNSUPPORTED_FORMAT: ")
    assert "failed: photo.psd: UNSUPPORTED_FORMAT: " in ragbase.call("list").out
    assert "README" in ragbase.call("query", "lighthouse of Utö").out


def test_notes_are_shown_wherever_a_document_is(ragbase: CommandLine, notes: Path) -> None:
    (notes / "page.txt").write_text("<!doctype html><h1>Ferries</h1><p>The ferry leaves at noon.")
    note = "Its name or type says txt, its content says html: read as html."
    assert f"note: {notes}/page.txt: {note}" in ragbase.call("ingest", notes).err
    assert note in ragbase.call("status", notes / "page.txt").out
    assert ragbase.call("status", notes / "page.txt", "--json").json["notes"] == [note]
    listed = ragbase.call("list", "--json").json["documents"]
    assert [document.get("notes") for document in listed if document["filename"].endswith("page.txt")] == [[note]]


def test_equal_texts_are_shown_once_with_every_place(ragbase: CommandLine, notes: Path) -> None:
    (notes / "copy.md").write_text(GUIDE)
    ragbase.call("ingest", notes)

    out = ragbase.call("query", "nightly backup").out

    assert "2. " not in out
    assert f"also in {notes}/" in out
    assert {name for name in ("guide.md", "copy.md") if f"{notes}/{name}" in out} == {"guide.md", "copy.md"}


def test_retry_waits_for_the_end_and_reports_it(ragbase: CommandLine, notes: Path) -> None:
    (notes / "broken.json").write_text("{")
    ragbase.call("ingest", notes)

    failed_again = ragbase.call("retry", notes / "broken.json")
    untouched = ragbase.call("retry", notes / "guide.md")

    assert failed_again.code == 1
    assert f"{notes}/broken.json: CORRUPT_FILE: " in failed_again.err
    assert (untouched.code, untouched.out) == (0, f"{notes}/guide.md: already COMPLETED, 1 chunk\n")


def test_retry_of_what_the_router_refused(ragbase: CommandLine, notes: Path) -> None:
    (notes / "photo.raw").write_bytes(b"\x00\x01\x02\x03" * 100)
    assert ragbase.call("ingest", notes / "photo.raw").code == 1

    ended = ragbase.call("retry", notes / "photo.raw")

    assert ended.code == 1
    assert "UNSUPPORTED_FORMAT" in ended.err


def test_ctrl_c_loses_nothing(ragbase: CommandLine, tmp_path: Path) -> None:
    """Nobody reads the child's output, so it stops when the pipe is full: the interruption comes while it works."""
    count, folder = 60, tmp_path / "many"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:03}-{'x' * 200}.md").write_text(f"# Note {number}\n\nThis is the text of note {number}.\n")
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    child = ragbase.start("ingest", folder, stdout=writing)
    os.close(writing)
    assert os.read(reading, 8) == b"indexed:"

    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=TIMEOUT)
    os.close(reading)

    assert child.returncode == 130
    assert errors.decode().strip() == "Interrupted. Nothing is lost: run the same command again to go on."
    again = ragbase.call("ingest", folder, "--json")
    assert again.code == 0
    assert (again.json["documents"], again.json["chunks"]) == (count, count)
    assert again.json["unchanged"] > 0, "it goes on where it stopped"
    assert ragbase.call("list", "--json").json["total"] == count


def test_two_processes_at_once_on_one_data_folder(ragbase: CommandLine, tmp_path: Path) -> None:
    count, folder = 60, tmp_path / "many"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThis is the text of note {number}.\n")

    children = [ragbase.start("ingest", folder, "--json") for _ in range(2)]
    outputs = [child.communicate(timeout=TIMEOUT) for child in children]

    assert [child.returncode for child in children] == [0, 0], outputs
    for out, _ in outputs:
        summary = json.loads(out)
        assert (summary["documents"], summary["chunks"], summary["failed"]) == (count, count, [])
    listed = ragbase.call("list", "--json", "--limit", "100").json
    assert listed["total"] == count
    assert {(document["status"], document["chunkCount"]) for document in listed["documents"]} == {("COMPLETED", 1)}
    results = ragbase.call("query", "text of note 17", "--json", "--threshold", "0", "--top-k", "100").json["results"]
    contents = [result["content"] for result in results]
    assert len(contents) == len(set(contents))
    assert all(len(result["sources"]) == 1 for result in results), "no chunk is doubled"


def test_a_reader_that_goes_away_is_no_crash(ragbase: CommandLine, notes: Path) -> None:
    ragbase.call("ingest", notes)
    reading, writing = os.pipe()
    os.close(reading)

    child = ragbase.start("list", stdout=writing)
    os.close(writing)
    _, errors = child.communicate(timeout=TIMEOUT)

    assert (child.returncode, errors) == (141, b"")


def test_a_progress_bar_on_a_terminal(ragbase: CommandLine, notes: Path) -> None:
    (notes / "\x1b]0;owned\x07.json").write_text('{"a": ')
    terminal, screen = pty.openpty()

    child = ragbase.start("ingest", notes, stdout=subprocess.PIPE, stderr=screen)
    os.close(screen)
    out, _ = child.communicate(timeout=TIMEOUT)
    shown = read_all(terminal)

    assert out == b"2 documents, 2 chunks; 0 unchanged, 1 failed\n"
    assert "1 failed" in shown
    assert r"\x1b]0;owned\x07.json: CORRUPT_FILE: " in " ".join(shown.split())
    assert "\x1b]0;" not in shown, "a name never reaches the terminal as a command"


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_serve_watches_the_bucket_and_answers(end: signal.Signals, ragbase: CommandLine) -> None:
    child = ragbase.start("serve", "--port", "0", "--json")
    try:
        assert child.stdout is not None
        serving = json.loads(child.stdout.readline())
        dropped = Path(serving["bucket"]) / "guides" / "backup.md"
        dropped.parent.mkdir()
        dropped.write_text(GUIDE)
        (result,) = _answers(serving["url"], wanted=1)
        assert result["filename"] == "guides/backup.md"
        dropped.unlink()
        _answers(serving["url"], wanted=0)
        child.send_signal(end)
        _, errors = child.communicate(timeout=TIMEOUT)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 0
    assert errors.decode() == "Stopped. Unfinished work goes on at the next start.\n"


def test_serve_opens_the_console_in_a_browser(ragbase: CommandLine, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "opened $1" >&2\n')
    browser.chmod(0o755)
    environment = {**ragbase.environment(), "BROWSER": str(browser)}
    child = ragbase.start("serve", "--port", "0", "--json", "--open", env=environment)
    try:
        assert child.stdout is not None and child.stderr is not None
        origin = json.loads(child.stdout.readline())["url"].removesuffix("/api/query")
        assert child.stderr.readline().decode() == f"opened {origin}\n"
        with urllib.request.urlopen(origin) as page:
            assert b"console" in page.read()
    finally:
        child.kill()
        child.communicate()


def test_serve_answers_in_spite_of_silent_connections(ragbase: CommandLine) -> None:
    child = ragbase.start("serve", "--port", "0", "--json")
    try:
        assert child.stdout is not None
        url = json.loads(child.stdout.readline())["url"]
        with ExitStack() as connections:
            for _ in range(120):
                connections.enter_context(_connect(url))
            assert _answers(url, wanted=0) == []
    finally:
        child.kill()
        child.communicate()


def test_a_request_in_flight_is_answered_before_serve_ends(ragbase: CommandLine) -> None:
    body = b'{"query": "When does it start?"}'
    head = (
        f"POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    )
    child = ragbase.start("serve", "--port", "0", "--json")
    try:
        assert child.stdout is not None
        with _connect(json.loads(child.stdout.readline())["url"]) as connection:
            connection.sendall(f"{head}\r\nExpect: 100-continue\r\n\r\n".encode())
            assert connection.recv(100).startswith(b"HTTP/1.1 100 "), "the server has the first half"
            child.send_signal(signal.SIGTERM)
            connection.sendall(body)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        child.communicate(timeout=TIMEOUT)
    finally:
        child.kill()
        child.communicate()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert child.returncode == 0


def _connect(url: str) -> socket.socket:
    address = urlsplit(url)
    return socket.create_connection((address.hostname, address.port), timeout=TIMEOUT)


def test_serve_says_when_its_port_is_taken(ragbase: CommandLine, tmp_path: Path) -> None:
    child = ragbase.start("serve", "--port", "0", "--json")
    try:
        assert child.stdout is not None
        port = json.loads(child.stdout.readline())["url"].split(":")[2].partition("/")[0]
        second = CommandLine(tmp_path / "other").call("serve", "--port", port)
    finally:
        child.kill()
        child.communicate()
    assert second.code == 1
    assert f"Cannot listen on 127.0.0.1:{port}: " in second.err
    assert "--port" in second.err


def _answers(url: str, *, wanted: int) -> list[dict[str, Any]]:
    """Ask until there are as many results as wanted."""
    body = json.dumps({"query": "When does the nightly backup start?"}).encode()
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            results: list[dict[str, Any]] = json.load(response)["results"]
        if len(results) == wanted:
            return results
        time.sleep(0.05)
    raise AssertionError(f"there never were {wanted} results")
