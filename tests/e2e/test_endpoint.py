"""The command line on a deployment: the same commands and outputs, over HTTP."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase import Client
from ragbase.domain.errors import Unavailable
from ragbase.testing.reranker import MemoryReranker
from tests.e2e.command_line import CommandLine, Ended
from tests.unit.client.scripted_server import pieces, scripted_server
from tests.unit.client.served import Served, served

pytestmark = pytest.mark.slow

GUIDE = "# Guide\n\n## Backups\n\nThe nightly backup starts at half past two and takes ten minutes.\n"
GARDEN = "Tomatoes want a sunny bed, and water in the morning and in the evening.\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "server", similarity_threshold=0.0) as server:
        yield server


@pytest.fixture
def ragbase(tmp_path: Path, server: Served, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGBASE_ENDPOINT", server.url)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "guide.md").write_text(GUIDE)
    (notes / "garden.txt").write_text(GARDEN)
    return CommandLine(tmp_path / "home")


def test_files_become_answers_on_a_deployment(ragbase: CommandLine) -> None:
    ingested = ragbase.call("ingest", "notes")
    assert ingested.code == 0, ingested.err
    assert sorted(ingested.out.splitlines()) == [
        "2 documents, 2 chunks; 0 unchanged, 0 failed",
        "indexed: notes/garden.txt (1 chunk)",
        "indexed: notes/guide.md (1 chunk)",
    ]
    assert ragbase.call("ingest", "notes", "--json").json == {
        "documents": 2,
        "chunks": 2,
        "unchanged": 2,
        "failed": [],
    }
    found = ragbase.call("query", "When does the nightly backup start?", "--top-k", "1")
    assert "1. notes/guide.md > Guide > Backups" in found.out
    assert "The nightly backup starts at half past two" in found.out
    answered = ragbase.call("ask", "When does the nightly backup start?", "--document", "notes/guide.md")
    assert "The nightly backup starts at half past two" in answered.out
    assert "1. notes/guide.md > Guide > Backups" in answered.out
    assert not ragbase.home.exists()


CALLS = [
    ("query", "nightly backup", "--tag", "none"),
    ("query", "nightly backup", "--format", "md"),
    ("query", "nightly backup", "--document", "notes/guide.md"),
    ("query", "nightly backup", "--path", "notes"),
    ("query", "When does the backup of web-31 start?", "--threshold", "1"),
    ("ask", "When does the nightly backup start?"),
    ("ask", "When does the nightly backup start?", "--path", "notes"),
    ("ask", "When does the backup of web-31 start?", "--threshold", "1"),
    ("ask", "nightly backup", "--tag", "none"),
    ("explain", "nightly backup", "--document", "notes/guide.md"),
    ("explain", "how is the weather", "--document", "notes/guide.md", "--threshold", "0.9"),
    ("explain", "water", "--document", "notes/guide.md", "--format", "txt"),
    ("explain", "water", "--document", "notes/none.md"),
    ("list",),
    ("list", "--limit", "1"),
    ("list", "--limit", "1", "--offset", "1"),
    ("list", "--offset", "9"),
    ("list", "--status", "FAILED"),
    ("status", "notes/guide.md"),
    ("status", "notes/bad.json"),
    ("status", "notes/none.md"),
    ("text", "notes/guide.md"),
    ("text", "notes/bad.json"),
    ("retry", "notes/guide.md"),
    ("retry", "notes/bad.json"),
    ("delete", "notes/none.md"),
]


@pytest.mark.parametrize(
    "options", [pytest.param((), id="people"), pytest.param(("--json",), id="json", marks=pytest.mark.prove)]
)
def test_a_command_shows_the_same_of_a_deployment_and_of_its_data_folder(
    ragbase: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """To the letter, in the same order, on both outputs, and with the same code."""
    Path("notes/bad.json").write_text("{")
    ragbase.call("ingest", "notes")
    monkeypatch.setenv("RAGBASE_SIMILARITY_THRESHOLD", "0")
    on_the_folder = CommandLine(server.profile.config.home)
    for call in CALLS:
        monkeypatch.setenv("RAGBASE_ENDPOINT", server.url)
        remote = ragbase.call(*call, *options)
        monkeypatch.delenv("RAGBASE_ENDPOINT")
        local = on_the_folder.call(*call, *options)
        assert _without_times(remote) == _without_times(local), call
    assert "Nearest: notes/guide.md" in on_the_folder.call(*CALLS[4]).out


CONVERSATION = (
    "When does the nightly backup start?\nAnd how long does it take?\n/sources\n/new\nWhat do tomatoes want?\n"
)


@pytest.mark.parametrize(
    "options", [("--threshold", "0.2"), pytest.param(("--json",), marks=pytest.mark.prove)], ids=["people", "json"]
)
def test_a_conversation_is_the_same_with_a_deployment_and_with_its_data_folder(
    ragbase: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    ragbase.call("ingest", "notes")
    remote = ragbase.call("chat", *options, given=CONVERSATION)
    monkeypatch.delenv("RAGBASE_ENDPOINT")
    monkeypatch.setenv("RAGBASE_SIMILARITY_THRESHOLD", "0")
    local = CommandLine(server.profile.config.home).call("chat", *options, given=CONVERSATION)
    if "--json" in options:
        first, second, *failed, last = [json.loads(line) for line in remote.out.splitlines()]
        assert "searchedFor" not in first and "searchedFor" not in last and "/sources" in failed[0]["query"]
        assert "backup" in second["searchedFor"] and second["query"] == "And how long does it take?"
    else:
        assert (remote.code, remote.out.count("searched for: And how long does it take")) == (0, 1)
        assert "ten minutes. [1]" in remote.out and "Tomatoes want a sunny bed" in remote.out
    assert remote == local


@pytest.mark.parametrize(
    "options",
    [
        (),
        pytest.param(("--verbose",), marks=pytest.mark.prove),
        pytest.param(("--quiet",), marks=pytest.mark.prove),
        ("--json",),
    ],
)
def test_an_ingest_says_the_same_of_a_deployment_and_of_a_data_folder(
    ragbase: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """Lines may come in another order, as several files are sent at once. The files are new, unchanged, changed, left
    out, not there, and one fails."""
    on_a_folder = CommandLine(Path("other").absolute())
    Path("notes/bad.json").write_text("{")
    Path("notes/program.exe").write_bytes(b"MZ" + bytes(60))
    Path("notes/~$guide.md").write_text(GUIDE)
    told = []
    for guide, paths in [(GUIDE, ["notes"]), (GUIDE * 2, ["notes"]), (GUIDE, ["notes/*.md", "notes/none.md"])]:
        Path("notes/guide.md").write_text(guide)
        monkeypatch.setenv("RAGBASE_ENDPOINT", server.url)
        remote = ragbase.call("ingest", *paths, *options)
        monkeypatch.delenv("RAGBASE_ENDPOINT")
        local = on_a_folder.call("ingest", *paths, *options)
        assert local.code == remote.code == 1
        assert sorted(local.out.splitlines()) == sorted(remote.out.splitlines()), paths
        assert sorted(local.err.splitlines()) == sorted(remote.err.splitlines()), paths
        told.append(local.out)
    if not options:
        assert [out.splitlines()[-1] for out in told] == [
            "2 documents, 2 chunks; 0 unchanged, 1 failed, 2 left out",
            "2 documents, 3 chunks; 1 unchanged, 1 failed, 2 left out",
            "1 document, 1 chunk; 0 unchanged, 1 failed, 1 left out",
        ]


def _without_times(ended: Ended) -> tuple[int, str, str]:
    """A document that is tried again has another time."""
    updated = re.sub(r'updated  .*|"updatedAt":"[^"]*"', "updated", ended.out)
    return ended.code, updated, ended.err


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.csv"
    rows = [
        "question,expected",
        "When does the nightly backup start?,notes/guide.md",
        "What do tomatoes want?,a sunny BED",
        "Where is the pump?,notes/guide.md",
        "Who painted the ceiling of the chapel?,none",
    ]
    file.write_text("\n".join(rows))
    return file


@pytest.mark.parametrize(
    "options", [pytest.param((), id="people", marks=pytest.mark.prove), pytest.param(("--json",), id="json")]
)
def test_an_evaluation_says_the_same_of_a_deployment_and_of_its_data_folder(
    ragbase: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch, questions: Path, options: tuple[str, ...]
) -> None:
    """But for the time."""
    ragbase.call("ingest", "notes")
    Path("foreign.txt").write_text("Who won the match on Sunday?\nWhen does the nightly train leave?\n")
    Path("unknown.csv").write_text("question,expected\nWhere is the pump?,notes/none.md\n")
    calls: list[tuple[str | Path, ...]] = [
        (questions,),
        (questions, "--foreign", "foreign.txt"),
        (questions, "--threshold", "0.6", "--top-k", "1", "--compare", "similarity_threshold=0.9"),
        (questions, "--compare", "similarity_threshold=2"),
        (questions, "--compare", "top_k=many"),
        ("unknown.csv",),
    ]
    monkeypatch.setenv("RAGBASE_SIMILARITY_THRESHOLD", "0")
    on_the_folder = CommandLine(server.profile.config.home)
    ended = []
    for call in calls:
        monkeypatch.setenv("RAGBASE_ENDPOINT", server.url)
        remote = ragbase.call("eval", *call, *options)
        monkeypatch.delenv("RAGBASE_ENDPOINT")
        local = on_the_folder.call("eval", *call, *options)
        assert _measured(remote) == _measured(local), call
        ended.append(remote)
    assert [one.code for one in ended] == [0, 0, 0, 1, 1, 1], ended
    assert "similarity_threshold" in ended[3].err
    if options:
        assert ended[0].json["shares"] == {"threshold": 0.0, "answered": 1.0, "refused": 0.0}
        assert ended[2].json["settings"].items() >= {"top_k": 1, "similarity_threshold": 0.6}.items()
        assert {"model", "settings"} <= ended[0].json.keys()


def _measured(ended: Ended) -> tuple[int, str, str]:
    """Without what takes another time."""
    out = re.sub(r"(?m)^latency .*\n", "", ended.out)
    out = re.sub(r'"latencyMilliseconds":\{[^}]*\},|"milliseconds":[0-9.]+', "", out)
    return ended.code, out, ended.err


def test_what_a_deployment_cannot_be_asked_is_said(ragbase: CommandLine, questions: Path, server: Served) -> None:
    unknown = ragbase.call("eval", questions)
    assert (unknown.code, "line 2: there is no document 'notes/guide.md'" in unknown.err) == (1, True)
    folder = ragbase.call("eval", questions.parent, "--endpoint", server.url)
    assert (folder.code, "--endpoint" in folder.err) == (2, True)


def test_it_says_whether_a_reranker_has_put_the_results_in_order(ragbase: CommandLine, server: Served) -> None:
    ragbase.call("ingest", "notes")
    assert "reranked" not in ragbase.call("query", "water", "--json").json
    server.profile.__dict__["reranker"] = MemoryReranker()
    assert ragbase.call("query", "water", "--json").json["reranked"] is True
    assert ragbase.call("query", "water").err == ""
    server.profile.__dict__["reranker"] = MemoryReranker(Unavailable("away"))
    assert ragbase.call("query", "water", "--json").json["reranked"] is False
    assert "in the order of the search" in ragbase.call("query", "water").err
    with Client(server.url) as client:
        found = client.query("water")
    assert (len(found), found.reranked) == (2, False)


def test_an_answer_is_printed_as_it_is_written(tmp_path: Path) -> None:
    sentence = b'event: sentence\ndata: {"text":"It is %s.","supported":true,"citations":[]}\n\n'
    events = [
        b'event: evidence\ndata: {"evidence":[]}\n\n',
        sentence % b"red",
        sentence % b"old",
        b'event: done\ndata: {"text":"It is red. It is old.","answered":true}\n\n',
    ]
    lines: list[bytes] = []
    shown: list[int] = []
    with scripted_server() as script:
        script.then(pieces(events, lambda: shown.append(len(lines)), client_takes=lambda: len(lines) + 1))
        command = CommandLine(tmp_path / "home").start("ask", "what is it?", "--endpoint", script.url)
        with command:
            assert command.stdout is not None
            lines.extend(command.stdout)  # one after the other
    assert (command.returncode, lines) == (0, [b"It is red.\n", b"It is old.\n"])
    assert shown == [0, 0, 1, 2]


def test_documents_are_listed_shown_and_deleted_for_people(ragbase: CommandLine) -> None:
    assert ragbase.call("list").out == "No documents yet. Add some with: ragbase ingest PATH\n"
    ragbase.call("ingest", "notes")
    listed = ragbase.call("list").out
    assert "notes/guide.md" in listed
    assert listed.endswith("2 documents\n")
    shown = ragbase.call("status", "notes/guide.md")
    assert "status    COMPLETED" in shown.out
    assert ragbase.call("text", "notes/guide.md").out == GUIDE.rstrip() + "\n"
    assert ragbase.call("status", "notes/guide.md", "--verbose").code == 2
    deleted = ragbase.call("delete", "notes/guide.md", "notes/none.md")
    assert (deleted.code, deleted.out) == (1, "1 document deleted\n")
    assert "notes/none.md" in deleted.err
    assert ragbase.call("status", "notes/guide.md").code == 1
    assert ragbase.call("delete", "*.md", "--yes").code == 1
    assert ragbase.call("delete", "notes", "--yes").out == "1 document deleted\n"
    assert ragbase.call("list").out == "No documents yet. Add some with: ragbase ingest PATH\n"


def test_a_file_that_fails_is_named_and_can_be_tried_again(ragbase: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "notes/bad.json").write_text("{")
    ingested = ragbase.call("ingest", "notes", "--json")
    assert ingested.code == 1
    assert [failed["filename"] for failed in ingested.json["failed"]] == ["notes/bad.json"]
    assert "CORRUPT_FILE" in ingested.err
    retried = ragbase.call("retry", "notes/bad.json")
    assert (retried.code, "CORRUPT_FILE" in retried.err) == (1, True)
    assert "already COMPLETED" in ragbase.call("retry", "notes/guide.md").out


def test_a_file_whose_name_is_no_utf_8_is_named_and_the_others_are_ingested(
    ragbase: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "notes" / os.fsdecode(b"caf\xe9.md")).write_text(GARDEN)
    ingested = ragbase.call("ingest", "notes")
    assert ingested.code == 1
    assert "2 documents, 2 chunks; 0 unchanged, 1 failed" in ingested.out
    assert re.search(r"notes/caf.*is not valid UTF-8.*Rename the file", ingested.err), ingested.err


def test_a_changed_file_replaces_the_one_before(ragbase: CommandLine, tmp_path: Path) -> None:
    ragbase.call("ingest", "notes/guide.md")
    (tmp_path / "notes/guide.md").write_text(GUIDE.replace("half past two", "a quarter to five"))
    assert ragbase.call("ingest", "notes/guide.md").code == 0
    assert "a quarter to five" in ragbase.call("text", "notes/guide.md").out


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--endpoint", "http://127.0.0.1:1", "--profile", "embedded"),
        ("query", "text", "--tenant", "red"),
        ("explain", "text", "--document", "notes/guide.md", "--tenant", "red"),
        ("list", "--tenant", "red"),
        ("ingest", "notes", "--chunk-size", "512/50 tokens"),
        ("reindex", "--endpoint", "http://127.0.0.1:1"),
    ],
)
def test_what_does_not_go_together_is_refused(ragbase: CommandLine, arguments: tuple[str, ...]) -> None:
    refused = ragbase.call(*arguments)
    assert refused.code == 2
    assert "--endpoint" in refused.err


@pytest.mark.parametrize("command", ["reindex", "reconcile", "backfill"])
def test_a_command_that_works_elsewhere_says_so(ragbase: CommandLine, command: str) -> None:
    refused = ragbase.call(command)
    assert refused.code == 1
    assert "RAGBASE_ENDPOINT" in refused.err
    assert ragbase.call(command, "--profile", "embedded").code == 0


def test_a_key_is_not_sent_without_encryption(ragbase: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = ragbase.call("list", "--endpoint", "http://rag.example.com", "--key", "secret-key")
    assert refused.code == 1
    assert "https" in refused.err
    monkeypatch.setenv("RAGBASE_KEY", "secret-key")
    assert "https" in ragbase.call("list", "--endpoint", "http://rag.example.com").err
    assert "secret-key" not in refused.err
