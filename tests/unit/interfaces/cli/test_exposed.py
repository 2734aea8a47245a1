"""What a user is told to do about data that others can reach."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from ragbase.interfaces.cli.exposed import exposed_message


def test_the_owner_closes_the_parts_that_are_open(tmp_path: Path) -> None:
    home = tmp_path / "my data"
    (home / "bucket").mkdir(parents=True)
    paths = [str(home / "bucket"), *(str(home / "bucket" / f"{number}.md") for number in range(9)), "/mnt/large.db"]
    told = exposed_message(paths, home)
    assert f"can reach '{home}/bucket' '{home}/bucket/0.md'" in told and "and 6 other paths." in told
    me = pwd.getpwuid(os.geteuid()).pw_name
    assert told.endswith(f"As {me}, run: chmod -R go= '{home}/bucket' /mnt/large.db")
    assert exposed_message([str(home), *paths], home).endswith(f"chmod -R go= '{home}'")


def test_another_user_becomes_the_owner_or_takes_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12_345_678)
    told = exposed_message([str(tmp_path)], tmp_path)
    assert "--home" in told and told.endswith(f"administrator: chown -R 12345678 {tmp_path}")
