"""Nobody else on the machine can read what ragbase keeps, whatever the umask and however old the data folder is."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from itsdangerous import URLSafeSerializer

from ragbase.adapters.embedded import snapshot_files
from tests.e2e.command_line import TIMEOUT, CommandLine, own_nothing_of_others

pytestmark = pytest.mark.slow

NOBODY = 65534
SECRET = "The vault opens with the number 4711.\n"
OLD_KEY = "0badcafe" * 8


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody may enter and read."""
    with tempfile.TemporaryDirectory(prefix="ragbase-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def notes(place: Path) -> Path:
    folder = place / "notes"
    folder.mkdir(mode=0o700)
    (folder / "vault.md").write_text(f"# Vault\n\n{SECRET}")
    return folder


@contextmanager
def serving(ragbase: CommandLine) -> Iterator[dict[str, Any]]:
    child = ragbase.start("serve", "--port", "0", "--json", stderr=subprocess.DEVNULL)
    try:
        assert child.stdout is not None
        yield json.loads(child.stdout.readline())
    finally:
        child.terminate()
        child.communicate(timeout=TIMEOUT)


def asked(served: dict[str, Any], path: str, body: object = None) -> Any:
    url = f"http://127.0.0.1:{urlsplit(served['url']).port}{path}"
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(
        urllib.request.Request(url, data, {"Content-Type": "application/json"}), timeout=TIMEOUT
    ) as answer:
        return json.load(answer)


def put(url: str, data: bytes) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, method="PUT"), timeout=TIMEOUT) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def open_to_others(home: Path) -> list[str]:
    """All paths of the data folder with which others may do something."""
    return [str(path) for path in (home, *home.rglob("*")) if path.lstat().st_mode & 0o077]


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_whole_life_leaves_nothing_to_others(
    umask: int, tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ragbase = CommandLine(tmp_path / "home")
    monkeypatch.setattr(snapshot_files, "LEAST_UNSAVED", 0)
    before = os.umask(umask)
    try:
        questions = tmp_path / "questions.csv"
        questions.write_text("question,expected\nHow does the vault open?,with the number\n")
        for command in (
            ("ingest", notes),
            ("query", "vault"),
            ("sync", notes, "--prefix", "synced/here"),
            ("calibrate",),
            ("keys", "renew-upload-addresses"),
            ("list",),
        ):
            assert ragbase.call(*command).code == 0, command
        assert (ragbase.home / "upload-key").exists() and any((ragbase.home / "snapshots").iterdir())
        assert open_to_others(ragbase.home) == []
        with serving(ragbase) as served:
            text = f"# Sent\n\n{SECRET * 2}"
            given = asked(served, "/api/uploads", {"path": "sent/by/address.md", "size": len(text)})
            assert put(given["url"], text.encode()) == 202
            folder = ragbase.home / "bucket" / "dropped" / "here"
            folder.mkdir(parents=True)
            (folder / "b.md").write_text(f"# Dropped by its user\n\n{SECRET * 2}")
            wait_for(served, {"sent/by/address.md", "dropped/here/b.md"})
            wait_until_private(ragbase.home)
        for last in (
            ("reindex",),
            ("eval", questions),
            ("backfill",),
            ("reconcile", "--repair"),
            ("delete", "dropped/here/b.md"),
            ("mcp",),
            ("keys", "create", "robot"),
            ("doctor",),
        ):
            ragbase.call(*last)
            assert open_to_others(ragbase.home) == [], last
    finally:
        os.umask(before)


def wait_for(served: dict[str, Any], names: set[str]) -> None:
    ends = time.monotonic() + TIMEOUT
    while time.monotonic() < ends:
        listed = asked(served, "/api/documents?limit=100")["documents"]
        if names <= {one["filename"] for one in listed if one["status"] == "COMPLETED"}:
            return
        time.sleep(0.05)
    raise AssertionError(f"{names} are not completed: {listed}")


def wait_until_private(home: Path) -> None:
    """A folder that its user has made is noticed with the next look at the bucket."""
    ends = time.monotonic() + TIMEOUT
    while (found := open_to_others(home)) and time.monotonic() < ends:
        time.sleep(0.05)
    assert found == []


def neighbour(*command: str | Path) -> str:
    """What another user of the machine is told by a program of the system."""
    done = subprocess.run(
        list(map(str, command)),
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        env={"PATH": os.defpath},
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    return done.stdout.decode(errors="replace")


def read_by_neighbour(folder: Path, text: str) -> bool:
    return bool(neighbour("grep", "-rlaF", text, folder))


def test_a_neighbour_reads_nothing_of_a_running_server(place: Path, notes: Path) -> None:
    ragbase = CommandLine(place / "home")
    assert ragbase.call("ingest", notes).code == 0
    with serving(ragbase) as served:
        asked(served, "/api/uploads", {"path": "a.md", "size": 5})
        key = (ragbase.home / "upload-key").read_text()
        assert (ragbase.home / "ragbase.db-wal").exists()
        assert open_to_others(ragbase.home) == []
        if os.geteuid() == 0:  # nobody else can become another user
            (place / "public").write_text(f"{key} {SECRET}")
            (place / "public").chmod(0o644)
            for text in (key, SECRET.strip(), "vault.md"):
                assert neighbour("grep", "-rlaF", text, place).split() in ([str(place / "public")], [])
            assert read_by_neighbour(place, key), "the neighbour does not even read what is public"
            assert neighbour("find", ragbase.home).split() == [str(ragbase.home)]


@pytest.fixture
def older(place: Path, notes: Path) -> CommandLine:
    """A data folder as ragbase made it before: open to all, with the key of upload addresses in the database."""
    ragbase = CommandLine(place / "home")
    assert ragbase.call("ingest", notes).code == 0
    with closing(sqlite3.connect(ragbase.home / "ragbase.db")) as database:
        database.execute("INSERT INTO checkpoints VALUES ('upload-key', ?)", (OLD_KEY,))
        database.execute("DROP TABLE word_boxes")  # of the eleventh format
        database.execute("DROP INDEX documents_by_change")
        database.execute("ALTER TABLE documents DROP COLUMN change")
        database.execute("PRAGMA user_version = 9")
        database.commit()
    for path in (ragbase.home, *ragbase.home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return ragbase


def test_an_older_folder_is_closed_and_what_was_forged_with_its_key_is_refused(older: CommandLine, place: Path) -> None:
    is_root = os.geteuid() == 0  # nobody else can become another user
    if is_root:
        assert read_by_neighbour(place, OLD_KEY) and read_by_neighbour(place, SECRET.strip())
    promise = {"name": "red/a.md", "size": 5, "metadata": {}, "replace": True, "until": 9e9}
    forged = URLSafeSerializer(OLD_KEY, salt="upload").dumps(promise)

    with serving(older) as served:
        assert open_to_others(older.home) == []
        assert put(f"http://127.0.0.1:{urlsplit(served['url']).port}/api/uploads/{forged}", b"# Bad") == 404
        assert asked(served, "/api/documents")["total"] == 1
    if is_root:
        assert not read_by_neighbour(place, OLD_KEY) and not read_by_neighbour(place, SECRET.strip())
    # The way back needs the database as it was. The key in it opens nothing any more, and nobody else can read it.
    with_key = [path for path in older.home.rglob("*") if path.is_file() and OLD_KEY.encode() in path.read_bytes()]
    assert with_key == [older.home / "copies" / "ragbase-format-9.db"]


def test_doctor_names_what_others_can_reach_and_the_remedy_works(older: CommandLine) -> None:
    ended = older.call("doctor")
    assert ended.code == 1 and "privacy" in ended.out
    (remedy,) = (line for line in ended.out.splitlines() if "chmod -R go=" in line)
    assert str(older.home / "ragbase.db") in remedy
    subprocess.run(remedy.partition("run: ")[2], shell=True, check=True)
    assert open_to_others(older.home) == []
    assert older.call("doctor").code == 0


def test_the_remedy_spares_what_others_have_in_the_folder(older: CommandLine) -> None:
    (older.home / "my project.py").touch(0o644)
    (remedy,) = (line for line in older.call("doctor").out.splitlines() if "chmod -R go=" in line)
    subprocess.run(remedy.partition("run: ")[2], shell=True, check=True)
    assert open_to_others(older.home) == [str(older.home), str(older.home / "my project.py")]
    assert older.call("doctor").code == 0


def test_a_folder_of_another_user_says_what_to_do(older: CommandLine) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    for path in (older.home, *older.home.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
        os.chown(path, NOBODY, NOBODY)

    ended = older.run("list", before=own_nothing_of_others)

    assert ended.code == 0 and "vault.md" in ended.out
    (warning,) = (line for line in ended.err.splitlines() if line.startswith("warning: "))
    assert f"Other users of this machine can reach {older.home} " in warning
    assert warning.endswith(f"As nobody, run: chmod -R go= {older.home}")


def test_secrets_in_a_file_of_settings_that_others_can_read_are_named(place: Path) -> None:
    ragbase = CommandLine(place / "home")
    ragbase.home.mkdir(mode=0o700)
    settings = ragbase.home / "ragbase.toml"
    settings.write_text('cohere_api_key = "co-123456"\n')
    settings.chmod(0o644)
    told = f"Run: chmod 600 {settings}"
    ended = ragbase.call("doctor")
    assert ended.code == 1 and told in ended.out and "cohere_api_key" in ended.out and "co-123456" not in ended.out
    settings.chmod(0o600)
    ended = ragbase.call("doctor")
    assert ended.code == 0 and told not in ended.out
    settings.write_text("top_k = 7\n")
    settings.chmod(0o644)
    assert ragbase.call("doctor").code == 0  # it has no secret


def test_a_server_warns_of_secrets_that_others_can_read_when_it_starts(place: Path) -> None:
    ragbase = CommandLine(place / "home")
    ragbase.home.mkdir(mode=0o700)
    (ragbase.home / "ragbase.toml").write_text('openai_api_key = "sk-123456"\n')
    (ragbase.home / "ragbase.toml").chmod(0o640)
    child = ragbase.start("serve", "--port", "0")
    try:
        assert child.stdout is not None and child.stdout.readline()
    finally:
        child.terminate()
        _, told = child.communicate(timeout=TIMEOUT)
    assert f"warning: Other users of this machine may read {ragbase.home}/ragbase.toml" in told.decode()
    assert "openai_api_key. Run: chmod 600" in told.decode() and "sk-123456" not in told.decode()


def test_a_copy_of_the_database_has_no_key_of_upload_addresses(place: Path, notes: Path) -> None:
    ragbase = CommandLine(place / "home")
    assert ragbase.call("ingest", notes).code == 0
    with serving(ragbase) as served:
        given = asked(served, "/api/uploads", {"path": "a.md", "size": 5})
        copy = place / "copy"
        copy.mkdir()
        for file in ragbase.home.glob("ragbase.db*"):
            shutil.copy(file, copy)
        key = (ragbase.home / "upload-key").read_bytes()
        assert put(given["url"], b"# One") == 202
    assert all(key not in file.read_bytes() for file in copy.iterdir())
