"""The function that syncs the scheduled sources, served for real over a data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functions.served import serve_on_folder

pytestmark = pytest.mark.slow


def test_a_call_brings_what_is_due_and_the_next_one_finds_nothing_to_do(tmp_path: Path) -> None:
    docs, file = tmp_path / "docs", tmp_path / "sources.toml"
    docs.mkdir()
    (docs / "a.md").write_text("# Backups\n\nThe nightly backup starts at half past two.\n")
    file.write_text(f'[[source]]\nname = "docs"\naddress = "{docs}"\nprefix = "docs"\n')
    settings = {"RAGBASE_HOME": str(tmp_path / "home"), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_BUCKET": "uploads"}
    settings |= {"RAGBASE_SOURCES_FILE": str(file), "RAGBASE_LOG_LEVEL": "INFO"}
    with serve_on_folder("sources", settings, tmp_path / "sources.log") as served:
        first, second = (served.send("POST", "/", b"", {}) for _ in range(2))
        assert first.status == second.status == 200, first.body
        (source,) = first.json["sources"]
        assert (source["name"], source["status"], source["added"]) == ("docs", "completed", 1)
        assert second.json["sources"] == []
        assert '"source.completed"' in served.log.read_text()


def test_a_file_with_a_mistake_is_answered_with_500_and_logged(tmp_path: Path) -> None:
    file = tmp_path / "sources.toml"
    file.write_text("[[source]]\nname = 'a'\n")
    settings = {"RAGBASE_HOME": str(tmp_path / "home"), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_BUCKET": "uploads"}
    settings |= {"RAGBASE_SOURCES_FILE": str(file), "RAGBASE_LOG_LEVEL": "INFO"}
    with serve_on_folder("sources", settings, tmp_path / "sources.log") as served:
        assert served.send("POST", "/", b"", {}).status == 500
        assert "sources.failed" in served.log.read_text() and "address" in served.log.read_text()
