"""kill -9 at any moment of a deletion: the next look ends what it began, and nothing else is deleted."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine
from tests.e2e.test_kill import COMMON, write_documents

pytestmark = [pytest.mark.slow, pytest.mark.prove]

KILLS = 12
DOCUMENTS = 300
QUERIES = {
    "shown": "SELECT name FROM documents WHERE NOT tombstone",
    "indexed": "SELECT DISTINCT name FROM documents JOIN {chunks} ON document_id = documents.id",
    "live": "SELECT name FROM objects WHERE live",
}


def delete(home: Path, names: list[str]) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(COMMON), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_HOME": str(home)}
    return subprocess.Popen(
        [sys.executable, "-m", "ragbase.interfaces.cli.main", "delete", *names],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def known(home: Path) -> list[set[str]]:
    """The names of the documents that search shows, of those with a chunk, and of the objects."""
    with sqlite3.connect(home / "ragbase.db") as connection:
        (chunks,) = connection.execute("SELECT 'chunks_' || name FROM indexes WHERE live").fetchone()
        found = [{name for (name,) in connection.execute(query.format(chunks=chunks))} for query in QUERIES.values()]
    connection.close()
    return found


def test_a_killed_deletion_is_ended_by_the_next_look_or_deletion(tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents", DOCUMENTS)
    (documents / "broken.json").unlink()
    CommandLine(tmp_path / "full").run("ingest", str(documents))
    all, _, _ = known(tmp_path / "full")
    kept = {name for name in all if name.endswith("7.md")}
    wanted = sorted(all - kept)

    shutil.copytree(tmp_path / "full", tmp_path / "clean")
    began = time.monotonic()
    assert delete(tmp_path / "clean", wanted).wait(timeout=60) == 0
    duration = time.monotonic() - began
    assert known(tmp_path / "clean") == [kept] * 3

    rng = random.Random(6)
    for number in range(KILLS):
        home = tmp_path / f"killed-{number}"
        shutil.copytree(tmp_path / "full", home)
        process = delete(home, wanted)
        try:
            process.wait(timeout=rng.uniform(duration / 3, duration))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        before = {path.relative_to(home / "bucket").as_posix() for path in (home / "bucket").rglob("*.md")}

        assert CommandLine(home).run("reconcile", "--repair").code == 0

        assert known(home) == [before] * 3, f"after kill {number}"
        assert kept <= before
        delete(home, wanted).wait(timeout=60)
        assert known(home) == [kept] * 3, f"after kill {number}"
