"""The function for scheduled sources, served for real over a data folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from tests.contract.source_worlds import s3_client
from tests.doubles.s3_server import s3_server
from tests.functions.served import Served, serve_on_folder

pytestmark = pytest.mark.slow


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    return {"RAGBASE_HOME": str(tmp_path / "home"), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_LOG_LEVEL": "INFO"}


@pytest.fixture
def profile(settings: dict[str, str]) -> Iterator[EmbeddedProfile]:
    profile = EmbeddedProfile(load_config(environment=settings))
    yield profile
    profile.close()


@pytest.fixture
def function(settings: dict[str, str], tmp_path: Path) -> Iterator[Served]:
    with serve_on_folder("sources", settings, tmp_path / "sources.log") as served:
        yield served


def call(function: Served) -> Any:
    answer = function.send("POST", "/", b"", {})
    assert answer.status == 200, answer.body
    return answer.json["sources"]


def entries(function: Served, action: str) -> list[dict[str, Any]]:
    lines = (line for line in function.log.read_text().splitlines() if line.startswith("{"))
    return [entry for entry in map(json.loads, lines) if entry.get("action") == action]


def test_a_call_syncs_what_is_due_and_one_source_that_fails_stops_no_other(
    profile: EmbeddedProfile, function: Served, tmp_path: Path
) -> None:
    file = tmp_path / "home" / "sources.toml"
    assert call(function) == []

    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "guide.md").write_text("# Backups\n\nThe nightly backup starts at half past two.\n")
    file.write_text(f'[gone]\naddress = "/nowhere"\n[notes]\naddress = "{docs}"\nprefix = "notes"\n')
    gone, notes = call(function)
    assert (gone["state"], notes["state"], notes["counts"]["added"]) == ("failed", "done", 1)
    assert [one.name for one in profile.bucket.list()] == ["notes/guide.md"]
    (failed,) = entries(function, "source.failed")
    assert (failed["source"], failed["severity"]) == ("gone", "ERROR")
    assert "no such folder" in failed["reason"]
    (done,) = entries(function, "source.done")
    assert (done["source"], done["added"], done["severity"]) == ("notes", 1, "INFO")

    assert call(function) == []


@pytest.mark.prove
def test_a_bucket_of_s3_is_synced_page_by_page(
    profile: EmbeddedProfile, settings: dict[str, str], tmp_path: Path
) -> None:
    with s3_server(page=2) as variables:
        theirs = s3_client(variables)
        theirs.create_bucket(Bucket="theirs")
        for number in range(5):
            theirs.put_object(Bucket="theirs", Key=f"docs/{number}.md", Body=f"Pump {number} is blue.".encode())
        described = 'address = "s3://theirs/docs/"\ndelete = true\nforce = true\n'
        file = tmp_path / "home" / "sources.toml"
        file.write_text(f"[pumps]\n{described}")
        with serve_on_folder("sources", settings | variables, tmp_path / "sources.log") as function:
            (first,) = call(function)
            theirs.put_object(Bucket="theirs", Key="docs/1.md", Body=b"Pump 1 is red by now.")
            theirs.delete_object(Bucket="theirs", Key="docs/3.md")
            file.write_text(f"[renamed]\n{described}")  # so it is due at once
            (second,) = call(function)

    assert (first["state"], first["counts"]["added"]) == ("done", 5)
    assert second["counts"] == first["counts"] | {"added": 0, "changed": 1, "deleted": 1, "unchanged": 3}
    assert {one.name.rpartition("/")[2] for one in profile.bucket.list()} == {"0.md", "1.md", "2.md", "4.md"}


def test_a_mistake_in_the_file_is_answered_and_logged_as_a_failure(function: Served, tmp_path: Path) -> None:
    (tmp_path / "home" / "sources.toml").write_text("[notes]\n")
    answer = function.send("POST", "/", b"", {})
    assert (answer.status, answer.json["error"]) == (500, "CONFIGURATION")
    assert "[notes]: address is missing" in answer.json["message"]
    (failed,) = entries(function, "source.failed")
    assert "[notes]: address is missing" in failed["reason"]
