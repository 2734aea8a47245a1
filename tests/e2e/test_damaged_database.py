"""A damaged ragbase.db: `doctor` names the file and the remedy, and every command ends with one line."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ragbase.adapters.embedded.file_format import FORMAT_VERSION
from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow


def flip(file: Path) -> None:
    """Flip every bit of two pages in the middle: a smaller part of a page may be unused."""
    data = bytearray(file.read_bytes())
    middle = slice(len(data) // 2, len(data) // 2 + 8_192)
    data[middle] = bytes(byte ^ 0xFF for byte in data[middle])
    file.write_bytes(data)


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def replace(file: Path) -> None:
    file.write_text("This is no database at all, only some text.\n")


DAMAGES = [flip, truncate, replace]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    notes = tmp_path_factory.mktemp("notes")
    for number in range(100):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\n" + f"This is the text of note {number}. " * 40)
    ragbase = CommandLine(tmp_path_factory.mktemp("data") / "home")
    assert ragbase.call("ingest", notes).code == 0
    return ragbase


@pytest.fixture
def copy(filled: CommandLine, tmp_path: Path) -> CommandLine:
    shutil.copytree(filled.home, tmp_path / "home")
    return CommandLine(tmp_path / "home")


def test_doctor_finds_an_intact_database(copy: CommandLine) -> None:
    (database,) = [check for check in copy.call("doctor", "--json").json["checks"] if check["name"] == "database"]

    assert database["ok"]
    assert database["found"] == f"{copy.home}/ragbase.db is intact, and has format {FORMAT_VERSION}"


def test_doctor_expects_no_database_before_the_first_use(tmp_path: Path) -> None:
    ended = CommandLine(tmp_path / "new").call("doctor")

    assert ended.code == 0
    assert "ragbase.db (created on first use)" in ended.out
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("damage", DAMAGES)
def test_doctor_names_a_damaged_database_and_the_remedy(damage: Callable[[Path], None], copy: CommandLine) -> None:
    file = copy.home / "ragbase.db"
    damage(file)

    ended = copy.call("doctor")

    assert ended.code == 1
    (line,) = [line for line in ended.out.splitlines() if line.startswith("database: ")]
    assert f"{file} is damaged: " in line
    assert f"{copy.home}/bucket still has them" in line


def test_doctor_finds_what_sqlite_takes_for_right(copy: CommandLine) -> None:
    """SQLite checks how its pages hang together, and not what a row should hold."""
    with closing(sqlite3.connect(copy.home / "ragbase.db")) as connection, connection:
        (index,) = connection.execute("SELECT name FROM indexes").fetchone()
        connection.execute(f"UPDATE chunks_{index} SET vector = zeroblob(length(vector)) WHERE row_id = 7")
    assert f"an embedding in the table chunks_{index} is no unit vector" in copy.call("doctor").out


@pytest.mark.parametrize(
    "table",
    [
        "documents",
        "chunks_",
        *(pytest.param(name, marks=pytest.mark.prove) for name in ("messages_by_time", "documents_by_lease")),
    ],
)
@pytest.mark.parametrize("command", ["ingest {new}", "delete {known}"])
def test_a_command_that_meets_damage_names_it_and_the_remedy(
    command: str, table: str, copy: CommandLine, tmp_path: Path
) -> None:
    """And it ends: it does not wait for work that cannot be done."""
    known = copy.call("list", "--json").json["documents"][0]["id"]
    spoil(copy.home / "ragbase.db", table)
    (tmp_path / "new.md").write_text("# New\n\nThis text is here for the first time.\n")

    ended = copy.run(*command.format(new=tmp_path / "new.md", known=known).split())

    lines = ended.err.splitlines()
    assert (ended.code, bool(lines)) in ((0, False), (1, True))
    assert all(f"{copy.home}/ragbase.db is damaged: " in line and "Restore it" in line for line in lines), lines


def spoil(file: Path, table: str) -> None:
    """Flip every bit of the first page of a table or an index whose name begins so."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name LIKE ? || '%' ORDER BY name DESC", (table,)
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(file.read_bytes())
    data[(page - 1) * size : page * size] = bytes(byte ^ 0xFF for byte in data[(page - 1) * size : page * size])
    file.write_bytes(data)


def test_the_remedy_works(copy: CommandLine, filled: CommandLine) -> None:
    file = copy.home / "ragbase.db"
    flip(file)
    file.rename(file.with_name("damaged.db"))

    assert copy.call("doctor").code == 0
    assert copy.call("ingest", copy.home / "bucket", "--json").json["documents"] == 100
