"""Documents that were made with another reader or other settings are told of, and a reindex ends that."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.engine.older_documents import oldest_documents
from ragbase.text import terms
from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

OLD = Path(__file__).parents[1] / "data" / "data_folder"
"""As the first version has left it."""
SMALL = "chunk_size = 300\nchunk_overlap = 0\n"
FRONT_MATTER = "---\nauthor: Ada\ntags: [backup]\n---\n\n# Rules\n\nThe nightly backup takes ten minutes.\n"


def settings(ragbase: CommandLine, text: str) -> None:
    (ragbase.home / "ragbase.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A long file, which other settings cut in another way, and a short one."""
    folder = tmp_path / "notes"
    folder.mkdir()
    lines = (f"Rope {number} holds the sail while the wind is from the north." for number in range(30))
    (folder / "boats.md").write_text("# Boats\n\n" + "\n\n".join(lines), encoding="utf-8")
    (folder / "rules.md").write_text(FRONT_MATTER, encoding="utf-8")
    return folder


def test_an_ingest_says_what_it_has_read_again_and_why_and_how_many_texts_that_has_embedded(
    ragbase: CommandLine, notes: Path
) -> None:
    """The short file has the same text in its chunk as before, so that nothing is embedded. A new file is embedded, and
    not read again."""
    first = ragbase.call("ingest", notes)
    assert "read again" not in first.out and "embedded" not in first.out
    settings(ragbase, SMALL)
    (notes / "new.md").write_text("The harbour of Oulu is nine metres deep.", encoding="utf-8")

    one = ragbase.call("ingest", notes / "rules.md", "--json").json
    assert (one["readAgain"], one["embeddedTexts"]) == ([{"documents": 1, "because": ["chunking"]}], 0)
    again = ragbase.call("ingest", notes, "--json").json

    assert (again["documents"], again["unchanged"]) == (3, 1)
    assert again["readAgain"] == [{"documents": 1, "because": ["chunking"]}]
    assert again["embeddedTexts"] == again["chunks"] - 1 > 2
    third = ragbase.call("ingest", notes, "--json").json
    assert third == {"documents": 3, "chunks": again["chunks"], "unchanged": 3, "failed": []}


def test_a_person_reads_the_same_numbers(ragbase: CommandLine, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The terms of an older version differ, and the embeddings do not. What has changed meanwhile is embedded."""
    with monkeypatch.context() as older:
        older.setattr(terms, "VERSION", "terms-v0")
        ragbase.call("ingest", notes)
    (notes / "rules.md").write_text("The nightly backup takes nine minutes.", encoding="utf-8")

    *_, again, summary = ragbase.call("ingest", notes).out.splitlines()

    assert again == "read again: 1 document with the same bytes, because of other search terms"
    assert summary.startswith("2 documents, ")
    assert summary.endswith("; 0 unchanged, 0 failed, 1 text embedded")


def test_a_deleted_file_that_comes_back_counts_what_it_costs_now(ragbase: CommandLine, notes: Path) -> None:
    ragbase.call("ingest", notes)
    ragbase.call("delete", notes / "rules.md")
    settings(ragbase, SMALL)

    again = ragbase.call("ingest", notes, "--json").json

    assert again["readAgain"] == [{"documents": 1, "because": ["chunking"]}]
    assert again["embeddedTexts"] == again["chunks"]


@pytest.fixture
def older(ragbase: CommandLine, notes: Path) -> CommandLine:
    """A data folder whose two documents were cut with other settings, and a third, with those in force."""
    ragbase.home.mkdir()
    settings(ragbase, SMALL)
    ragbase.call("ingest", notes)
    settings(ragbase, "")
    (notes / "new.md").write_text("The harbour of Oulu is nine metres deep.", encoding="utf-8")
    ragbase.call("ingest", notes / "new.md")
    return ragbase


TOLD = "2 of 3 documents were read by an older version of ragbase or with other settings"
REMEDY = "ragbase reindex"


def test_doctor_has_a_row_for_older_documents_until_a_reindex(older: CommandLine) -> None:
    def row() -> list[dict[str, object]]:
        ended = older.call("doctor", "--json")
        assert ended.code == 0
        return [check for check in ended.json["checks"] if check["name"] == "older documents"]

    (check,) = row()
    assert (check["ok"], check["needed"], check["found"]) == (False, False, TOLD)
    assert REMEDY in str(check["remedy"])
    older.call("reindex")
    assert row() == []


def test_list_says_on_standard_error_that_documents_are_older(older: CommandLine) -> None:
    for options in ((), ("--verbose",), ("--limit", "1")):
        told = older.call("list", *options)
        assert told.err == f"{TOLD}. Read them again with: {REMEDY}\n"
        assert TOLD not in told.out
    assert older.call("list", "--json").err == ""
    older.call("reindex")
    assert older.call("list").err == "" == older.call("list", "--verbose").err


@pytest.mark.parametrize("command", ["query", "ask"])
def test_a_filter_that_finds_nothing_names_older_documents(older: CommandLine, command: str) -> None:
    question = (command, "Who wrote the rules?")
    told = older.call(*question, "--where", "author=Grace")
    assert f"{TOLD}. Read them again with: {REMEDY}\n" in told.err
    assert TOLD not in older.call(*question, "--threshold", "1").err, "without a filter, nothing can be missing"
    assert TOLD not in older.call(*question, "--where", "author=Grace", "--json").err
    assert TOLD not in older.call(*question, "--where", "author=Ada", "--threshold", "0").err, "something was found"
    older.call("reindex")
    assert "older version" not in older.call(*question, "--where", "author=Grace").err


def test_an_embedder_that_cannot_be_used_stops_neither_list_nor_doctor(older: CommandLine) -> None:
    other = CommandLine(older.home, embedder="cohere")
    assert TOLD in other.call("list").err
    assert "older documents" not in other.call("doctor").out, "the row of the embedder says why"


def test_settings_that_cut_no_text_do_not_stop_a_list(older: CommandLine) -> None:
    settings(older, "chunk_size = 100\nchunk_overlap = 90\n")
    listed = older.call("list")
    assert (listed.code, listed.err) == (0, "")
    assert "3 documents" in listed.out


def test_doctor_tells_of_other_search_terms_too(
    ragbase: CommandLine, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(terms, "VERSION", "terms-v0")
        ragbase.call("ingest", notes)
    assert "2 of 2 documents were read by an older version" in " ".join(ragbase.call("doctor").out.split())


def test_a_list_of_documents_needs_no_numbers_and_no_stemmer(older: CommandLine) -> None:
    program = (
        "import sys; from ragbase.interfaces.cli.application import application\n"
        "application(['list'], standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=older.environment(), capture_output=True, check=True, text=True
    )
    assert TOLD in done.stderr
    assert {"numpy", "Stemmer"}.isdisjoint(done.stderr.split())


def test_documents_of_the_first_version_are_older(ragbase: CommandLine) -> None:
    """Of its five, one has FAILED."""
    shutil.copytree(OLD / "bucket", ragbase.home / "bucket")
    with closing(sqlite3.connect(ragbase.home / "ragbase.db")) as database:
        database.executescript((OLD / "ragbase.sql").read_text(encoding="utf-8"))
    assert "4 of 5 documents were read by an older version" in ragbase.call("list").err
    ragbase.call("reindex", "--discard")
    assert ragbase.call("list").err == ""


@pytest.mark.parametrize(
    ("most", "told"),
    [
        (3, TOLD),
        (2, "2 of the 2 oldest documents were read"),
        (1, "1 of the 1 oldest documents was read"),
    ],
)
def test_a_quick_look_is_at_the_oldest_documents_and_says_so(older: CommandLine, most: int, told: str) -> None:
    config = load_config(environment={}, home=older.home, embedder="hashing")
    with closing(open_profile(config)) as profile:
        assert told in str(oldest_documents(profile, most=most))
