"""Measure how fast the CSV service loads a file, in how much memory, and what kill -9 in the middle leaves. Linux only.

Prints one line of JSON. The rows are made here; the hashing embedder stands for the model, so that everything else is
measured. `--rows 1000000` takes some minutes and 4 GB in the folder for temporary files.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine

WORDS = tuple(
    f"{a}{b}" for a in ("har", "tel", "mon", "vis", "cor", "lan", "pel") for b in ("bour", "ette", "ion", "ard")
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/csv", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file, home = str(Path(folder) / "rows.csv"), str(Path(folder) / "home")
        write_rows(Path(file), options.rows)
        figures = {
            "bench": "csv",
            "rows": options.rows,
            **isolated(measure_reading, file),
            **load_in_two(file, home),
            **isolated(measure_again, file, home),
            **isolated(measure_search, file, home),
            **count_rows(home, options.rows),
            "megabytes_on_disk": round(sum(one.stat().st_size for one in Path(home).rglob("*") if one.is_file()) / 1e6),
        }
    figures.pop("peak_memory_mib")
    print(json.dumps({**figures, "machine": machine()}))


def write_rows(file: Path, rows: int) -> None:
    """Each row has a question and an answer of its own, of about 250 characters together."""
    rng = random.Random(7)
    with file.open("w", newline="", encoding="utf-8") as output:
        writer = csv.writer(output)
        writer.writerow(["number", "question", "answer"])
        for number in range(1, rows + 1):
            words = " ".join(rng.choices(WORDS, k=26))
            writer.writerow([number, f"What is entry{number} of {words[:60]}?", f"It is, for short, {words}."])


def measure_reading(file: str) -> Figures:
    from ragbase.formats.csv import open_table

    start = time.perf_counter()
    with Path(file).open("rb") as opened:
        rows = sum(1 for _ in open_table(opened).rows)
    return {"rows_read_per_second": round(rows / (time.perf_counter() - start))}


def load(file: str, home: str) -> None:
    from ragbase.config import load_config
    from ragbase.csv_service import CsvKnowledgeBase, CsvProperties, RagProperties

    CsvKnowledgeBase(RagProperties(csv=CsvProperties(path=file)), load_config(home=home, embedder="hashing")).close()


def load_in_two(file: str, home: str) -> Figures:
    """Load until about half of the parts are there, kill the process, and load again."""
    context = multiprocessing.get_context("spawn")
    first = context.Process(target=load, args=(file, home))
    start = time.perf_counter()
    first.start()
    memory = Memory(first.pid or 0)
    half = Path(file).stat().st_size * 5.0  # bytes of the database for half of the rows, roughly
    database = Path(home) / "csv" / "ragbase.db"
    while first.is_alive() and size(database) < half:
        time.sleep(0.05)
    os.kill(first.pid or 0, signal.SIGKILL)
    first.join()
    killed_after = time.perf_counter() - start
    stored_at_kill = texts(database)
    second = context.Process(target=load, args=(file, home))
    start = time.perf_counter()
    second.start()
    resumed = Memory(second.pid or 0)
    second.join()
    resumed_seconds = time.perf_counter() - start
    return {
        "seconds_until_killed": round(killed_after, 1),
        "rows_when_killed": stored_at_kill,
        "rows_loaded_per_second": round(stored_at_kill / killed_after),
        "seconds_after_the_kill": round(resumed_seconds, 1),
        "memory_mib": max(memory.peak(), resumed.peak()),
    }


class Memory:
    """The most memory that a process uses, without the file pages that it has mapped: those are only a cache."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._peak = 0
        self._watching = threading.Thread(target=self._watch)
        self._watching.start()

    def _watch(self) -> None:
        while True:
            try:
                lines = self._status.read_text(encoding="utf-8").splitlines()
                self._peak = max(self._peak, next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")))
            except (OSError, StopIteration):  # the process has ended
                return
            time.sleep(0.02)

    def peak(self) -> float:
        self._watching.join()
        return round(self._peak / 1024, 1)


def size(database: Path) -> int:
    return sum(one.stat().st_size for one in database.parent.glob(f"{database.name}*")) if database.exists() else 0


def texts(database: Path) -> int:
    """How many chunks the vector store holds."""
    connection = sqlite3.connect(database)
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'chunks_*'"
    names = [name for (name,) in connection.execute(tables)]
    count = sum(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names)
    connection.close()
    return int(count)


def measure_again(file: str, home: str) -> Figures:
    """A start with the same file, and one after a row was added at the beginning."""
    start = time.perf_counter()
    load(file, home)
    unchanged = time.perf_counter() - start
    text = Path(file).read_text(encoding="utf-8")
    header, rest = text.split("\n", 1)
    Path(file).write_text(f"{header}\n0,What is the first entry?,A new one\n{rest}", encoding="utf-8")
    start = time.perf_counter()
    load(file, home)
    return {
        "seconds_of_a_start_without_a_change": round(unchanged, 2),
        "seconds_of_a_start_with_one_row_more": round(time.perf_counter() - start, 2),
    }


def measure_search(file: str, home: str) -> Figures:
    """The first query reads the index into memory."""
    from ragbase.config import load_config
    from ragbase.csv_service import CsvKnowledgeBase, CsvProperties, RagProperties

    config = load_config(home=home, embedder="hashing")
    with CsvKnowledgeBase(RagProperties(csv=CsvProperties(path=file)), config) as knowledge:
        start = time.perf_counter()
        knowledge.service.search("What is entry17?")
        first = time.perf_counter() - start
        start = time.perf_counter()
        for number in range(20):
            (best, *_) = knowledge.service.search(f"What is entry{number * 100 + 1}?")
            assert best.metadata["number"] == str(number * 100 + 1), best
        return {
            "seconds_of_the_first_query": round(first, 2),
            "milliseconds_a_query": round((time.perf_counter() - start) * 50, 1),
        }


def count_rows(home: str, rows: int) -> Figures:
    """After `measure_again`, so that there is one row more. Every row has a text of its own."""
    held = texts(Path(home) / "csv" / "ragbase.db")
    numbers: list[int] = []
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config
    from ragbase.csv_service.loaded_rows import LoadedRows

    profile = open_profile(load_config(home=Path(home) / "csv", embedder="hashing"))
    loaded = LoadedRows(profile.checkpoints)
    version = loaded.version()
    for part in version.parts if version is not None else ():
        numbers += [int(fields["number"]) for fields in loaded.fields(part.id) or () if fields is not None]
    profile.close()
    return {
        "rows_missing": rows + 1 - len(set(numbers)),
        "rows_doubled": len(numbers) - len(set(numbers)),
        "texts_too_many": held - (rows + 1),
    }


if __name__ == "__main__":
    main()
