"""How time and memory grow with the size of what is kept: one measurement by its name.

Each prints a line of JSON with the figures of one size. Nothing needs a model but `shell`: the hashing embedder stands
for it, so that everything else is measured. The largest files, and what needs servers, are in scale_large.py and
scale_servers.py. Most of them look into /proc, which only Linux has.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path

from scripts.bench.filled import CHUNKS, fill_at_random, fill_documents, varied, written
from scripts.bench.harness import PEAK_UNIT, Bench, Figures, isolated, memory_mib, timed
from scripts.bench.scale_large import csv_rows, lanes, large, large_in_cloud
from scripts.bench.scale_servers import rate, weaviate
from scripts.local_cloud.local_cloud import NotUp
from scripts.local_cloud.missing_server import Missing

QUESTION = "How are backups of the database made?"
PAGE = 1000
"""Objects that S3 lists at a time."""
THEIRS, PREFIX, DATA = "theirs", "docs/", b"# Title\n\nText.\n"
"""The bucket of S3 that is synced, where in it, and what each object is."""

Measure = Callable[[argparse.Namespace, Sequence[str]], Iterator[Figures]]
"""By the sizes, and the paragraphs of the folder that was named."""


@dataclass(frozen=True)
class Scale:
    """One measurement, its sizes by their options, and whether it takes its texts from a folder."""

    measure: Measure
    sizes: Mapping[str, int]
    reads: bool = True

    @property
    def about(self) -> str:
        return (self.measure.__doc__ or "").split("\n\n")[0]


def growth(sizes: argparse.Namespace, texts: Sequence[str]) -> Iterator[Figures]:
    """Is an ingest as fast when the index has many documents? `ratio` is the rate of the last call to the first."""
    from ragbase import RAGEngine, load_config

    with tempfile.TemporaryDirectory() as folder:
        files = written(texts, Path(folder), documents=sizes.documents + 1, paragraphs=10)
        with RAGEngine(load_config(home=Path(folder) / "home", embedder="hashing")) as engine:
            engine.ingest(files[-1:])  # its imports
            rates = []
            for first in range(0, sizes.documents, sizes.call):
                call = files[first : min(first + sizes.call, sizes.documents)]
                seconds, result = timed(engine.ingest, call)
                rates.append(len(call) / seconds)
                assert result["failed_files"] == [], result["errors"]
        size = sum(file.stat().st_size for file in files) / len(files)
    yield {
        "documents": sizes.documents,
        "bytes_a_document": round(size),
        "documents_per_second": [round(rate, 1) for rate in rates],
        "ratio": round(rates[-1] / rates[0], 2),
    }


def delete(sizes: argparse.Namespace, texts: Sequence[str]) -> Iterator[Figures]:
    """How long does it take to delete many documents in one call?

    `cpu_seconds` are those of all threads: other work on the machine adds little to them.
    """
    from ragbase import RAGEngine, load_config

    with tempfile.TemporaryDirectory() as folder:
        names = written(texts, Path(folder), documents=sizes.documents, paragraphs=3)
        with RAGEngine(load_config(home=Path(folder) / "home", embedder="hashing")) as engine:
            engine.ingest(names)
            cpu = time.process_time()
            seconds, deleted = timed(engine.delete, [str(name) for name in names])
            cpu = time.process_time() - cpu
    yield {"documents": deleted["deleted_count"], "seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2)}


def reconcile(sizes: argparse.Namespace, _: Sequence[str]) -> Iterator[Figures]:
    """The time and the memory of `reconcile`, and with a tenth of the documents."""
    with tempfile.TemporaryDirectory() as folder:
        figures = {}
        for documents in _tenth_and_all(sizes.documents):
            home = str(Path(folder) / str(documents))
            isolated(fill_documents, home, documents)
            figures[documents] = isolated(_reconciled, home, documents)
    few, many = figures.values()
    yield {
        "documents": sizes.documents,
        "chunks": sizes.documents * CHUNKS,
        "seconds": round(many["seconds"], 2),
        "seconds_of_a_tenth": round(few["seconds"], 2),
        "memory_mib": many["memory_mib"],
        "memory_mib_of_a_tenth": few["memory_mib"],
    }


def _tenth_and_all(size: int) -> tuple[int, int]:
    return max(1, size // 10), size


def _reconciled(home: str, documents: int) -> Figures:
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config
    from ragbase.upkeep.reconcile.reconcile import reconcile
    from ragbase.upkeep.reconcile.report import Report

    profile = open_profile(load_config(home=Path(home), embedder="hashing"))
    index, report = profile.open_index(), Report()
    start, memory = time.perf_counter(), memory_mib()
    for progress in reconcile(profile, index, grace=timedelta(0)):
        report.add(progress)
        memory = max(memory, memory_mib())
    seconds = time.perf_counter() - start
    profile.close()
    assert (report.in_step, report.found.total()) == (documents, 0), report
    return {"seconds": seconds, "memory_mib": memory}


def shell(sizes: argparse.Namespace, texts: Sequence[str]) -> Iterator[Figures]:
    """How long does `ragbase query` take from a cold shell, when nothing of the index is in memory?

    Each way to ask runs in turn with the others, each time in a new process; the smallest values count. `file`:
    searches start from the file in snapshots/, as they do. `database`: there can be no such file, and every process
    reads all chunks from the database. `small`: an index of few chunks, which is what Python, the imports and the model
    take. Memory is the most that is mapped.
    """
    with tempfile.TemporaryDirectory() as folder:
        homes = {name: Path(folder) / name for name in ("file", "database", "small")}
        isolated(_filled_home, homes["file"], texts, sizes.chunks)
        isolated(_filled_home, homes["small"], texts, min(1_000, sizes.chunks))
        shutil.copytree(homes["file"], homes["database"], ignore=shutil.ignore_patterns("snapshots"))
        (homes["database"] / "snapshots").write_text("in the way of the folder", encoding="utf-8")
        asked = [{name: _asked(home) for name, home in homes.items()} for _ in range(sizes.rounds)]
        file = sum(one.stat().st_size for one in (homes["file"] / "snapshots").iterdir())
    figures = {
        f"{name}_{what}": round(min(turn[name][place] for turn in asked), 2)
        for name in homes
        for place, what in enumerate(("seconds", "memory_mib"))
    }
    yield {"chunks": sizes.chunks, "file_mib": round(file / 2**20, 1), **figures}


def _filled_home(home: Path, texts: Sequence[str], chunks: int) -> Figures:
    """In a process of its own: on Linux, a command would count the memory of this one, too."""
    from ragbase import RAGEngine, load_config

    with RAGEngine(load_config(home=home)) as engine:
        fill_at_random(engine, list(itertools.islice(varied(texts), chunks)))
    return {}


def _asked(home: Path) -> tuple[float, float]:
    """The seconds and the MiB that one command takes."""
    command = [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", "query", QUESTION, "--home", str(home)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"ragbase query ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss / PEAK_UNIT


def sync(sizes: argparse.Namespace, _: Sequence[str]) -> Iterator[Figures]:
    """A sync of objects of S3 in which nothing has changed, and of a tenth of them.

    The S3 is moto in a process of its own, asked over HTTP; it sorts all its objects for each page, so believe the
    processor's time, `own_cpu_seconds`.
    """
    figures = {}
    for objects in _tenth_and_all(sizes.objects):
        with tempfile.TemporaryDirectory() as folder, _s3(objects):
            isolated(_synced, folder, objects, "ADDED")
            figures[objects] = isolated(_synced, folder, objects, "UNCHANGED")
    few, many = figures.values()
    less = {f"{name}_of_a_tenth": few[name] for name in ("memory_mib", "objects_per_second")}
    yield {"objects": sizes.objects, **many, **less}


@contextmanager
def _s3(objects: int) -> Iterator[None]:
    """A server with so many objects. The variables of the AWS SDK name it."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve_s3, args=(objects, there), daemon=True)
    process.start()
    os.environ |= {
        "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{here.recv()}",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        yield
    finally:
        process.terminate()
        process.join()


def _serve_s3(objects: int, ready: Connection) -> None:
    import logging
    import threading

    from moto.s3.models import s3_backends
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    backend = s3_backends["123456789012"]["aws"]
    backend.create_bucket(THEIRS, "us-east-1")
    for number in range(objects):
        backend.put_object(THEIRS, PREFIX + _object_name(number), DATA)
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    ready.send(server.get_host_and_port()[1])
    threading.Event().wait()


def _object_name(number: int) -> str:
    return f"{number % 100:02}/{number:06}.md"


def _synced(folder: str, objects: int, change: str) -> Figures:
    from ragbase.adapters.amazon.source import S3Source
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config
    from ragbase.sources.sync import sync
    from ragbase.sources.sync_step import SourceChange

    profile = open_profile(load_config(home=Path(folder), embedder="hashing"))
    start, cpu = time.perf_counter(), time.process_time()
    found, memory = 0, memory_mib()
    for step in sync(S3Source(THEIRS, PREFIX), profile.bucket, delete=True):
        found += step.change is SourceChange[change]
        if found % PAGE == 0:
            memory = max(memory, memory_mib())
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
    profile.close()
    assert found == objects, f"{found} of {objects} objects are {change}"
    return {
        "memory_mib": memory,
        "seconds": round(seconds, 2),
        "own_cpu_seconds": round(cpu_seconds, 2),
        "objects_per_second": round(objects / seconds),
        "objects_per_own_cpu_second": round(objects / cpu_seconds),
    }


TABLE = {
    "growth": Scale(growth, {"--documents": 20_000, "--call": 1_000}),
    "delete": Scale(delete, {"--documents": 5_000}),
    "reconcile": Scale(reconcile, {"--documents": 10_000}, reads=False),
    "shell": Scale(shell, {"--chunks": 140_000, "--rounds": 5}),
    "sync": Scale(sync, {"--objects": 100_000}, reads=False),
    "csv": Scale(csv_rows, {"--rows": 20_000}, reads=False),
    "large": Scale(large, {"--mib": 50, "--kill-at": 20_000}),
    "large-cloud": Scale(large_in_cloud, {"--mib": 50, "--kill-at": 20_000, "--rate": 0}),
    "lanes": Scale(lanes, {"--mib": 50}),
    "rate": Scale(rate, {"--rate": 2_000, "--files": 300}),
    "weaviate": Scale(weaviate, {"--chunks": 20_000, "--dimension": 384, "--questions": 300}, reads=False),
}


def main() -> None:
    names = argparse.ArgumentParser(
        prog="scripts/bench/scale",
        description=(__doc__ or "").splitlines()[0],
        epilog="\n".join(f"{name}: {one.about}" for name, one in TABLE.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names.add_argument("what", choices=TABLE)
    names.add_argument("sizes", nargs=argparse.REMAINDER, help="its options: scale WHAT --help lists them")
    given = names.parse_args()
    scale = TABLE[given.what]
    bench = Bench(
        f"scale {given.what}", scale.about, data="Markdown files, which give the texts" if scale.reads else ""
    )
    for option, size in scale.sizes.items():
        bench.number(option, size)
    sizes = bench.parse_args(given.sizes)
    for figures in scale.measure(sizes, bench.paragraphs(sizes.data) if scale.reads else ()):
        bench.say(figures)


if __name__ == "__main__":
    try:
        main()
    except (NotUp, Missing) as reason:
        sys.exit(str(reason))
