"""How long does `ragbase query` take from a cold shell, when nothing of the index is in memory?

Prints one line of JSON. The index has random vectors of the embedding model's dimension, because only the time matters
here. Each way to ask runs in turn with the others, each time in a new process, and the bench compares the smallest
values: other work on the machine can only add time.

- `file`: searches start from the file in `snapshots/`, as they do.
- `database`: there can be no such file, and every process reads all chunks from the database.
- `small`: an index of 1,000 chunks. This is what Python, the imports and the embedding model take.

Memory is the most that the process had mapped. With `file`, the processes share most of it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine
from scripts.bench.query import fill_at_random, given_paragraphs, varied

QUESTION = "How are backups of the database made?"
SMALL = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/shell", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files, which give the texts")
    parser.add_argument("--chunks", type=int, default=140_000, help="how many chunks the index has (140,000)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each way is measured (5)")
    options = parser.parse_args()
    texts = given_paragraphs(parser, options.data)
    with tempfile.TemporaryDirectory() as folder:
        homes = {name: Path(folder) / name for name in ("file", "database", "small")}
        isolated(fill, homes["file"], texts, options.chunks)
        isolated(fill, homes["small"], texts, SMALL)
        shutil.copytree(homes["file"], homes["database"], ignore=shutil.ignore_patterns("snapshots"))
        (homes["database"] / "snapshots").write_text("in the way of the folder", encoding="utf-8")
        asked = [{name: ask(home) for name, home in homes.items()} for _ in range(options.rounds)]
        file = sum(one.stat().st_size for one in (homes["file"] / "snapshots").iterdir())
    figures = {
        f"{name}_{what}": round(min(turn[name][place] for turn in asked), 2)
        for name in homes
        for place, what in enumerate(("seconds", "memory_mib"))
    }
    sizes = {"chunks": options.chunks, "file_mib": round(file / 2**20, 1)}
    print(json.dumps({"bench": "shell", **sizes, **figures, "machine": machine()}))


def fill(home: Path, texts: list[str], chunks: int) -> Figures:
    """In a process of its own: on Linux, a command would count the memory of this one, too."""
    from ragbase import RAGEngine, load_config

    with RAGEngine(load_config(home=home)) as engine:
        fill_at_random(engine, list(itertools.islice(varied(texts), chunks)))
    return {}


def ask(home: Path) -> tuple[float, float]:
    """The seconds and the MiB that one command takes."""
    command = [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", "query", QUESTION, "--home", str(home)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"ragbase query ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    main()
