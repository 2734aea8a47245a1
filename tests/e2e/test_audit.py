"""`ragbase audit`: who did what with commands, and whether the record is as it was written."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import pwd
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ragbase.adapters.embedded.audit_log import FILE
from tests.e2e.command_line import CommandLine, obey_permissions

ME = f"command:{pwd.getpwuid(os.getuid()).pw_name}"
QUESTION = "When does the ferry leave?"
KILLED = """
import os, sys
from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
FolderBucket.put = lambda *_, **__: os._exit(9)
open_profile(load_config(home=sys.argv[1], embedder="hashing")).bucket.put("a.md", b"text")
"""
"""A process that is killed when it is about to write."""
APPENDING = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from ragbase.adapters.embedded.audit_log import SqliteAuditLog
from ragbase.domain.audit import Action, Deed, AuditOutcome
log = SqliteAuditLog(Path(sys.argv[1]))
for _ in range(50):
    log.append([Deed(at=datetime.now(UTC), action=Action.QUERY, outcome=AuditOutcome.DONE, caller=sys.argv[2])])
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ferry.md").write_text("# Harbour\n\nThe ferry leaves the harbour at seven in the morning.\n")
    (folder / "sheep.md").write_text("The lighthouse keeper counts sheep on Thursdays.\n")
    return folder


@pytest.fixture
def used(ragbase: CommandLine, notes: Path) -> CommandLine:
    """Two documents came, one was asked for and deleted, and a key came and went."""
    assert ragbase.call("ingest", notes).code == 0
    assert ragbase.call("query", QUESTION).code == 0
    assert ragbase.call("delete", notes / "ferry.md", "--yes").code == 0
    key = ragbase.call("keys", "create", "robot", "--json").json["id"]
    assert ragbase.call("keys", "revoke", key).code == 0
    return ragbase


def listed(ragbase: CommandLine, *options: str) -> list[dict[str, Any]]:
    ended = ragbase.call("audit", "list", "--json", *options)
    assert ended.code == 0, ended.err
    entries: list[dict[str, Any]] = ended.json["entries"]
    return entries


def told(entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(entry["action"], entry["outcome"]) for entry in entries]


@pytest.mark.slow
def test_commands_leave_entries_of_the_user_who_gave_them(used: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "somebody-else")
    assert getpass.getuser() == "somebody-else"
    assert used.call("query", QUESTION).code == 0
    entries = listed(used)
    assert {entry["caller"] for entry in entries} == {ME}
    asked, *older = entries
    assert told([asked]) == [("question.query", "done")]
    assert told(older[:4]) == [
        ("key.revoke", "done"),
        ("key.revoke", "begun"),
        ("key.create", "done"),
        ("key.create", "begun"),
    ]
    assert older[0]["details"]["key"] == older[2]["details"]["key"]
    assert told(older[4:7]) == [
        ("document.delete", "done"),
        ("document.delete", "begun"),
        ("question.query", "done"),
    ]
    assert sorted(told(older[7:])) == sorted([("document.upload", "begun"), ("document.upload", "done")] * 2)


def test_entries_are_found_by_what_they_say(used: CommandLine, notes: Path) -> None:
    all_of = listed(used)
    assert len(listed(used, "--limit", "3")) == 3
    assert told(listed(used, "--action", "document.delete")) == [
        ("document.delete", "done"),
        ("document.delete", "begun"),
    ]
    of_ferry = listed(used, "--document", str(notes / "ferry.md"))
    assert len(of_ferry) == 4
    assert listed(used, "--document", of_ferry[0]["document"]) == of_ferry
    assert told(listed(used, "--question", QUESTION)) == [("question.query", "done")]
    assert listed(used, "--question", "Another?") == []
    assert len(listed(used, "--caller", "command:")) == len(all_of)
    assert listed(used, "--caller", "key:") == []
    assert listed(used, "--since", "2000-01-01") == all_of
    assert listed(used, "--since", "2999-01-01T10:00:00") == []
    assert used.call("audit", "list", "--caller", "key:").out == "no entries\n"
    table = used.call("audit", "list").out
    assert "document.delete" in table
    assert ME in table


def test_an_outside_tool_can_check_an_export(used: CommandLine) -> None:
    """With nothing but JSON and SHA-256."""
    ended = used.call("audit", "export")
    previous = "0" * 64
    for number, line in enumerate(ended.out.splitlines(), 1):
        entry = json.loads(line)
        claimed = entry.pop("hash")
        text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        assert hashlib.sha256(text.encode()).hexdigest() == claimed
        assert (entry["previous"], entry["number"]) == (previous, number)
        previous = claimed
    assert ended.err == f"head main {number} {previous}\n"
    checked = used.call("audit", "verify", "--head", previous)
    assert (checked.code, checked.out.splitlines()) == (
        0,
        [f"{number} entries checked", f"head main {number} {previous}"],
    )


def change(ragbase: CommandLine, *statements: str) -> None:
    with closing(sqlite3.connect(ragbase.home / FILE)) as connection, connection:
        for trigger in ("no_change", "no_removal"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)


def test_a_check_names_the_first_broken_entry(used: CommandLine) -> None:
    change(used, "UPDATE entries SET text = replace(text, 'command:', 'commend:') WHERE number >= 4")
    ended = used.call("audit", "verify")
    assert ended.code == 1
    assert ended.err.startswith("broken: entry 4 of the chain main: its text was changed")
    found = used.call("audit", "verify", "--json").json
    assert (found["isSound"], [one["number"] for one in found["breaks"]]) == (False, [4])


def test_a_cut_end_is_seen_with_a_head_that_was_kept(used: CommandLine) -> None:
    head = used.call("audit", "verify", "--json").json["heads"][0]["hash"]
    change(used, "DELETE FROM entries WHERE number > 5")
    assert used.call("audit", "verify").code == 0
    ended = used.call("audit", "verify", "--head", head)
    assert ended.code == 1
    assert f"missing: no sound entry has the hash {head}" in ended.err


def test_a_damaged_entry_is_named_and_the_others_are_listed(used: CommandLine) -> None:
    before = listed(used)
    change(used, "UPDATE entries SET text = '[' WHERE number = 2")
    ended = used.call("audit", "list", "--json")
    assert len(ended.json["entries"]) == len(before) - 1
    assert "entry 2 of the chain main cannot be read" in ended.err


def test_the_questions_of_an_evaluation_are_recorded(used: CommandLine, notes: Path) -> None:
    file = notes.parent / "questions.csv"
    file.write_text(f"question,document\nWho counts sheep?,{notes / 'sheep.md'}\n")
    ended = used.call("eval", file, "--json")
    assert ended.code == 0, ended.err
    assert told(listed(used, "--question", "Who counts sheep?")) == [("question.query", "done")]


def test_the_end_of_all_upload_addresses_is_recorded(ragbase: CommandLine) -> None:
    assert ragbase.call("keys", "renew-upload-addresses").code == 0
    assert told(listed(ragbase)) == [("upload.renew-key", "done"), ("upload.renew-key", "begun")]


def test_a_source_and_not_its_scheduler_brings_files(ragbase: CommandLine, notes: Path) -> None:
    ragbase.home.mkdir()
    (ragbase.home / "sources.toml").write_text(f'[handbook]\naddress = "{notes}"\nevery_minutes = 60\n')
    ended = ragbase.call("sources", "run", "handbook")
    assert ended.code == 0, ended.err
    assert {entry["caller"] for entry in listed(ragbase)} == {"source:handbook"}
    assert ragbase.call("query", QUESTION).code == 0
    assert listed(ragbase)[0]["caller"] == ME


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_entry_that_it_began(ragbase: CommandLine) -> None:
    program = [sys.executable, "-c", KILLED, str(ragbase.home)]
    assert subprocess.run(program, env=ragbase.environment(), check=False).returncode == 9
    (entry,) = listed(ragbase)
    assert (told([entry]), entry["caller"]) == ([("document.upload", "begun")], "program")
    assert ragbase.call("audit", "verify").code == 0


@pytest.mark.slow
def test_two_processes_append_to_one_sound_chain(ragbase: CommandLine) -> None:
    ragbase.home.mkdir()

    def append(name: str) -> int:
        program = [sys.executable, "-c", APPENDING, str(ragbase.home / FILE), name]
        return subprocess.run(program, env=ragbase.environment(), check=False).returncode

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(append, ("one", "other"))) == [0, 0]
    assert ragbase.call("audit", "verify").out.startswith("100 entries checked\n")
    assert len(listed(ragbase, "--caller", "one", "--limit", "100")) == 50


@pytest.fixture
def frozen(ragbase: CommandLine, notes: Path) -> Iterator[CommandLine]:
    """Nobody has asked a question, so there is no secret for marks."""
    assert ragbase.call("ingest", notes).code == 0
    modes = {path: path.stat().st_mode for path in (ragbase.home, *ragbase.home.rglob("*"))}
    for path in modes:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield ragbase
    for path, mode in modes.items():
        path.chmod(mode)


@pytest.mark.slow
def test_a_folder_that_may_only_be_read_is_asked_without_an_entry(frozen: CommandLine) -> None:
    count = len(listed(frozen))
    assert frozen.run("query", "Who counts sheep?", before=obey_permissions).code == 0
    assert frozen.run("audit", "verify", before=obey_permissions).out.startswith(f"{count} entries checked\n")
