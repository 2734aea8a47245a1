"""Arguments and streams that no command can use: each ends with a message that says so, and never with a traceback."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ragbase.domain.limits import MAX_OFFSET, MAX_QUERY_LENGTH
from tests.e2e.command_line import TIMEOUT, CommandLine

pytestmark = pytest.mark.slow

LONG = "x" * 5_000
LONG_PATH = "/x" * 2_500
NO_UTF8 = "\udcff\udcfe"
"""How Python shows the bytes FF FE of an argument."""
VISIBLE = r"\udcff\udcfe"


@pytest.fixture(scope="module")
def ragbase(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    folder = tmp_path_factory.mktemp("arguments")
    (folder / "ferry.md").write_text("The ferry leaves the harbour at seven in the morning.\n")
    ragbase = CommandLine(folder / "home")
    assert ragbase.call("ingest", folder / "ferry.md").code == 0
    return ragbase


@pytest.mark.parametrize("name", [LONG, LONG_PATH, NO_UTF8])
@pytest.mark.parametrize("command", ["status", "retry", "delete", "dead-letters show"])
def test_a_name_that_no_document_has_is_named(command: str, name: str, ragbase: CommandLine) -> None:
    ended = ragbase.call(*command.split(), name)

    assert ended.code == 1
    (message,) = ended.err.splitlines()
    assert f" {name.replace(NO_UTF8, VISIBLE)}: there is no such d" in message


@pytest.mark.parametrize("name", [LONG, LONG_PATH, NO_UTF8, f"{LONG}/*.md", f"{NO_UTF8}/*.md"])
def test_a_path_that_is_not_there_is_one_failed_file(name: str, ragbase: CommandLine) -> None:
    ended = ragbase.call("ingest", name, ragbase.home.parent / "ferry.md", "--json")

    assert ended.code == 1
    assert (ended.json["documents"], len(ended.json["failed"])) == (1, 1)
    (message,) = ended.err.splitlines()
    assert message.startswith(f"failed: {name.replace(NO_UTF8, VISIBLE)}: ")


@pytest.mark.parametrize("name", [LONG, LONG_PATH])
def test_a_data_folder_with_a_name_that_is_too_long_is_named(name: str, ragbase: CommandLine) -> None:
    for ended in (ragbase.call("--home", name, "list"), CommandLine(Path(name)).call("list")):
        assert ended.code == 1
        (message,) = ended.err.splitlines()
        assert message.startswith(f"Error: {name}/ragbase.toml cannot be read: File name too long.")
        assert "--home" in message


def test_a_data_folder_of_an_unknown_user_is_named(ragbase: CommandLine) -> None:
    ended = ragbase.call("--home", "~nobody-has-this-name/data", "list")
    assert (ended.code, len(ended.err.splitlines())) == (1, 1)
    assert ended.err.startswith("Error: ~nobody-has-this-name/data: there is no such user.")


def test_a_data_folder_whose_name_is_no_utf_8_works(tmp_path: Path, ragbase: CommandLine) -> None:
    other = CommandLine(tmp_path / NO_UTF8)
    assert other.call("ingest", ragbase.home.parent / "ferry.md").code == 0
    assert "ferry" in other.call("query", "When does the ferry leave?", "--threshold", "0").out
    assert other.call("config").code == 0
    values = {setting["name"]: setting["value"] for setting in other.call("config", "--json").json["settings"]}
    assert values["home"] == f"{tmp_path}/{VISIBLE}"


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("list", "--offset", str(MAX_OFFSET + 1)), f"is not in the range 0<=x<={MAX_OFFSET}"),
        (("list", "--offset", "9" * 30), f"is not in the range 0<=x<={MAX_OFFSET}"),
        (("list", "--offset", "-1"), f"is not in the range 0<=x<={MAX_OFFSET}"),
        (("list", "--cursor", "abc"), "it is no cursor"),
        (("query", LONG), f"it has 5,000 characters, and the limit is {MAX_QUERY_LENGTH:,}. Shorten it"),
        (("query", f"ferry {NO_UTF8}"), "it is not valid UTF-8. Correct it"),
        (("query", "ferry", "--threshold", "nan"), "nan is not a number"),
        (("backfill", NO_UTF8), "it is not valid UTF-8. Correct it"),
        (("backfill", "--rate", "nan"), "nan is not a number"),
        (("backfill", "--rate", "1e-300"), "1e-300 is not in the range x>=0.001"),
        (("reconcile", "--grace", "nan"), "nan is not a number"),
        (("reconcile", "--grace", "inf"), "inf is not in the range 0<=x<=31536000"),
        (("reconcile", "--grace", "1e300"), "1e+300 is not in the range 0<=x<=31536000"),
    ],
)
def test_a_value_that_breaks_a_rule_is_a_usage_error(
    arguments: tuple[str, ...], rule: str, ragbase: CommandLine
) -> None:
    ended = ragbase.call(*arguments)

    assert ended.code == 2
    assert rule in ended.err.splitlines()[-1]


def test_the_highest_offset_is_taken(ragbase: CommandLine) -> None:
    ended = ragbase.call("list", "--offset", str(MAX_OFFSET))
    assert (ended.code, ended.out) == (0, "There is only 1 document: use a smaller --offset.\n")


@pytest.fixture(params=["warm", pytest.param("fresh", marks=pytest.mark.prove)])
def process(ragbase: CommandLine, request: pytest.FixtureRequest) -> CommandLine:
    """For commands in processes of their own, whose interpreter starts with the streams as they are, or had started."""
    return replace(ragbase, is_fresh=request.param == "fresh")


def close(*streams: int) -> Callable[[], None]:
    def close_all() -> None:
        for stream in streams:
            os.close(stream)

    return close_all


@pytest.mark.parametrize("streams", [(1,), (2,), (0, 1, 2)])
@pytest.mark.parametrize("command", ["list", "list --json", "query ferry", "ingest ferry.md", "--help", "list --help"])
def test_a_stream_that_is_closed_from_the_start_takes_nothing(
    command: str, streams: tuple[int, ...], process: CommandLine
) -> None:
    child = process.start(*command.split(), preexec_fn=close(*streams), cwd=process.home.parent)
    out, errors = child.communicate(timeout=TIMEOUT)

    assert (child.returncode, errors) == (0, b"")
    assert bool(out) is (1 not in streams)


def test_an_error_with_a_closed_stream_still_ends_with_its_code(ragbase: CommandLine) -> None:
    child = replace(ragbase, is_fresh=True).start("status", "nowhere.md", preexec_fn=close(2))
    assert (child.communicate(timeout=TIMEOUT), child.returncode) == ((b"", b""), 1)


@pytest.mark.parametrize("command", ["list", "list --json", "query ferry", "status ferry.md", "--help", "--version"])
def test_a_reader_that_goes_away_ends_the_command_quietly(command: str, process: CommandLine) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    child = process.start(*command.split(), stdout=writing, cwd=process.home.parent)
    os.close(writing)
    _, errors = child.communicate(timeout=TIMEOUT)

    assert (child.returncode, errors) == (141, b"")


@pytest.mark.parametrize("command", ["list", "--help"])
def test_an_output_without_room_is_named(command: str, process: CommandLine) -> None:
    with Path("/dev/full").open("wb") as full:
        child = process.start(command, stdout=full, stderr=subprocess.PIPE)
        _, errors = child.communicate(timeout=TIMEOUT)

    assert child.returncode == 1
    assert errors.decode().splitlines() == ["Error: No space left on device. Free some, and run the command again."]


def test_a_current_folder_that_was_removed_is_named(tmp_path: Path, ragbase: CommandLine) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()

    def leave() -> None:
        os.chdir(gone)
        gone.rmdir()

    ended = ragbase.run("status", "ferry.md", before=leave)

    assert ended.code == 1
    assert ended.err.splitlines() == ["Error: The current folder was removed. Change to another one."]
    assert ragbase.call("list").code == 0
