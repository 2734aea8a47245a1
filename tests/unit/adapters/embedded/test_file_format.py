"""The data folder and other versions of ragbase: what is kept, what is said, and who may go on."""

from __future__ import annotations

import multiprocessing
import os
import re
import sqlite3
import stat
import time
from collections.abc import Callable
from contextlib import closing
from io import FileIO
from pathlib import Path
from types import SimpleNamespace

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from ragbase.adapters.embedded import database as module
from ragbase.adapters.embedded.data_folder import exposed_paths, is_shared
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.file_format import FORMAT_VERSION
from ragbase.adapters.embedded.schema import SCHEMA
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError, NewerFormat
from ragbase.engine.ingest import ingest
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge
from ragbase.interfaces.mcp.server import mcp_server
from ragbase.sources.folder import LocalFile
from tests.e2e.command_line import CommandLine
from tests.unit.adapters.embedded.in_processes import open_and_close

DAY = 86_400
INSERT = "INSERT INTO messages (topic, body, reason, visible_at) VALUES ('t', ?, '', 0)"
NEWER = rf"A newer ragbase has changed the format of .* to 99, and this process knows format {FORMAT_VERSION}\. Stop it"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ragbase.db"


def make_older(path: Path) -> None:
    """A file of the first version, with a record that only it has."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA[0])
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("INSERT INTO embedding_model VALUES ('an older model')")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    path.chmod(0o600)


def change(path: Path, *statements: str) -> None:
    """What a newer ragbase does."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def copies(path: Path) -> list[Path]:
    return sorted((path.parent / "copies").iterdir())


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        found: int
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        return found


def messages(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM messages ORDER BY body")]


def test_a_copy_of_an_older_file_is_kept_and_said_once(path: Path) -> None:
    make_older(path)
    database = Database(path)
    database.close()
    (copy,) = copies(path)
    said = str(database.format_change)
    assert f"{path} had format 1, of an older ragbase, and has format {FORMAT_VERSION} now." in said
    assert said.endswith(f"is kept for 7 days, with what you delete meanwhile: {copy}")
    assert (version(path), version(copy)) == (FORMAT_VERSION, 1)
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT * FROM embedding_model").fetchall() == [("an older model",)]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert not open_and_close(path), "now it is up to date"
    assert copies(path) == [copy]


def test_the_copy_has_what_was_written_but_is_still_in_the_log(path: Path) -> None:
    make_older(path)
    with closing(sqlite3.connect(path)) as running:
        running.execute("INSERT INTO embedding_model VALUES ('of the log')")
        running.commit()
        Database(path).close()
    with closing(sqlite3.connect(copies(path)[0])) as connection:
        found = connection.execute("SELECT * FROM embedding_model").fetchall()
    assert found == [("an older model",), ("of the log",)]


def test_a_new_folder_has_no_copy(path: Path) -> None:
    assert not open_and_close(path)
    assert not (path.parent / "copies").exists()


@pytest.mark.slow
def test_of_many_processes_that_open_an_older_file_one_changes_it(path: Path) -> None:
    make_older(path)
    with multiprocessing.get_context("spawn").Pool(6) as pool:
        assert sum(pool.map(open_and_close, [path] * 6)) == 1
    assert [version(copy) for copy in copies(path)] == [1]


def test_without_room_for_the_copy_nothing_is_changed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_older(path)
    with monkeypatch.context() as full:
        disk = SimpleNamespace(f_blocks=60_000_000, f_frsize=1, f_bavail=7_500_010)
        full.setattr(os, "statvfs", lambda _: disk)
        with pytest.raises(ConfigurationError, match=r"has format 1, .* MB lack on its disk .* Nothing was changed\."):
            Database(path)
    assert version(path) == 1
    assert open_and_close(path), "and with room, it goes on"


def small_disk(free: int) -> Callable[[object], SimpleNamespace]:
    """Of 60 MB, an eighth of which is kept for deletions, so much is free beside all that `copies` can have."""
    return lambda _: SimpleNamespace(f_blocks=60_000_000, f_frsize=1, f_bavail=free + 7_500_000)


@pytest.mark.parametrize("left", ["ragbase-format-1.db.unfinished", "ragbase-format-1.db"])
def test_what_an_attempt_that_was_killed_has_left_makes_room_for_the_next(
    path: Path, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_older(path)
    (path.parent / "copies").mkdir()
    (path.parent / "copies" / left).write_bytes(b"." * path.stat().st_size)
    (path.parent / "copies" / "ragbase-format-1.db.unfinished-journal").write_bytes(b"half a journal")
    with monkeypatch.context() as full:
        full.setattr(os, "statvfs", small_disk(0))
        assert open_and_close(path)
    assert [copy.name for copy in copies(path)] == ["ragbase-format-1.db"]
    assert (version(path), version(copies(path)[0])) == (FORMAT_VERSION, 1)


def test_a_change_that_fails_leaves_no_copy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would remove it: the older ragbase, which the user goes on with, may know of no copies."""
    make_older(path)
    change(path, "CREATE TABLE part_texts (in_the_way TEXT)")
    with pytest.raises(ConfigurationError, match="table part_texts already exists"):
        Database(path)
    assert (version(path), copies(path)) == (1, [])


@pytest.mark.parametrize("has_room_for_the_copy", [False, True])
def test_a_disk_that_fills_up_meanwhile_leaves_the_older_file_alone(
    path: Path, has_room_for_the_copy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others write to the disk, too, and the change takes room beside the copy."""
    make_older(path)
    before = path.read_bytes()
    pages = len(before) // 4096 + 1 if has_room_for_the_copy else 1
    connect = sqlite3.connect

    def limited(*arguments: object, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)  # type: ignore[call-overload]  # as it is given
        connection.execute(f"PRAGMA max_page_count = {pages}")  # SQLite says of it what it says of a full disk
        return connection

    with monkeypatch.context() as full:
        full.setattr(sqlite3, "connect", limited)
        with pytest.raises(ConfigurationError, match=r"Its disk became full while .* Nothing was changed\."):
            Database(path)
    assert (path.read_bytes(), copies(path)) == (before, [])
    assert open_and_close(path), "and with room, it goes on"


@pytest.mark.parametrize("remove", [open_and_close, lambda path: Database(path).tidy(at_end=True)])
def test_a_copy_is_removed_after_its_days(path: Path, remove: Callable[[Path], object]) -> None:
    make_older(path)
    open_and_close(path)
    (copy,) = copies(path)
    of_the_user = copy.with_name("kept.db")
    of_the_user.touch()
    os.utime(of_the_user, (time.time() - 9 * DAY,) * 2)
    os.utime(copy, (time.time() - 6 * DAY,) * 2)
    remove(path)
    assert copies(path) == [of_the_user, copy]
    os.utime(copy, (time.time() - 8 * DAY,) * 2)
    remove(path)
    assert copies(path) == [of_the_user]


def test_the_copies_are_private_and_part_of_the_data_folder(path: Path) -> None:
    make_older(path)
    open_and_close(path)
    (copy,) = copies(path)
    assert not is_shared(path.parent)
    copy.chmod(0o644)
    copy.parent.chmod(0o755)
    assert {str(copy), str(copy.parent)} <= set(exposed_paths(path.parent))


def test_a_file_of_a_newer_version_is_refused(path: Path) -> None:
    Database(path).close()
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(ConfigurationError, match=r"newer ragbase \(format 99, this one knows"):
        Database(path)
    assert not (path.parent / "copies").exists()


def test_a_running_process_writes_nothing_into_a_newer_format(path: Path) -> None:
    database = Database(path)
    database.write(lambda connection: connection.execute(INSERT, ("before",)))
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(NewerFormat, match=NEWER):
        database.write(lambda connection: connection.execute(INSERT, ("after",)))
    with pytest.raises(NewerFormat, match=NEWER), database.together():
        pass
    with pytest.raises(NewerFormat, match=NEWER):
        database.reader.execute("SELECT 1")
    database.close()
    assert messages(path) == ["before"]


def test_a_running_process_that_misses_what_a_newer_format_has_moved_says_why(path: Path) -> None:
    database = Database(path)
    reader = database.reader
    change(path, "ALTER TABLE messages RENAME TO letters", "PRAGMA user_version = 99")
    with pytest.raises(NewerFormat, match=NEWER):
        reader.execute("SELECT body FROM messages")
    database.close()


def test_a_process_that_only_reads_sees_a_newer_format(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOKED_AT_FORMAT", 0.0)
    database = Database(path)
    database.reader.execute("SELECT 1")
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(NewerFormat, match=NEWER):
        database.reader  # noqa: B018 - it looks
    database.close()


def test_a_missing_table_of_the_same_format_is_not_blamed_on_a_newer_ragbase(path: Path) -> None:
    database = Database(path)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        database.reader.execute("SELECT 1 FROM never_made")
    database.close()


def test_a_server_says_that_it_has_to_be_replaced(tmp_path: Path) -> None:
    config = load_config(environment={}, home=tmp_path, embedder="hashing")
    with closing(EmbeddedProfile(config)) as profile:
        client = create_app(profile).test_client()
        assert client.get("/readyz").status_code == 200
        change(tmp_path / "ragbase.db", "ALTER TABLE documents RENAME TO papers", "PRAGMA user_version = 99")
        for answer in (client.get("/readyz"), client.get("/api/documents")):
            assert answer.status_code == 503
            assert answer.json is not None
            assert answer.json["message"] == (
                f"A newer ragbase has changed the format of ragbase.db to 99, and this process knows format "
                f"{FORMAT_VERSION}. Stop it, and start the newer ragbase. Nothing is lost."
            )
            assert "Retry-After" not in answer.headers


def test_an_assistant_is_told_that_its_process_has_to_be_replaced(tmp_path: Path) -> None:
    """It keeps the process of `ragbase mcp` for days."""
    said = (
        f"A newer ragbase has changed the format of ragbase.db to 99, and this process knows format {FORMAT_VERSION}. "
        "Stop it, and start the newer ragbase. Nothing is lost."
    )
    with closing(EmbeddedProfile(load_config(environment={}, home=tmp_path, embedder="hashing"))) as profile:
        profile.documents.count()
        change(tmp_path / "ragbase.db", "ALTER TABLE documents RENAME TO papers", "PRAGMA user_version = 99")

        async def ask() -> tuple[CallToolResult, str]:
            async with Client(mcp_server(ProfileKnowledge(profile, None))) as client:
                result = await client.call_tool("list_documents", {})
                with pytest.raises(MCPError) as refused:
                    await client.list_resources()
                return result, str(refused.value)

        result, refused = anyio.run(ask)
    assert result.is_error and [getattr(one, "text", "") for one in result.content] == [said]
    assert said in refused


class FileOfAnUpgrade(LocalFile):
    """Somebody upgrades ragbase while this file is read."""

    def open(self) -> FileIO:
        change(self.path.parent / "home" / "ragbase.db", "PRAGMA user_version = 99")
        return super().open()


def test_an_ingest_ends_with_the_reason_and_blames_no_file(tmp_path: Path) -> None:
    (tmp_path / "guide.txt").write_text("The lamp is green.\n", encoding="utf-8")
    config = load_config(environment={}, home=tmp_path / "home", embedder="hashing")
    with closing(EmbeddedProfile(config)) as profile, pytest.raises(NewerFormat, match=NEWER):
        for outcome in ingest([FileOfAnUpgrade(tmp_path / "guide.txt", "guide.txt")], profile):
            pytest.fail(f"The file is not to blame: {outcome.error}")


def test_doctor_names_an_older_format(path: Path) -> None:
    make_older(path)
    with closing(EmbeddedProfile(load_config(environment={}, home=path.parent))) as profile:
        found = profile.check_database()
    assert found == (
        f"{path} is intact, and has format 1, of an older ragbase: this one makes format {FORMAT_VERSION} of it "
        "when it works with it"
    )
    assert version(path) == 1, "this check only looks"


def test_doctor_does_not_call_a_newer_format_damaged(path: Path) -> None:
    """Nobody here knows what its columns hold."""
    Database(path).close()
    change(path, "CREATE TABLE chunks_new (vector BLOB)", "INSERT INTO chunks_new VALUES (x'0102030405060708')")
    with closing(EmbeddedProfile(load_config(environment={}, home=path.parent))) as profile:
        with pytest.raises(ConfigurationError, match="no unit vector"):
            profile.check_database()
        change(path, "PRAGMA user_version = 99")
        with pytest.raises(ConfigurationError, match="was written by a newer ragbase"):
            profile.check_database()


def test_doctor_says_that_its_other_checks_have_changed_the_format(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home")
    ragbase.home.mkdir(mode=0o700)
    make_older(ragbase.home / "ragbase.db")
    found = [one["found"] for one in ragbase.call("doctor", "--json").json["checks"]]
    (changed,) = [one for one in found if one.startswith(f"{ragbase.home / 'ragbase.db'} had format 1")]
    assert changed.endswith(str(copies(ragbase.home / "ragbase.db")[0]))
    assert "had format" not in ragbase.call("doctor", "--json").out


def test_doctor_names_the_format_of_a_running_process_where_the_file_is_a_link(path: Path, tmp_path: Path) -> None:
    """What that process has written is in the log beside the file itself."""
    (tmp_path / "other-disk").mkdir()
    make_older(tmp_path / "other-disk" / "file.db")
    path.symlink_to(tmp_path / "other-disk" / "file.db")
    with closing(EmbeddedProfile(load_config(environment={}, home=path.parent))) as profile, closing(Database(path)):
        assert profile.check_database() == f"{path} is intact, and has format {FORMAT_VERSION}"


def test_commands_say_that_the_folder_was_changed_and_refuse_a_newer_one(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home")
    file = ragbase.home / "ragbase.db"
    ragbase.home.mkdir(mode=0o700)
    make_older(file)
    listed = ragbase.call("list")
    assert (listed.code, version(file)) == (0, FORMAT_VERSION)
    assert f"{file} had format 1, of an older ragbase" in listed.err
    assert "format" not in ragbase.call("list").err
    change(file, "PRAGMA user_version = 99")
    for command in ("list", "doctor"):
        ended = ragbase.call(command)
        assert ended.code == 1
        assert f"was written by a newer ragbase (format 99, this one knows {FORMAT_VERSION})" in ended.out + ended.err
    assert version(file) == 99


def test_the_way_back_from_a_copy_is_as_the_page_says(tmp_path: Path) -> None:
    """Only its format is older here: this ragbase stands for the older one, too."""
    ragbase = CommandLine(tmp_path / "home")
    file, bucket = ragbase.home / "ragbase.db", ragbase.home / "bucket"
    bucket.mkdir(parents=True)
    (bucket / "kept.txt").write_text("The lamp of the station is green.\n", encoding="utf-8")
    (bucket / "deleted.txt").write_text("The mast of the station is orange.\n", encoding="utf-8")
    assert ragbase.call("ingest", bucket).code == 0
    assert ragbase.call("keys", "create", "robot").code == 0
    change(
        file,
        "DROP TABLE word_boxes",
        "DROP INDEX documents_by_change",
        "ALTER TABLE documents DROP COLUMN change",
        "PRAGMA user_version = 10",
    )
    assert "had format 10" in ragbase.call("list").err
    (bucket / "new.txt").write_text("The gate of the station is blue.\n", encoding="utf-8")
    assert ragbase.call("ingest", bucket / "new.txt").code == 0
    assert ragbase.call("delete", "deleted.txt", "--yes").code == 0
    (key,) = re.findall(r"^([0-9a-f]{16})", ragbase.call("keys", "list").out, re.MULTILINE)
    assert ragbase.call("keys", "revoke", key).code == 0

    copies(file)[0].replace(file)
    for suffix in ("-wal", "-shm"):
        file.with_name(f"{file.name}{suffix}").unlink(missing_ok=True)
    ragbase.call("reconcile", "--repair", "--grace", "0")

    listed = {Path(one["filename"]).name for one in ragbase.call("list", "--json").json["documents"]}
    assert listed == {"kept.txt", "new.txt"}
    assert ragbase.call("reconcile").code == 0
    assert "robot" in ragbase.call("keys", "list").out, "the page says so: keys are those of the copy"
