"""A command that starts at once (tests/warm) is what a command in an interpreter of its own is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ragbase.interfaces.cli.command_table import COMMANDS
from scripts.local_cloud.user import eventually
from tests.e2e.command_line import TIMEOUT, CommandLine, obey_permissions
from tests.e2e.put_back import state

pytestmark = pytest.mark.slow

BOTH = pytest.mark.parametrize(
    "is_fresh", [pytest.param(False, id="warm"), pytest.param(True, id="fresh", marks=pytest.mark.prove)]
)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_starts_in_an_interpreter_of_its_own(command: str, ragbase: CommandLine) -> None:
    ended = CommandLine(ragbase.home, is_fresh=True).run(command, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.split() == ragbase.call(command, "--help").out.split(), "lines may end elsewhere"


@BOTH
def test_a_command_has_what_its_caller_gives_it(is_fresh: bool, tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home", is_fresh=is_fresh)
    (tmp_path / "ferry.md").write_text("The ferry leaves at seven.\n", encoding="utf-8")

    def in_folder() -> None:
        os.chdir(tmp_path)
        os.umask(0o077)

    assert ragbase.run("ingest", "ferry.md", before=in_folder).out.startswith("indexed: ferry.md (1 chunk)")
    environment = {**ragbase.environment(), "RAGBASE_SIMILARITY_THRESHOLD": "0.25"}
    with ragbase.start("config", "--json", env=environment) as child:
        told, _ = child.communicate(timeout=TIMEOUT)
    settings = {one["name"]: one["value"] for one in json.loads(told)["settings"]}
    assert (settings["home"], settings["similarity_threshold"]) == (str(tmp_path / "home"), 0.25)
    with ragbase.start("password", "--json", stdin=subprocess.PIPE) as child:
        told, errors = child.communicate(b"correct horse battery\n", timeout=TIMEOUT)
    assert (child.returncode, errors) == (0, b"") and json.loads(told)["passwordHash"].startswith("scrypt.")
    unknown = ragbase.run("nothing")
    assert (unknown.code, unknown.out) == (2, "") and "No such command" in unknown.err


@BOTH
def test_rights_that_its_caller_gives_up_are_gone(is_fresh: bool, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o555)
    ended = CommandLine(tmp_path / "home", is_fresh=is_fresh).run("list", before=obey_permissions)
    assert ended.code == 1 and "cannot be written" in ended.err


@contextmanager
def serving(ragbase: CommandLine) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    with ragbase.start("serve", "--port", "0", "--json") as child:
        try:
            assert child.stdout is not None
            yield child, Path(json.loads(child.stdout.readline())["bucket"])
        finally:
            child.kill()


@BOTH
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_it(number: signal.Signals, is_fresh: bool, tmp_path: Path) -> None:
    with serving(CommandLine(tmp_path / "home", is_fresh=is_fresh)) as (child, _):
        child.send_signal(number)
        _, errors = child.communicate(timeout=TIMEOUT)
    assert (child.returncode, errors) == (0, b"Stopped. Unfinished work goes on at the next start.\n")


@BOTH
def test_it_is_killed_with_the_process_that_stands_for_it(is_fresh: bool, tmp_path: Path) -> None:
    with serving(CommandLine(tmp_path / "home", is_fresh=is_fresh)) as (child, _):
        child.kill()
        assert child.wait(TIMEOUT) == -signal.SIGKILL
        eventually(lambda: not in_use(tmp_path / "home" / "ragbase.db"))


def in_use(file: Path) -> bool:
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if link.readlink() == file:
                return True
    return False


IN_PROCESS = (
    ("ingest", "{folder}"),
    ("list",),
    ("query", "When does the ferry leave?"),
    ("ask", "When does the ferry leave?"),
    ("explain", "ferry", "--document", "{folder}/ferry.md"),
    ("sync", "{folder}", "--prefix", "other"),
    ("keys", "create", "robot"),
    ("audit", "verify"),
    ("doctor",),
    ("reindex",),
    ("reconcile", "--repair"),
    ("delete", "{folder}/ferry.md"),
    ("status", "nothing"),
    ("serve", "--host", "0.0.0.0", "--port", "99999"),
    ("nothing",),
)


def test_a_command_inside_this_process_leaves_it_as_it_was(tmp_path: Path) -> None:
    """Those that run once more give the same, and nothing of the data folder stays open."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ferry.md").write_text("The ferry leaves at seven.\n", encoding="utf-8")
    told = []
    for number in range(2):
        ragbase = CommandLine(tmp_path / f"home-{number}")
        for command in IN_PROCESS:
            before, threads = state(), {*threading.enumerate()}
            ended = ragbase.call(*(word.format(folder=folder) for word in command))
            assert state() == before, command
            assert {thread for thread in threading.enumerate() if not thread.daemon} <= threads, command
            told.append((number, command, ended.code))
        assert not in_use(ragbase.home / "ragbase.db")
    assert [(command, code) for number, command, code in told if number] == [
        (command, code) for number, command, code in told if not number
    ]


def test_commands_share_nothing(tmp_path: Path) -> None:
    """A child ends with all that it has set, read or opened."""
    for number in range(3):
        ragbase = CommandLine(tmp_path / str(number))
        assert ragbase.run("list").out == "No documents yet. Add some with: ragbase ingest PATH\n"
        (tmp_path / f"{number}.md").write_text(f"The ferry {number} leaves at seven.\n", encoding="utf-8")
        assert ragbase.run("ingest", tmp_path / f"{number}.md").code == 0
        assert ragbase.run("list", "--json").json["total"] == 1
