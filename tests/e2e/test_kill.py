"""kill -9 at any moment of an ingest: the next `ragbase ingest` ends with the index of a clean run."""

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

from ragbase import RAGEngine, load_config
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.domain.limits import MAX_RETRIES
from ragbase.engine.lanes import collect_dead_letters
from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

COMMON = Path(__file__).resolve().parents[2] / "common"


def write_documents(folder: Path, count: int) -> Path:
    """`count` files of very different lengths, three copies, and one that is refused."""
    folder.mkdir(exist_ok=True)
    rng = random.Random(3)
    words = ("index", "bucket", "lane", "chunk", "record", "lease", "flip", "query", "router", "tombstone")
    for number in range(count):
        sections = (
            f"## Part {part}\n\n" + " ".join(rng.choices(words, k=rng.randint(5, 200)))
            for part in range(rng.randint(1, 12))
        )
        (folder / f"{number}.md").write_text(f"# Document {number}\n\n" + "\n\n".join(sections), encoding="utf-8")
    for number in range(3):
        (folder / f"twin-{number}.md").write_bytes((folder / f"{number}.md").read_bytes())
    (folder / "broken.json").write_text('{"a": ', encoding="utf-8")
    return folder


def start(documents: Path, home: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(COMMON), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_HOME": str(home)}
    return subprocess.Popen(
        [sys.executable, "-m", "ragbase.interfaces.cli.main", "ingest", str(documents)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def finish(documents: Path, home: Path) -> None:
    assert CommandLine(home).run("ingest", documents).code == 1  # broken.json fails, and nothing else


def kill_after(seconds: float, documents: Path, home: Path) -> None:
    process = start(documents, home)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def index(home: Path) -> dict[str, object]:
    """All that is in the data folder: each record's end, and every chunk that the file holds, shown or not."""
    with sqlite3.connect(home / "ragbase.db") as connection:
        (tables,) = connection.execute(
            "SELECT group_concat('SELECT id FROM ' || name, ' UNION ALL ') FROM sqlite_master "
            "WHERE type = 'table' AND name GLOB 'chunks_*'"
        ).fetchone()
        (chunks_in_file,) = connection.execute(f"SELECT count(*) FROM ({tables})").fetchone()
    connection.close()
    found: dict[str, object] = {"chunks": chunks_in_file}
    with RAGEngine(load_config(home=home, embedder="hashing")) as engine:
        assert isinstance(engine.profile, EmbeddedProfile)
        collect_dead_letters(engine.profile)
        assert list(engine.profile.dead_letters.page(limit=10)) == []
        vectors = engine.profile.open_index().vectors()
        for record in engine.profile.documents.page(limit=1000):
            generation = record.active.generation if record.active else 0
            found[record.name] = (
                record.status,
                record.failure,
                [
                    (chunk.text, chunk.char_start, chunk.char_end, chunk.header_path, chunk.ordinal)
                    for chunk in (embedded.chunk for embedded in vectors.read(record.id, generation))
                ],
            )
    return found


@pytest.mark.parametrize(("kills", "count"), [(1, 8), pytest.param(20, 60, marks=pytest.mark.prove)])
def test_kills_lose_and_double_nothing(kills: int, count: int, tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents", count)
    began = time.monotonic()
    finish(documents, tmp_path / "clean")
    duration = time.monotonic() - began
    clean = index(tmp_path / "clean")
    assert len(clean) == 1 + count + 4
    rng = random.Random(20)
    for number in range(kills):
        home = tmp_path / f"killed-{number}"
        kill_after(rng.uniform(0, duration), documents, home)
        finish(documents, home)
        assert index(home) == clean, f"after kill {number}"


@pytest.mark.prove
def test_thirty_kills_leave_nothing_to_reconcile(tmp_path: Path) -> None:
    """Three in a row each time: a document in work at a fourth one has had all its attempts, and is given up."""
    files = sorted(write_documents(tmp_path / "all", 200).iterdir())
    arrived = tmp_path / "documents"
    shutil.copytree(tmp_path / "all", arrived)
    finish(arrived, tmp_path / "clean")
    began = time.monotonic()
    finish(arrived, tmp_path / "clean")
    nothing_to_do = time.monotonic() - began
    shutil.rmtree(arrived)
    arrived.mkdir()
    rng = random.Random(4)
    for kill in range(30):
        for file in files[kill::30]:  # something new is in work at each kill
            shutil.copy(file, arrived)
        kill_after(rng.uniform(nothing_to_do / 2, 3 * nothing_to_do / 2), arrived, tmp_path / "killed")
        if kill % MAX_RETRIES == MAX_RETRIES - 1:
            assert start(arrived, tmp_path / "killed").wait(timeout=120) in (0, 1)  # 1 once broken.json has arrived
    finish(arrived, tmp_path / "killed")
    assert index(tmp_path / "killed") == index(tmp_path / "clean")
    reconciled = CommandLine(tmp_path / "killed").run("reconcile", "--grace", "0", "--json")
    assert reconciled.code == 0, reconciled.err
    assert reconciled.json["inStep"] == len(files)
    assert [reconciled.json[kind] for kind in ("inMotion", "missing", "stale", "orphaned", "stuck", "unlabelled")] == [
        0
    ] * 6
