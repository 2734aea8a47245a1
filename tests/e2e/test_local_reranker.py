"""`reranker = local`: a cross-encoder in a folder orders what a question finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine
from tests.small_cross_encoder import small_cross_encoder

pytestmark = pytest.mark.slow

QUESTION = "ships of the harbour"
TEXTS = {
    "often.md": "Ships, and ships again: boats that sail, float, dive and come back.",
    "right.md": "All old boats and ships of the harbour are green, says the keeper of the wall.",
}


@pytest.fixture
def ragbase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    ragbase = CommandLine(tmp_path / "home")
    assert ragbase.call("ingest", *(tmp_path / name for name in TEXTS)).code == 0
    monkeypatch.setenv("RAGBASE_RERANKER", "local")
    monkeypatch.setenv("RAGBASE_RERANK_TIMEOUT", "30")
    return ragbase


def folder_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **options: int) -> Path:
    folder = small_cross_encoder(tmp_path / "small", [QUESTION, *TEXTS.values()], **options)  # type: ignore[arg-type]
    monkeypatch.setenv("RAGBASE_RERANKER_FOLDER", str(folder))
    return folder


def found(ragbase: CommandLine, *options: str) -> tuple[object, list[str]]:
    given = ragbase.call("query", QUESTION, "--json", "--threshold", "0", *options).json
    names = {text: name for name, text in TEXTS.items()}
    return given.get("reranked"), [names[result["content"].strip()] for result in given["results"]]


def test_its_order_is_shown_and_doctor_tries_it(
    ragbase: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(tmp_path, monkeypatch)
    assert found(ragbase) == (True, ["right.md", "often.md"])
    checks = {check["name"]: check for check in ragbase.call("doctor", "--json").json["checks"]}
    assert checks["reranker"]["found"].startswith("small; 30 passages of 1,000 characters in ")


def test_a_model_that_does_not_end_leaves_the_order_of_the_search(
    ragbase: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(tmp_path, monkeypatch, endless_from=15)
    monkeypatch.setenv("RAGBASE_RERANK_TIMEOUT", "0.1")
    reranked, names = found(ragbase)
    monkeypatch.setenv("RAGBASE_RERANKER", "none")
    assert (reranked, names) == (False, found(ragbase)[1])


def test_a_folder_without_a_model_stops_the_command(
    ragbase: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGBASE_RERANKER_FOLDER", str(tmp_path / "nothing"))
    ended = ragbase.call("query", QUESTION)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"Error: {tmp_path}/nothing has no cross-encoder: there is no file onnx/model.onnx.")
    checks = {check["name"]: check for check in ragbase.call("doctor", "--json").json["checks"]}
    assert not checks["reranker"]["ok"]


def test_functions_have_no_such_model(ragbase: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "project")
    monkeypatch.setenv("CO_API_KEY", "key")
    monkeypatch.setenv("RAGBASE_EMBEDDER", "cohere")
    ended = ragbase.call("--profile", "gcp", "query", QUESTION)
    assert ended.code == 1
    assert "`reranker` is local, a model on this machine, but functions" in ended.err
