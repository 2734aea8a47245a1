"""Documents that were made with another reader or other settings are told of, and a reindex ends that."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase.text import terms
from tests.e2e.command_line import CommandLine

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
