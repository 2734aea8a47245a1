"""What does a file of the largest size cost, and does its work go on after a kill?

A text and a JSON of 50 MB of distinct paragraphs. A worker begins, is killed (SIGKILL, with its children) once the
store holds a number of chunks, and another one goes on. Prints one line of JSON for each file and profile.

- `first_mib` and `then_mib`: the most memory of the worker and its children together, before and after the kill;
  `process_mib` is that of the largest of them. Resident memory: what processes share counts for each.
- `embedded`: texts that were embedded, as the record counts them, or as the service does in the cloud. A record does
  not count what was on its way at the kill.
- `right`: the store holds each chunk of the document once, and no other.

`--lanes` says instead what each lane of the local cloud takes at its concurrency, nobody being killed: two JSON of 50
MB in the heavy lane, and eight of 4 MB, the most that the fast lane reads, in the fast one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.document import Document, Status
from ragbase.domain.identity import document_id
from ragbase.domain.limits import LARGE_TEXT, MAX_FILE_SIZE
from ragbase.sources.folder import object_name
from scripts.bench.isolated import Figures
from scripts.bench.machine import machine
from scripts.local_cloud.inside import EmbeddingServer, profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.local_cloud.user import eventually

NAMES = ("large.txt", "large.json")
PATIENCE = 3600
"""Seconds that a file may take."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/large", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files, which give the words")
    parser.add_argument("--profile", choices=("embedded", "cloud"), nargs="+", default=("embedded", "cloud"))
    parser.add_argument("--file", choices=NAMES, nargs="+", default=NAMES)
    parser.add_argument("--mib", type=int, default=MAX_FILE_SIZE // 2**20, help="the size of a file (50)")
    parser.add_argument("--kill-at", type=int, default=20_000, help="chunks after which the worker is killed (20,000)")
    parser.add_argument(
        "--rate", type=int, default=0, help="texts a minute of the cloud's embedding service (no limit)"
    )
    parser.add_argument("--lanes", action="store_true", help="measure the lanes at their concurrency instead")
    options = parser.parse_args()
    text = "\n".join(file.read_text(encoding="utf-8") for file in sorted(options.data.rglob("*.md")))
    words = re.findall(r"[^\W\d_]{2,}", text)
    if not words:
        parser.error(f"{options.data} has no Markdown files. Name a folder that has some.")
    if options.lanes:
        print(json.dumps({"bench": "large lanes", **lanes(words), "machine": machine()}), flush=True)
        return
    for profile in options.profile:
        for name in options.file:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / name
                file.write_text(made(name, words, options.mib * 2**20), encoding="utf-8")
                is_cloud = profile == "cloud"
                figures = cloud(file, options.kill_at, options.rate) if is_cloud else embedded(file, options.kill_at)
            sizes = {"profile": profile, "file": name, "mib": options.mib, "rate": options.rate}
            print(json.dumps({"bench": "large", **sizes, **figures, "machine": machine()}), flush=True)


def made(name: str, words: list[str], size: int) -> str:
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


def embedded(file: Path, kill_at: int) -> Figures:
    """`ragbase ingest` with hashed words, so that nothing waits for a model."""
    home = file.parent / "home"
    settings = {"RAGBASE_HOME": str(home), "RAGBASE_EMBEDDER": "hashing"}
    command = [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", "ingest", str(file)]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, env=os.environ | settings, start_new_session=True, stdout=subprocess.DEVNULL, stderr=sys.stderr
        )

    name = object_name(file)
    first = start()
    with closing(open_profile(load_config(environment=settings))) as profile, watched(first.pid) as before:
        eventually(lambda: held(profile, name) >= kill_at or first.poll() is not None, PATIENCE)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
        begun = time.monotonic()
        kept = held(profile, name)
        then = start()
        with watched(then.pid) as after:
            then.wait()
        return {"kept": kept, **ended(profile, name, begun), **memory(before, after)}


def cloud(file: Path, kill_at: int, rate: int) -> Figures:
    """The same in the local cloud, where the heavy lane is killed."""
    with temporary_cloud(rate) as (local, user), profile_of(local) as profile:
        lane = lane_of(local, "heavy_lane")
        with watched(lane) as before:
            user.upload(file.name, file.read_bytes(), "")
            eventually(lambda: held(profile, file.name) >= kill_at, PATIENCE, every=2)
            os.killpg(lane, signal.SIGKILL)
        begun = time.monotonic()
        kept = held(profile, file.name)
        local.up()
        with watched(lane_of(local, "heavy_lane")) as after:
            eventually(lambda: is_settled(profile, file.name), PATIENCE, every=1)
        paid = {"embedded": EmbeddingServer(local).embedded}
        return {"kept": kept, **ended(profile, file.name, begun), **paid, **memory(before, after)}


def lanes(words: list[str]) -> Figures:
    heavy = {f"{number}.json": MAX_FILE_SIZE for number in range(2)}
    fast = {f"{number}-small.json": LARGE_TEXT for number in range(8)}
    with temporary_cloud() as (local, user), profile_of(local) as profile:
        with watched(lane_of(local, "heavy_lane")) as of_heavy, watched(lane_of(local, "fast_lane")) as of_fast:
            for name, size in (heavy | fast).items():
                user.upload(name, made(name, words, size).encode(), "")
            eventually(lambda: all(is_settled(profile, name) for name in heavy | fast), PATIENCE, every=2)
        records = [record_of(profile, name) for name in heavy | fast]
    return {
        "completed": sum(record is not None and record.status is Status.COMPLETED for record in records),
        "attempts": [record.attempts for record in records if record is not None],
        **{f"{name}_mib": round(one.together / 2**20) for name, one in (("heavy", of_heavy), ("fast", of_fast))},
    }


def lane_of(local: LocalCloud, name: str) -> int:
    """The process id of the function."""
    (pid,) = (part.pid for part in local.status() if part.name == name and part.pid)
    return pid


def record_of(profile: Profile, name: str) -> Document | None:
    return profile.documents.get(document_id(profile.bucket.name, name))


def is_settled(profile: Profile, name: str) -> bool:
    record = record_of(profile, name)
    return record is not None and record.status in (Status.COMPLETED, Status.FAILED)


def held(profile: Profile, name: str) -> int:
    """How many chunks of the document the store holds."""
    id = document_id(profile.bucket.name, name)
    return sum(profile.open_index().vectors().held([id]).get(id, {}).values())


def ended(profile: Profile, name: str, begun: float) -> Figures:
    seconds = time.monotonic() - begun
    record = record_of(profile, name)
    if record is None or record.active is None:
        raise SystemExit(f"{name} was not completed: {record.failure if record is not None else 'it has no record'}")
    chunks = profile.open_index().vectors().read(record.id, record.active.generation)
    ordinals = [one.chunk.ordinal for one in chunks]
    count = record.active.chunk_count
    return {
        "chunks": count,
        "right": ordinals == list(range(count)) and held(profile, name) == count,
        "embedded": record.usage.embedded_texts,
        "attempts": record.attempts,
        "then_seconds": round(seconds),
    }


@dataclass
class Resident:
    """The most resident memory, in bytes: of a process and all its children together, and of the largest of them."""

    together: int = 0
    largest: int = 0


def memory(before: Resident, after: Resident) -> Figures:
    largest = max(before.largest, after.largest)
    figures = {"first_mib": before.together, "then_mib": after.together, "process_mib": largest}
    return {name: round(size / 2**20) for name, size in figures.items()}


@contextmanager
def watched(pid: int) -> Iterator[Resident]:
    """What the process takes, looked at twenty times a second. Only on Linux."""
    seen, over = Resident(), threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            sizes = [resident(one) for one in family(pid)]
            seen.together = max(seen.together, sum(sizes))
            seen.largest = max(seen.largest, *sizes)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def family(pid: int) -> list[int]:
    """The process and all its children, after it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            # The name of the program, in brackets, may have blanks and brackets itself (proc(5)).
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


if __name__ == "__main__":
    main()
