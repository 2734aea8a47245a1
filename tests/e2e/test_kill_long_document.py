"""kill -9 at any moment while a long PDF is read in parts: the next `ragbase ingest` ends with the index of a clean
run."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.test_kill import index, kill_after, start
from tests.unit.formats.pdf.pdf_files import Line, pdf

pytestmark = [pytest.mark.slow, pytest.mark.prove]

KILLS = 4
PAGES = 210
"""Three parts."""
WORK = 3
"""Documents that are ingested one after another, so that the lanes run once more. A run does not wait for jobs of
other documents, but three runs leave none."""


def page(number: int, rng: random.Random) -> list[Line]:
    words = ("index", "bucket", "lane", "chunk", "record", "lease", "flip", "query", "router", "tombstone")
    heading = [(18, f"Chapter {number // 7}")] if number % 7 == 0 else []
    return [*heading, *((11, " ".join(rng.choices(words, k=12))) for _ in range(10))]


def finish(documents: Path, home: Path) -> None:
    process = start(documents, home)
    assert process.wait(timeout=120) == 0


def part_texts(home: Path) -> int:
    with closing(sqlite3.connect(home / "ragbase.db")) as connection:
        (count,) = connection.execute("SELECT count(*) FROM part_texts").fetchone()
    return int(count)


def test_kills_lose_and_double_nothing_of_a_long_pdf(tmp_path: Path) -> None:
    rng = random.Random(16)
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "long.pdf").write_bytes(pdf(*(page(number, rng) for number in range(PAGES))))
    began = time.monotonic()
    finish(documents, tmp_path / "clean")
    duration = time.monotonic() - began
    clean = index(tmp_path / "clean")
    assert clean["chunks"] != 0
    for number in range(KILLS):
        home = tmp_path / f"killed-{number}"
        kill_after(rng.uniform(0.2, 1) * duration, documents, home)
        finish(documents, home)
        assert index(home) == clean, f"after kill {number}"
        if part_texts(home):  # it was killed between the flip and their removal: the job comes again with the next work
            more = tmp_path / f"more-{number}"
            more.mkdir()
            for again in range(WORK):
                (more / f"{again}.pdf").write_bytes(pdf(page(again, rng)))
                finish(more, home)
        assert part_texts(home) == 0
