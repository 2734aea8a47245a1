"""Whatever is ingested: each bad input is named with its rule and remedy, and harms no other."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine, Ended, obey_permissions

pytestmark = pytest.mark.slow

GOOD = {
    "good.md": b"# Harbour\n\nThe ferry leaves the harbour at seven in the morning.\n",
    "latin-1.txt": "Le café près de la forêt ferme à dix-huit heures, été comme hiver.\n".encode("latin-1"),
    "utf-16.txt": "Der Bäcker öffnet täglich um sechs Uhr früh, außer am Montag.\n".encode("utf-16"),
    "two words.md": b"The lighthouse keeper counts sheep on Thursdays.\n",
    "\N{PARTY POPPER}.md": b"Balloons are filled with helium before the celebration.\n",
    "two\nlines.md": b"The newline in this name belongs to the cartographer.\n",
}
QUESTIONS = {
    "good.md": "ferry leaves the harbour",
    "latin-1.txt": "café près de la forêt",
    "utf-16.txt": "Bäcker öffnet früh",
    "two words.md": "lighthouse keeper counts sheep",
    "\N{PARTY POPPER}.md": "balloons filled with helium",
    "two\nlines.md": "newline in this name of the cartographer",
}
BAD = {
    "missing.md": ("there is no such file or folder", "Check the path"),
    "empty.md": ("the file is empty", "Write some text to it"),
    "binary.md": ("UNSUPPORTED_FORMAT", "binary"),
    "huge.md": ("51.0 MB is over the limit of 50 MB", "Split the file"),
    "unreadable.md": ("the file cannot be read: Permission denied", "Check its permissions"),
    "loop.md": ("the file cannot be read", "It is a link that leads to itself. Correct or remove it"),
    "no documents": ("all files of this folder are left out", "Name another one"),
    "*.nothing": ("match this pattern", "Check the pattern"),
    "broken.json": ("CORRUPT_FILE", "JSON"),
    "program.exe": ("UNSUPPORTED_FORMAT", "Supported are"),
    "not-utf-8-\udcff.md": ("is not valid UTF-8", "Rename the file"),
}
"""By name: what the message has to say, in addition to the file."""


@dataclass(frozen=True, slots=True)
class Batch:
    ragbase: CommandLine
    folder: Path
    ended: Ended


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """One ingest of everything, the bad and the good mixed."""
    folder = tmp_path_factory.mktemp("batch")
    for name, content in GOOD.items():
        (folder / name).write_bytes(content)
    (folder / "empty.md").touch()
    (folder / "binary.md").write_bytes(bytes(range(256)) * 20)
    with (folder / "huge.md").open("wb") as file:
        file.truncate(51 * 1024 * 1024)
    (folder / "unreadable.md").write_text("Nobody may read this.\n")
    (folder / "unreadable.md").chmod(0)
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "no documents").mkdir()
    (folder / "no documents" / "photo.heic").write_bytes(b"\0")
    (folder / "broken.json").write_text('{"answer": 42')
    (folder / "program.exe").write_bytes(b"MZ\x90\x00" + bytes(100))
    Path(os.fsdecode(os.fsencode(folder) + b"/not-utf-8-\xff.md")).write_text("The name of this file is broken.\n")
    ragbase = CommandLine(tmp_path_factory.mktemp("data") / "home")
    names = sorted([*BAD, *GOOD])
    ended = ragbase.run("ingest", *(folder / name for name in names), before=obey_permissions)
    return Batch(ragbase, folder, ended)


def test_the_batch_ends_with_1_and_no_traceback(batch: Batch) -> None:
    assert batch.ended.code == 1
    assert "Traceback" not in batch.ended.err
    counts = f"{len(GOOD)} documents, {len(GOOD)} chunks; 0 unchanged, {len(BAD)} failed, 1 left out"
    assert batch.ended.out.splitlines()[-1] == counts
    assert "left out: 1 picture (.heic)." in batch.ended.out


@pytest.mark.parametrize("name", BAD)
def test_a_bad_input_is_named_with_its_rule_and_remedy(name: str, batch: Batch) -> None:
    shown = f"/{name}".replace("\udcff", r"\udcff")
    (message,) = [line for line in batch.ended.err.splitlines() if line.startswith("failed: ") and shown in line]

    assert all(part in message for part in BAD[name]), message


def test_one_message_a_bad_input_and_nothing_else(batch: Batch) -> None:
    assert len(batch.ended.err.splitlines()) == len(BAD)


@pytest.mark.parametrize("name", GOOD)
def test_the_rest_of_the_batch_is_found(name: str, batch: Batch) -> None:
    found = batch.ragbase.call("query", QUESTIONS[name], "--top-k", "1", "--threshold", "0", "--json")

    (result,) = found.json["results"]
    assert result["filename"] == str(batch.folder / name)
    assert QUESTIONS[name].split()[0] in result["content"].lower() or name in ("latin-1.txt", "utf-16.txt")
    if name in ("latin-1.txt", "utf-16.txt"):
        encoding = name.removesuffix(".txt")
        assert result["content"] == GOOD[name].decode(encoding).strip()


def test_names_are_shown_so_that_they_stay_on_their_line(batch: Batch) -> None:
    table = batch.ragbase.call("list").out

    assert r"two\nlines.md" in table
    assert "\N{PARTY POPPER}.md" in table


def test_a_second_run_fails_for_the_same_reasons_and_does_nothing_twice(batch: Batch) -> None:
    paths = [batch.folder / name for name in sorted([*BAD, *GOOD]) if name != "unreadable.md"]

    again = batch.ragbase.call("ingest", *paths, "--json")

    assert again.code == 1
    assert again.json["unchanged"] == len(GOOD)
    assert len(again.json["failed"]) == len(BAD) - 1


def test_links_to_themselves_in_a_folder_are_refused_alone(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_bytes(GOOD["good.md"])
    (folder / "again").symlink_to(".")
    (folder / "loop.md").symlink_to("loop.md")

    ended = CommandLine(tmp_path / "home").call("ingest", folder)

    assert ended.code == 1
    assert ended.out.splitlines()[-1] == "1 document, 1 chunk; 0 unchanged, 1 failed, 1 left out"
    assert "left out: 1 link to a folder." in ended.out
    (message,) = ended.err.splitlines()
    assert message.startswith(f"failed: {folder}/loop.md: the file cannot be read: ")


def test_a_pattern_for_folders_that_are_too_deep_is_refused_alone(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_bytes(GOOD["good.md"])
    deep = tmp_path / "notes"
    deep.mkdir()
    for _ in range(sys.getrecursionlimit() + 100):
        deep /= "d"
        deep.mkdir()

    ended = CommandLine(tmp_path / "home").run("ingest", f"{tmp_path}/notes/**/*.md", tmp_path / "good.md")
    os.removedirs(deep)  # pytest could not do it

    assert ended.code == 1
    assert ended.out.splitlines()[-1] == "1 document, 1 chunk; 0 unchanged, 1 failed"
    (message,) = ended.err.splitlines()
    assert message.startswith(f"failed: {tmp_path}/notes/**/*.md: some folders are too deep for a pattern.")
