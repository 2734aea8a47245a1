"""Links of a folder show nothing of what is elsewhere on this machine, unless an option says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

SECRET = "The combination of the vault is 4711, and only the operator may know it.\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder that somebody else may write into, with three links to what only the operator may read."""
    secret = tmp_path / "private" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text(SECRET)
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "guide.md").write_text("# Guide\n\nThis is a guide for everybody who works with the pumps.\n")
    (folder / "notes.txt").symlink_to(secret)
    (folder / "more.txt").symlink_to("notes.txt")
    (folder / "sub").symlink_to(secret.parent)
    return folder


def shown(ragbase: CommandLine) -> str:
    return ragbase.call("query", "combination of the vault", "--threshold", "0", "--top-k", "50", "--json").out


@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_no_link_is_followed_out_of_the_folder_and_the_summary_says_so(
    command: str, ragbase: CommandLine, clone: Path
) -> None:
    ended = ragbase.call(command, clone)
    assert ended.code == 0 and "3 left out" in ended.out
    (line,) = (line for line in ended.out.splitlines() if line.startswith("left out: "))
    assert line.startswith("left out: 3 links out of the folder (more.txt, notes.txt, sub).")
    assert "--follow-links" in line
    assert "4711" not in shown(ragbase) and "pumps" in shown(ragbase)
    verbose = ragbase.call(command, clone, "--verbose")
    assert f"left out: {clone}/notes.txt: link out of the folder." in verbose.out


@pytest.mark.parametrize("command", ["ingest", "sync"])
@pytest.mark.parametrize("by", ["option", "setting"])
def test_an_option_or_a_setting_follows_links(command: str, by: str, ragbase: CommandLine, clone: Path) -> None:
    if by == "setting":
        ragbase.home.mkdir()
        (ragbase.home / "ragbase.toml").write_text("follow_links = true\n")
    ended = ragbase.call(command, clone, *(["--follow-links"] if by == "option" else []))
    assert ended.code == 0 and "left out:" not in ended.out
    assert ragbase.call("list", "--json").json["total"] == 4
    assert "4711" in shown(ragbase)


def test_what_an_earlier_sync_brought_through_a_link_is_deleted(ragbase: CommandLine, clone: Path) -> None:
    assert ragbase.call("sync", clone, "--follow-links").code == 0
    assert "4711" in shown(ragbase)
    assert ragbase.call("sync", clone, "--delete", "--force").code == 0
    assert "4711" not in shown(ragbase)


def test_a_scheduled_source_follows_no_link(ragbase: CommandLine, clone: Path) -> None:
    ragbase.home.mkdir()
    (ragbase.home / "sources.toml").write_text(f'[clone]\naddress = "{clone}"\n')
    ended = ragbase.call("sources", "run", "clone")
    assert ended.code == 0 and "3 links out of the folder" in ended.out + ragbase.call("sources", "list").out
    assert "4711" not in shown(ragbase)
