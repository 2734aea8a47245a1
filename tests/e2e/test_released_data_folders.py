"""The data folder of each release works in this version: what was found in it is found, and all of its upkeep works."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ragbase.version import NUMBER
from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
RELEASES = sorted(path for path in (ROOT / "tests" / "data" / "releases").iterdir() if path.is_dir())
MOST_BYTES = 200_000


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def released(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


@pytest.fixture
def expected(released: Path) -> Any:
    return json.loads((released / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def ragbase(released: Path, tmp_path: Path) -> CommandLine:
    home = tmp_path / "home"
    shutil.copytree(released / "bucket", home / "bucket")
    with closing(sqlite3.connect(home / "ragbase.db")) as database:
        database.executescript((released / "ragbase.sql").read_text(encoding="utf-8"))
    return CommandLine(home)


def listed(ragbase: CommandLine) -> Any:
    return {
        one["filename"]: one["status"] for one in ragbase.call("list", "--limit", "100", "--json").json["documents"]
    }


def first_found(ragbase: CommandLine, question: str) -> Any:
    return ragbase.call("query", question, "--threshold", "0", "--json").json["results"][0]["filename"]


def assert_all_is_found(ragbase: CommandLine, expected: Any) -> None:
    assert listed(ragbase) == expected["documents"]
    assert {question: first_found(ragbase, question) for question in expected["questions"]} == expected["questions"]


def test_its_documents_and_keys_are_there(ragbase: CommandLine, expected: Any) -> None:
    assert_all_is_found(ragbase, expected)
    assert ragbase.call("reconcile").code == 0
    assert "team" in ragbase.call("keys", "list").out


def test_a_document_is_overwritten_and_deleted(ragbase: CommandLine) -> None:
    guide = ragbase.home / "bucket" / "guide.md"
    guide.write_text("# Weather station\n\nThe lamp of the station is green.\n", encoding="utf-8")
    assert ragbase.call("ingest", guide).code == 0
    said = ragbase.call("query", "Which colour has the lamp of the station?", "--threshold", "0").out
    assert "green" in said and "eleven months" not in said
    assert ragbase.call("delete", "guide.md", "--yes").code == 0
    assert "guide.md" not in listed(ragbase)
    assert ragbase.call("reconcile").code == 0


def test_it_is_read_again_as_this_version_does(ragbase: CommandLine, expected: Any) -> None:
    assert ragbase.call("reindex").code == 0
    assert "nothing to do" in ragbase.call("reindex").out
    assert_all_is_found(ragbase, expected)
    assert ragbase.call("reconcile").code == 0


def test_it_is_built_anew_with_other_settings(
    ragbase: CommandLine, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGBASE_CHUNK_SIZE", "100")
    monkeypatch.setenv("RAGBASE_CHUNK_OVERLAP", "10")
    done = ragbase.call("reindex")
    assert done.code == 0 and "nothing to do" not in done.out
    assert_all_is_found(ragbase, expected)
    assert ragbase.call("reconcile").code == 0


def test_what_is_lost_comes_back_from_the_bucket(ragbase: CommandLine, expected: Any) -> None:
    with closing(sqlite3.connect(ragbase.home / "ragbase.db")) as database:
        database.execute("DELETE FROM documents")
        database.commit()
    assert ragbase.call("reconcile", "--repair", "--grace", "0").code in (0, 1)
    assert_all_is_found(ragbase, expected)


def test_each_release_has_left_its_folder() -> None:
    """`./scripts/release` has written it. The release that is being made has none yet."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    made = set(re.findall(r"^## (\d\S*) – ", changelog, re.MULTILINE)) - {NUMBER}
    assert made <= {path.name for path in RELEASES}
    assert all(file.stat().st_size <= MOST_BYTES for path in RELEASES for file in path.rglob("*"))
