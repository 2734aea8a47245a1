"""`ragbase sources`: what sources.toml describes is searched as it is now, and its last run can be looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

SUBJECTS = ("backups", "invoices", "holidays", "printers", "passwords", "lunch")


@pytest.fixture
def docs(tmp_path: Path, ragbase: CommandLine) -> Path:
    """A folder with documents, which sources.toml describes."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for subject in SUBJECTS:
        text = f"# {subject}\n\nThis page tells all that there is to know about {subject}, and nothing else at all.\n"
        (folder / f"{subject}.md").write_text(text, encoding="utf-8")
    describe(ragbase, f'[notes]\naddress = "{folder}"\nprefix = "notes"\ndelete = true\n')
    return folder


def describe(ragbase: CommandLine, text: str) -> None:
    ragbase.home.mkdir(exist_ok=True)
    (ragbase.home / "sources.toml").write_text(text, encoding="utf-8")


def listed(ragbase: CommandLine) -> Any:
    (source,) = ragbase.call("sources", "list", "--json").json["sources"]
    return source


def names(ragbase: CommandLine) -> list[str]:
    return sorted(Path(document["filename"]).stem for document in ragbase.call("list", "--json").json["documents"])


def test_a_source_runs_when_it_is_due_and_says_what_it_did(ragbase: CommandLine, docs: Path) -> None:
    assert listed(ragbase)["state"] == "never ran"
    (ran,) = ragbase.call("sources", "run", "--json").json["sources"]
    assert ran == listed(ragbase)
    assert (ran["state"], ran["prefix"], ran["counts"]["added"]) == ("done", "notes/", 6)
    assert ran["startedAt"] <= ran["endedAt"] < ran["nextRunAt"]
    assert names(ragbase) == sorted(SUBJECTS)

    (docs / "lunch.md").unlink()
    assert "No source is due" in ragbase.call("sources", "run").out
    assert "notes: done: 0 added, 0 changed, 1 deleted, 5 unchanged" in ragbase.call("sources", "run", "notes").out
    assert names(ragbase) == sorted(set(SUBJECTS) - {"lunch"})
    table = ragbase.call("sources", "list").out
    assert "notes" in table and "done" in table


def test_what_fails_is_shown_until_it_is_mended(ragbase: CommandLine, docs: Path) -> None:
    ragbase.call("sources", "run")
    for subject in SUBJECTS[:3]:
        (docs / f"{subject}.md").unlink()
    refused = ragbase.call("sources", "run", "notes")
    assert refused.code == 1
    assert "3 of 6 documents have vanished" in refused.err
    assert (listed(ragbase)["state"], len(names(ragbase))) == ("failed", 6)
    assert "vanished" in listed(ragbase)["error"]

    ragbase.call("sources", "run", "notes", "--force")
    assert (listed(ragbase)["state"], len(names(ragbase))) == ("done", 3)
    assert "error" not in listed(ragbase)


def test_a_document_that_is_failed_is_an_error_of_its_source(ragbase: CommandLine, docs: Path) -> None:
    (docs / "broken.json").write_text('{"a": ', encoding="utf-8")
    (docs / "photo.psd").write_bytes(b"\x89PNG\r\n\x1a\n")
    for _ in range(2):
        ended = ragbase.call("sources", "run", "notes", "--json")
        assert (ended.code, len(ended.json["failed"])) == (1, 1)
        (ran,) = ended.json["sources"]
        assert (ran["counts"]["failed"], ran["counts"]["leftOut"]) == (1, 1)
        assert [(kind["kind"], kind["count"], kind["endings"]) for kind in ran["leftOut"]] == [
            ("pictures", 1, [".psd"])
        ]
    assert listed(ragbase) == ran
    assert f"{docs}/broken.json: CORRUPT_FILE: " in ran["error"]
    said = ragbase.call("sources", "run", "notes")
    assert "left out: 1 picture (.psd)." in said.out and "1 left out, 1 failed" in said.out
    assert "CORRUPT_FILE" in ragbase.call("sources", "list").out

    (docs / "broken.json").write_text('{"a": "This page tells all that there is to know about lighthouses."}')
    assert ragbase.call("sources", "run", "notes").code == 0
    assert (listed(ragbase)["counts"]["failed"], "error" in listed(ragbase)) == (0, False)


def test_a_mistake_in_the_file_names_its_place(ragbase: CommandLine) -> None:
    assert "No sources" in ragbase.call("sources", "list").out
    describe(ragbase, '[notes]\naddress = "ftp://example.com"\n')
    ended = ragbase.call("sources", "list")
    assert ended.code != 0
    assert f"{ragbase.home}/sources.toml: [notes]: address = 'ftp://example.com'" in ended.err
    describe(ragbase, '[notes]\naddress = "/nowhere"\n')
    assert "no such folder" in ragbase.call("sources", "run").err
    assert "there is no source [other]. The sources are: notes." in ragbase.call("sources", "run", "other").err
