"""The largest that is taken: the rows of a CSV file, and a file of the largest size whose work is killed in the middle,
on this machine and in the local cloud.

A worker begins, is killed (SIGKILL, with its children) once the store holds a number of chunks, and another one goes
on. `right`: the store holds each chunk once, and no other. `embedded`: texts that were embedded, as the record counts
them, or as the service does in the cloud; a record does not count what was on its way at the kill. Memory is that of
the worker and its children together, before and after the kill, and of the largest of them; it is resident memory,
where what processes share counts for each, but for the CSV service without file pages.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.document import Document, Status
from ragbase.domain.identity import document_id
from ragbase.domain.limits import LARGE_TEXT
from ragbase.sources.folder import object_name
from scripts.bench.harness import Figures, Memory, isolated, timed, watched
from scripts.local_cloud.inside import EmbeddingServer, profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.local_cloud.user import eventually

NAMES = ("large.txt", "large.json")
PATIENCE = 3600
"""Seconds that a file may take."""
_WORDS = tuple(
    f"{a}{b}" for a in ("har", "tel", "mon", "vis", "cor", "lan", "pel") for b in ("bour", "ette", "ion", "ard")
)


def _memory(before: Memory, after: Memory) -> Figures:
    largest = max(before.largest, after.largest)
    figures = {"first_mib": before.together, "then_mib": after.together, "process_mib": largest}
    return {name: round(mib) for name, mib in figures.items()}


def csv_rows(sizes: argparse.Namespace, _: Sequence[str]) -> Iterator[Figures]:
    """How fast does a CSV file become a knowledge base, and in how much memory?

    --rows 1000000 takes some minutes, and 4 GB in the folder for temporary files.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, home = str(Path(folder) / "rows.csv"), str(Path(folder) / "home")
        _write_rows(Path(file), sizes.rows)
        figures = {
            "rows": sizes.rows,
            **isolated(_reading, file),
            **isolated(_loaded, file, home, sizes.rows),
            **isolated(_started_again, file, home),
            **isolated(_searched, file, home, sizes.rows),
            "megabytes_on_disk": round(sum(one.stat().st_size for one in Path(home).rglob("*") if one.is_file()) / 1e6),
        }
    figures.pop("peak_memory_mib")
    yield figures


def _write_rows(file: Path, rows: int) -> None:
    """Each row has a question and an answer of its own, of about 250 characters together."""
    rng = random.Random(7)
    with file.open("w", newline="", encoding="utf-8") as output:
        writer = csv.writer(output)
        writer.writerow(["number", "question", "answer"])
        for number in range(1, rows + 1):
            words = " ".join(rng.choices(_WORDS, k=26))
            writer.writerow([number, f"What is entry{number} of {words[:60]}?", f"It is, for short, {words}."])


def _reading(file: str) -> Figures:
    from ragbase.formats.csv import open_table

    with Path(file).open("rb") as opened:
        seconds, rows = timed(lambda: sum(1 for _ in open_table(opened).rows))
    return {"rows_read_per_second": round(rows / seconds)}


def _load_rows(file: str, home: str) -> None:
    from ragbase.csv_service import CsvKnowledgeBase, CsvProperties, RagProperties

    CsvKnowledgeBase(RagProperties(csv=CsvProperties(path=file)), load_config(home=home, embedder="hashing")).close()


def _loaded(file: str, home: str, rows: int) -> Figures:
    with watched(os.getpid()) as memory:
        seconds, _ = timed(_load_rows, file, home)
    return {"rows_loaded_per_second": round(rows / seconds), "memory_mib": memory.together}


def _started_again(file: str, home: str) -> Figures:
    """A start with the same file, and one after a row was added at the beginning."""
    unchanged, _ = timed(_load_rows, file, home)
    header, rest = Path(file).read_text(encoding="utf-8").split("\n", 1)
    Path(file).write_text(f"{header}\n0,What is the first entry?,A new one\n{rest}", encoding="utf-8")
    return {
        "seconds_of_a_start_without_a_change": round(unchanged, 2),
        "seconds_of_a_start_with_one_row_more": round(timed(_load_rows, file, home)[0], 2),
    }


def _searched(file: str, home: str, rows: int) -> Figures:
    """The first query reads the index into memory."""
    from ragbase.csv_service import CsvKnowledgeBase, CsvProperties, RagProperties

    config = load_config(home=home, embedder="hashing")
    with CsvKnowledgeBase(RagProperties(csv=CsvProperties(path=file)), config) as knowledge:
        first, _ = timed(knowledge.service.search, "What is entry17?")
        numbers = range(1, rows, max(1, rows // 20))
        start = time.perf_counter()
        for number in numbers:
            (best, *_) = knowledge.service.search(f"What is entry{number}?")
            assert best.metadata["number"] == str(number), best
        each = (time.perf_counter() - start) / len(numbers)
    return {"seconds_of_the_first_query": round(first, 2), "milliseconds_a_query": round(1000 * each, 1)}


def large(sizes: argparse.Namespace, texts: Sequence[str]) -> Iterator[Figures]:
    """What does a file of the largest size cost, and does its work go on after a kill? With hashed words."""
    for file in _large_files(sizes, texts):
        settings = {"RAGBASE_HOME": str(file.parent / "home"), "RAGBASE_EMBEDDER": "hashing"}
        with closing(open_profile(load_config(environment=settings))) as profile:
            first = _ingesting(file, settings)
            with watched(first.pid, family=True, what="VmRSS") as before:
                while first.poll() is None and _held(profile, object_name(file)) < sizes.kill_at:
                    time.sleep(0.05)
                with suppress(ProcessLookupError):
                    os.killpg(first.pid, signal.SIGKILL)
                first.wait()
            begun, kept = time.monotonic(), _held(profile, object_name(file))
            then = _ingesting(file, settings)
            with watched(then.pid, family=True, what="VmRSS") as after:
                then.wait()
            figures = _ended(profile, object_name(file), time.monotonic() - begun)
        yield {"file": file.name, "mib": sizes.mib, "kept": kept, **figures, **_memory(before, after)}


def _ingesting(file: Path, settings: Mapping[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", "ingest", str(file)]
    environment = {**os.environ, **settings}
    return subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL)


def large_in_cloud(sizes: argparse.Namespace, texts: Sequence[str]) -> Iterator[Figures]:
    """The same in the local cloud, where the heavy lane is killed, and --rate limits the texts a minute."""
    with temporary_cloud(sizes.rate) as (local, user), profile_of(local) as profile:
        server = EmbeddingServer(local)
        for file in _large_files(sizes, texts):
            server.reset()
            local.restart("heavy_lane")  # so that the memory is of this file alone
            with _watched_lane(local, "heavy_lane") as (lane, before):
                user.upload(file.name, file.read_bytes(), "")
                _await_held(profile, file.name, sizes.kill_at)
                os.killpg(lane, signal.SIGKILL)
            begun, kept = time.monotonic(), _held(profile, file.name)
            local.up()
            with _watched_lane(local, "heavy_lane") as (_, after):
                _settle(profile, [file.name])
            figures = _ended(profile, file.name, time.monotonic() - begun) | {"embedded": server.embedded}
            sizes_of = {"file": file.name, "mib": sizes.mib, "rate": sizes.rate, "kept": kept}
            yield {**sizes_of, **figures, **_memory(before, after)}


def lanes(sizes: argparse.Namespace, texts: Sequence[str]) -> Iterator[Figures]:
    """What does each lane of the local cloud take at its concurrency?

    Nobody is killed: two JSON in the heavy lane, and eight of what the fast lane reads at most in that one.
    """
    words, most = _words(texts), sizes.mib * 2**20
    files = {f"{number}.json": most for number in range(2)}
    files |= {f"{number}-small.json": min(LARGE_TEXT, most) for number in range(8)}
    with temporary_cloud() as (local, user), profile_of(local) as profile:
        with _watched_lane(local, "heavy_lane") as (_, heavy), _watched_lane(local, "fast_lane") as (_, fast):
            for name, size in files.items():
                user.upload(name, _made(name, words, size).encode(), "")
            _settle(profile, list(files))
        records = [record for name in files if (record := _record(profile, name)) is not None]
    yield {
        "completed": sum(record.status is Status.COMPLETED for record in records),
        "attempts": [record.attempts for record in records],
        "heavy_mib": round(heavy.together),
        "fast_mib": round(fast.together),
    }


def _large_files(sizes: argparse.Namespace, texts: Sequence[str]) -> Iterator[Path]:
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / name
            file.write_text(_made(name, _words(texts), sizes.mib * 2**20), encoding="utf-8")
            yield file


def _words(texts: Sequence[str]) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", "\n".join(texts))


def _made(name: str, words: list[str], size: int) -> str:
    """Distinct paragraphs of random words, as a text or as JSON, in at most this many bytes. The name decides which."""
    chance = random.Random(name)

    def said(count: int) -> str:
        return " ".join(chance.choices(words, k=count))

    def piece() -> str:
        if name.endswith(".txt"):
            return f"{said(4)}\n\n{said(70)}.\n\n{said(70)}.\n\n"
        return json.dumps({"title": said(5), "author": {"name": said(2), "city": said(1)}, "body": said(70)}, indent=1)

    parts, left = [piece()], size - 2
    while left > 0:
        left -= len(parts[-1].encode()) + 2
        parts.append(piece())
    parts = parts[:-2]
    return "".join(parts) if name.endswith(".txt") else "[" + ",\n".join(parts) + "]"


@contextmanager
def _watched_lane(local: LocalCloud, name: str) -> Iterator[tuple[int, Memory]]:
    """The process of the function, and its memory."""
    (pid,) = (part.pid for part in local.status() if part.name == name and part.pid)
    with watched(pid, family=True, what="VmRSS") as memory:
        yield pid, memory


def _record(profile: Profile, name: str) -> Document | None:
    return profile.documents.get(document_id(profile.bucket.name, name))


def _settle(profile: Profile, names: Sequence[str]) -> None:
    def are_settled() -> bool:
        records = [_record(profile, name) for name in names]
        return all(record is not None and record.status in (Status.COMPLETED, Status.FAILED) for record in records)

    eventually(are_settled, PATIENCE, every=1)


def _held(profile: Profile, name: str) -> int:
    """How many chunks of the document the store holds."""
    id = document_id(profile.bucket.name, name)
    return sum(profile.open_index().vectors().held([id]).get(id, {}).values())


def _await_held(profile: Profile, name: str, count: int) -> None:
    eventually(lambda: _held(profile, name) >= count, PATIENCE, every=0.5)


def _ended(profile: Profile, name: str, seconds: float) -> Figures:
    record = _record(profile, name)
    if record is None or record.active is None:
        raise SystemExit(f"{name} was not completed: {record.failure if record is not None else 'it has no record'}")
    chunks = profile.open_index().vectors().read(record.id, record.active.generation)
    ordinals, count = [one.chunk.ordinal for one in chunks], record.active.chunk_count
    return {
        "chunks": count,
        "right": ordinals == list(range(count)) and _held(profile, name) == count,
        "embedded": record.usage.embedded_texts,
        "attempts": record.attempts,
        "then_seconds": round(seconds),
    }
