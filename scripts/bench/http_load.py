"""Measure `ragbase serve` under many clients that upload and ask at once, and its memory during large uploads.

The server is a process of its own on loopback. Prints one line of JSON for each measurement.
Times are in milliseconds, from the start of a request to the end of its answer, and those of refused requests (429) are
counted apart. A client pauses after each request, for random times with a mean of --pause seconds. It repeats an upload
that is refused, after the seconds that the answer names, until it is taken.
"""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from urllib3 import HTTPConnectionPool
from urllib3.exceptions import HTTPError
from urllib3.filepost import encode_multipart_formdata

from scripts.bench.filled import fill
from scripts.bench.harness import Bench, Figures, cpu_seconds, load, percentile, watched
from scripts.running_server import RunningServer, running_server

PATIENCE = 900
"""Seconds that the uploaded documents may take until they are searchable."""
_TAKEN = (HTTPStatus.OK, HTTPStatus.ACCEPTED)
_FAILED = 0
"""Counted in the place of a status if there was no answer."""


def main() -> None:
    bench = Bench("http", __doc__, data="a folder of Markdown files, which give the texts")
    bench.number("--chunks", 10_000, "of the index that is asked")
    bench.number("--clients", 200)
    bench.add_argument("--seconds", type=float, default=60)
    bench.add_argument("--pause", type=float, default=4, help="mean seconds that a client waits after each answer")
    bench.add_argument("--uploads", type=float, default=0.1, help="the share of uploads among the requests")
    bench.add_argument("--embedder", choices=["hashing", "minilm", "e5"], default="hashing", help="of the server")
    bench.number("--large", 50_000_000, "bytes of a large upload")
    options = bench.parse_args()
    clients = Load(
        bench.paragraphs(options.data),
        clients=options.clients,
        seconds=options.seconds,
        pause=options.pause,
        share=options.uploads,
    )
    bench.say(measure_load(clients, options.embedder, options.chunks) | {"load": load()}, of="load")
    for files in (1, 8):
        bench.say(measure_large(files, options.large) | {"load": load()}, of="large")


class Server:
    """A running server, and its connections."""

    def __init__(self, running: RunningServer) -> None:
        address = urlsplit(running.url)
        self.pool = HTTPConnectionPool(address.hostname or "", address.port, maxsize=1000, timeout=120, retries=False)
        self.process = running.process
        self.memory_mib = running.memory_mib

    def get(self, path: str) -> bytes:
        answer = self.pool.request("GET", path)
        if answer.status != HTTPStatus.OK:
            raise AssertionError(f"GET {path}: {answer.status} {answer.data!r}")
        return answer.data

    def listed(self, **parameters: str | int) -> Any:
        return json.loads(self.get(f"/api/documents?{urlencode(parameters)}"))


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


def measure_load(load: Load, embedder: str, chunks: int) -> Figures:
    from ragbase import RAGEngine, load_config

    with tempfile.TemporaryDirectory() as folder:
        home, log = Path(folder) / "home", Path(folder) / "log"
        with RAGEngine(load_config(home=home, embedder=embedder)) as engine:
            fill(engine, load.texts, chunks, Path(folder) / "source")
        with serving(home, log, embedder) as server:
            before = server.listed(limit=1)["total"]
            memory = run(load, server)
            settling = settle(server)
            lost = [id for id, expected in load.taken.items() if not holds(server, id, expected)]
            return {
                "embedder": embedder,
                "chunks": chunks,
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


def run(load: Load, server: Server) -> Figures:
    """Let the clients work. Returns the server's memory at the start, half way and in the end."""
    load.client(-1, server, time.monotonic() + 1)  # everything is loaded
    for kind in load.times:
        load.times[kind].clear()
        load.statuses[kind].clear()
    figures = {"memory_start_mib": server.memory_mib()}
    cpu = cpu_seconds(server.process)
    end = time.monotonic() + load.seconds
    threads = [threading.Thread(target=load.client, args=(number, server, end)) for number in range(load.clients)]
    with watched(server.process) as peak:
        for thread in threads:
            thread.start()
        time.sleep(load.seconds / 2)
        figures["memory_middle_mib"] = server.memory_mib()
        for thread in threads:
            thread.join()
    return {
        **figures,
        "memory_end_mib": server.memory_mib(),
        "memory_peak_mib": peak.together,
        "server_cpu_seconds": round(cpu_seconds(server.process) - cpu, 1),
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


def measure_large(files: int, size: int) -> Figures:
    """The most memory that the server used while it took so many large files at once."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "home", Path(folder) / "log") as server:
        load = Load(["x"], clients=files, seconds=0, pause=0, share=1)
        server.listed(limit=1)
        start = server.memory_mib()
        began = time.monotonic()
        # A damaged file: its lane reads it once, and nothing is indexed.
        data = b"%PDF-1.7\n" + bytes(size)
        senders = [
            threading.Thread(target=load.upload, args=(server, f"{number}.pdf", data)) for number in range(files)
        ]
        with watched(server.process) as peak:
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
            "memory_peak_mib": peak.together,
        }


if __name__ == "__main__":
    main()
