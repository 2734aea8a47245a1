"""The first use on a machine that has no embedding model yet, and cannot get it: one line, and no document is taken."""

from __future__ import annotations

import os
import pty
import subprocess
import termios
from pathlib import Path

import pytest

from ragbase.config import load_config
from tests.e2e.command_line import TIMEOUT, CommandLine, Ended, read_all
from tests.models import model_folder

pytestmark = pytest.mark.slow

GUIDE = "# Guide\n\nThe nightly backup starts at half past two and takes ten minutes.\n"
PREPARED = load_config().model_folder


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    """What the tests take from there, before they name other folders."""
    model_folder("minilm")


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    file = tmp_path / "guide.md"
    file.write_text(GUIDE)
    return file


@pytest.fixture
def ragbase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """On a machine that reaches neither a package index nor the model hub."""
    monkeypatch.setenv("RAGBASE_MODEL_FOLDER", str(tmp_path / "models"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    return CommandLine(tmp_path / "home", embedder="minilm")


def check(ended: Ended, *parts: str) -> None:
    """It stopped with one line that has these parts."""
    assert (ended.code, ended.out) == (1, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("Error: The embedding model")
    assert all(part in line for part in parts), line


def check_nothing_was_taken(ragbase: CommandLine, guide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ragbase.call("list", "--json").json == {"documents": [], "total": 0}
    monkeypatch.setenv("RAGBASE_MODEL_FOLDER", str(PREPARED))
    again = ragbase.run("ingest", guide, "--json")
    assert again.json == {"documents": 1, "chunks": 1, "unchanged": 0, "failed": []}


def test_a_model_that_cannot_be_downloaded(ragbase: CommandLine, guide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(ragbase.run("ingest", guide), "could not be downloaded", "Connect to the internet")
    check_nothing_was_taken(ragbase, guide, monkeypatch)


@pytest.mark.prove
def test_a_terminal_shows_a_bar(ragbase: CommandLine, guide: Path) -> None:
    terminal, screen = pty.openpty()
    termios.tcsetwinsize(screen, (40, 100))

    child = ragbase.start("ingest", guide, stdout=subprocess.DEVNULL, stderr=screen)
    os.close(screen)
    child.wait(TIMEOUT)
    shown = read_all(terminal)

    assert "Preparing the embedding model:   0%|" in shown
    assert "could not be downloaded" in shown


@pytest.mark.prove
@pytest.mark.parametrize("command", [("demo",), ("serve", "--port", "0")])
def test_the_other_commands_say_the_same(command: tuple[str, ...], ragbase: CommandLine) -> None:
    ended = ragbase.run(*command)

    check(Ended(ended.code, "", ended.err), "could not be downloaded", "Connect to the internet")


@pytest.mark.prove
def test_a_folder_for_models_that_cannot_be_one(
    ragbase: CommandLine, guide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGBASE_MODEL_FOLDER", str(guide / "models"))
    check(ragbase.run("ingest", guide), f"{guide}/models", "Not a directory", "RAGBASE_MODEL_FOLDER")
    check_nothing_was_taken(ragbase, guide, monkeypatch)


def test_a_damaged_file(ragbase: CommandLine, guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in PREPARED.glob("*/*.*"):
        copy = tmp_path / "models" / file.relative_to(PREPARED)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes()[:-100])
    check(ragbase.run("ingest", guide), f"{tmp_path}/models", "model.onnx is damaged", "Delete it")
    check_nothing_was_taken(ragbase, guide, monkeypatch)


@pytest.mark.prove
def test_a_model_that_is_gone_when_a_question_comes(
    ragbase: CommandLine, guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setenv("RAGBASE_MODEL_FOLDER", str(PREPARED))
        assert ragbase.run("ingest", guide).code == 0

    check(ragbase.run("query", "When does the backup start?"), "could not be downloaded")
    assert "COMPLETED" in ragbase.call("list").out


@pytest.mark.prove
def test_the_multilingual_model_that_cannot_be_downloaded(ragbase: CommandLine, guide: Path) -> None:
    check(
        CommandLine(ragbase.home, embedder="e5").run("ingest", guide), "the package index (", "Connect to the internet"
    )
