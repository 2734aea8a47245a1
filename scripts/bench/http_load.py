"""Measure `ragbase serve` under many clients that upload and ask at once, and its memory during large uploads.

The server is a process of its own on loopback. Prints one line of JSON for each measurement.
Times are in milliseconds, from the start of a request to the end of its answer, and those of refused requests (429) are
counted apart. A client pauses after each request, for random times with a mean of --pause seconds. It repeats an upload
that is refused, after the seconds that the answer names, until it is taken.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from urllib3 import HTTPConnectionPool
from urllib3.exceptions import HTTPError
from urllib3.filepost import encode_multipart_formdata

from scripts.bench.isolated import Figures
from scripts.bench.machine import machine
from scripts.bench.query import fill, given_paragraphs, percentile, varied
from scripts.running_server import RunningServer, running_server

CHUNKS = 10_000
LARGE = 50_000_000
"""Bytes of a large upload."""
PATIENCE = 900
"""Seconds that the uploaded documents may take until they are searchable."""
_TAKEN = (HTTPStatus.OK, HTTPStatus.ACCEPTED)
_FAILED = 0
"""Counted in the place of a status if there was no answer."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/http", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files, which give the texts")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=4, help="mean seconds that a client waits after each answer")
    parser.add_argument("--uploads", type=float, default=0.1, help="the share of uploads among the requests")
    parser.add_argument(
        "--embedder", choices=["hashing", "minilm", "e5"], default="hashing", help="minilm is serve's default"
    )
    parser.add_argument(
        "--filled",
        type=Path,
        help="a folder where the data folder is kept for the next run: minilm takes minutes to fill it",
    )
    parser.add_argument("--only", choices=["load", "large"], nargs="+", default=["load", "large"])
    options = parser.parse_args()
    texts = given_paragraphs(parser, options.data)
    if "load" in options.only:
        load = Load(texts, clients=options.clients, seconds=options.seconds, pause=options.pause, share=options.uploads)
        report("http load", measure_load(load, options.embedder, options.filled))
    if "large" in options.only:
        for files in (1, 8):
            report("http large", measure_large(files))


def report(bench: str, figures: Figures) -> None:
    print(json.dumps({"bench": bench, **figures, "load": round(os.getloadavg()[0], 1), "machine": machine()}))


class Server:
    """A running server, its connections, and what the system says of its process."""

    def __init__(self, running: RunningServer) -> None:
        address = urlsplit(running.url)
        self.pool = HTTPConnectionPool(address.hostname or "", address.port, maxsize=1000, timeout=120, retries=False)
        self._running = running

    def get(self, path: str) -> bytes:
        answer = self.pool.request("GET", path)
        if answer.status != HTTPStatus.OK:
            raise AssertionError(f"GET {path}: {answer.status} {answer.data!r}")
        return answer.data

    def listed(self, **parameters: str | int) -> Any:
        return json.loads(self.get(f"/api/documents?{urlencode(parameters)}"))

    def memory_mib(self) -> float:
        return self._running.memory_mib()

    def cpu_seconds(self) -> float:
        """Of all its threads, in the program and in the system."""
        stat = Path("/proc", str(self._running.process), "stat").read_text(encoding="ascii")
        after_name = stat.rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


class Peak:
    """The most memory that a server uses while the context is entered, looked at 50 times a second."""

    def __init__(self, server: Server) -> None:
        self.mib = 0.0
        self._server = server
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.02):
            self.mib = max(self.mib, self._server.memory_mib())


@contextmanager
def serving(home: Path, log: Path, embedder: str = "hashing") -> Iterator[Server]:
    settings = {"RAGBASE_HOME": str(home), "RAGBASE_EMBEDDER": embedder, "RAGBASE_LOG_LEVEL": "WARNING"}
    with running_server(settings, log) as running:
        yield Server(running)


@dataclass
class Load:
    """What the clients do, and what they saw. Their threads share it."""

    texts: Sequence[str]
    clients: int
    seconds: float
    pause: float
    share: float
    times: dict[str, list[float]] = field(default_factory=lambda: {"query": [], "upload": []})
    statuses: dict[str, Counter[int]] = field(default_factory=lambda: {"query": Counter(), "upload": Counter()})
    refused_without_wait: int = 0
    taken: dict[str, str] = field(default_factory=dict)
    """The hash of each uploaded file by its document's id."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def client(self, number: int, server: Server, end: float) -> None:
        chance = random.Random(number)
        time.sleep(chance.uniform(0, self.pause))
        made = 0
        while time.monotonic() < end:
            if chance.random() < self.share:
                made += 1
                self.upload(server, f"client{number}/{made}.md", self._file(chance))
            else:
                question = " ".join(chance.choice(self.texts).split()[:8])
                self._send(server, "query", "/api/query", json.dumps({"query": question}).encode(), "application/json")
            time.sleep(chance.expovariate(1 / self.pause) if self.pause else 0)

    def upload(self, server: Server, path: str, data: bytes) -> None:
        body, content_type = encode_multipart_formdata({"file": ("a.md", data), "path": path})
        while True:
            status, answer, wait = self._send(server, "upload", "/api/documents", body, content_type)
            if status in _TAKEN:
                with self.lock:
                    self.taken[json.loads(answer)["id"]] = hashlib.sha256(data).hexdigest()
            if status not in (HTTPStatus.TOO_MANY_REQUESTS, _FAILED):
                return
            time.sleep(wait)

    def _file(self, chance: random.Random) -> bytes:
        return "\n\n".join([f"# Report {chance.randrange(10**12)}", *chance.choices(self.texts, k=8)]).encode()

    def _send(self, server: Server, kind: str, path: str, body: bytes, content_type: str) -> tuple[int, bytes, float]:
        began = time.perf_counter()
        wait: str | None
        try:
            reply = server.pool.request("POST", path, body=body, headers={"Content-Type": content_type})
        except HTTPError:
            status, answer, wait = _FAILED, b"", "1"
        else:
            status, answer, wait = reply.status, reply.data, reply.headers.get("Retry-After")
        spent = 1000 * (time.perf_counter() - began)
        with self.lock:
            self.statuses[kind][status] += 1
            if status in _TAKEN:
                self.times[kind].append(spent)
            elif status == HTTPStatus.TOO_MANY_REQUESTS and wait is None:
                self.refused_without_wait += 1
        return status, answer, float(wait or 1)


def measure_load(load: Load, embedder: str, filled: Path | None) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        if filled is None or not filled.exists():
            fill_folder(home, load.texts, Path(folder), embedder)
            if filled is not None:
                shutil.copytree(home, filled)
        else:
            shutil.copytree(filled, home)
        log = Path(folder) / "log"
        with serving(home, log, embedder) as server:
            before = server.listed(limit=1)["total"]
            memory = run(load, server)
            settling = settle(server)
            lost = [id for id, expected in load.taken.items() if not holds(server, id, expected)]
            return {
                "embedder": embedder,
                "chunks": CHUNKS,
                "clients": load.clients,
                "seconds": load.seconds,
                "pause_seconds": load.pause,
                **{f"{kind}_statuses": dict(sorted(counts.items())) for kind, counts in load.statuses.items()},
                **{
                    f"{kind}_p{percent}_ms": percentile(spent, percent)
                    for kind, spent in load.times.items()
                    for percent in (50, 95, 99)
                },
                "refused_without_wait": load.refused_without_wait,
                "uploads_taken": len(load.taken),
                "uploads_lost": len(lost),
                "documents_too_many": server.listed(limit=1)["total"] - before - len(load.taken),
                "seconds_until_completed": settling,
                **memory,
                "memory_after_mib": server.memory_mib(),
                "log_lines": len(log.read_text().splitlines()),
            }


def fill_folder(home: Path, texts: Sequence[str], folder: Path, embedder: str) -> None:
    from ragbase import RAGEngine, load_config

    source = folder / "source"
    source.mkdir()
    with RAGEngine(load_config(home=home, embedder=embedder)) as engine:
        fill(engine, list(islice(varied(texts), CHUNKS)), source)


def run(load: Load, server: Server) -> Figures:
    """Let the clients work. Returns the server's memory at the start, half way and in the end."""
    load.client(-1, server, time.monotonic() + 1)  # everything is loaded
    for kind in load.times:
        load.times[kind].clear()
        load.statuses[kind].clear()
    figures = {"memory_start_mib": server.memory_mib()}
    cpu = server.cpu_seconds()
    end = time.monotonic() + load.seconds
    threads = [threading.Thread(target=load.client, args=(number, server, end)) for number in range(load.clients)]
    with Peak(server) as peak:
        for thread in threads:
            thread.start()
        time.sleep(load.seconds / 2)
        figures["memory_middle_mib"] = server.memory_mib()
        for thread in threads:
            thread.join()
    return {
        **figures,
        "memory_end_mib": server.memory_mib(),
        "memory_peak_mib": peak.mib,
        "server_cpu_seconds": round(server.cpu_seconds() - cpu, 1),
    }


def settle(server: Server) -> float:
    """Wait until no document waits for a lane. Returns the seconds it took."""
    began = time.monotonic()
    while any(server.listed(status=status, limit=1)["total"] for status in ("PENDING", "PROCESSING")):
        if time.monotonic() - began > PATIENCE:
            raise AssertionError(f"after {PATIENCE} s, some documents are still in work")
        time.sleep(0.2)
    return round(time.monotonic() - began, 1)


def holds(server: Server, id: str, expected: str) -> bool:
    """Whether the document is COMPLETED, and has the bytes that were sent."""
    state = json.loads(server.get(f"/api/documents/{id}"))["status"]
    content = server.get(f"/api/documents/{id}/content")
    return bool(state == "COMPLETED" and hashlib.sha256(content).hexdigest() == expected)


def measure_large(files: int) -> Figures:
    """The most memory that the server used while it took so many large files at once."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "home", Path(folder) / "log") as server:
        load = Load(["x"], clients=files, seconds=0, pause=0, share=1)
        server.listed(limit=1)
        start = server.memory_mib()
        began = time.monotonic()
        # A damaged file: its lane reads it once, and nothing is indexed.
        data = b"%PDF-1.7\n" + bytes(LARGE)
        senders = [
            threading.Thread(target=load.upload, args=(server, f"{number}.pdf", data)) for number in range(files)
        ]
        with Peak(server) as peak:
            for sender in senders:
                sender.start()
            for sender in senders:
                sender.join()
            seconds = round(time.monotonic() - began, 1)
            settle(server)
        return {
            "files": files,
            "bytes": len(data),
            "taken": len(load.taken),
            "statuses": dict(load.statuses["upload"]),
            "seconds": seconds,
            "memory_start_mib": start,
            "memory_peak_mib": peak.mib,
        }


if __name__ == "__main__":
    main()
