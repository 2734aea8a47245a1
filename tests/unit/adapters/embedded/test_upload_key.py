"""The key of the addresses of uploads, in a file that is private."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ragbase.adapters.embedded.checkpoints import SqliteCheckpoints
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.upload_key import UploadKeyFile
from ragbase.domain.errors import Unavailable

OLD_KEY = "5ec2e7" * 10 + "beef"


def test_a_file_that_a_killed_process_left_empty_gets_a_key(tmp_path: Path) -> None:
    path = tmp_path / "upload-key"
    path.touch()
    assert UploadKeyFile(path).secret() == UploadKeyFile(path).secret() == path.read_text()


def test_a_file_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "upload-key"
    UploadKeyFile(path).secret()
    path.chmod(0o644)
    UploadKeyFile(path).secret()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(OLD_KEY)
    (tmp_path / "upload-key").symlink_to("elsewhere")
    with pytest.raises(Unavailable, match="another key is drawn"):
        UploadKeyFile(tmp_path / "upload-key").secret()


def test_the_key_of_an_older_database_is_removed_from_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "ragbase.db"
    Database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA secure_delete = off")
        connection.execute("INSERT INTO checkpoints VALUES ('upload-key', ?), ('janitor', 'kept')", (OLD_KEY,))
        connection.execute("DROP TABLE word_boxes")  # of the eleventh format
        connection.execute("DROP INDEX documents_by_change")
        connection.execute("ALTER TABLE documents DROP COLUMN change")
        connection.execute("PRAGMA user_version = 9")
        connection.commit()
    assert OLD_KEY.encode() in path.read_bytes()

    database = Database(path)
    assert SqliteCheckpoints(database).load("upload-key") is None
    assert SqliteCheckpoints(database).load("janitor") == "kept"
    database.close()

    assert not any(OLD_KEY.encode() in file.read_bytes() for file in tmp_path.glob("ragbase.db*"))
