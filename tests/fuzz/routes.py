"""Malformed requests to every route of a server of its own, drawn from a seed.

It looks for an answer of 5xx (but 501 to an unknown transfer coding: RFC 9112, section 6.1), an error or a traceback in
the log, a request or a health check without an answer, the text of another tenant, memory over the bound, and a file
outside of the data folder that was made or changed."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from scripts.running_server import RAGBASE, RunningServer, running_server, with_settings
from tests.fuzz.budget import Budget, Finding, Report
from tests.fuzz.hostile_requests import HostileRequests, Sent

MOST_MIB = 1_024
"""Memory of the server: the demo's index, its models and the bodies under way take a third of it."""
PATIENCE = 90.0
"""Seconds without a byte of an answer that count as a hang. A document may be waited for for 60."""
CHECK_EVERY = 400
"""Requests between two looks at health, memory and the log."""
CLIENTS = 64
"""An unfinished request is answered after 10 seconds of silence: others are sent in the meantime."""
SECRET = "zanzibarwalrus"
"""A word of the tenant whose key is never used."""


def fuzz(budget: Budget) -> Report:
    """Send a server of its own malformed requests to every route. All are drawn from the one seed."""
    report, statuses = Report(), Counter[str]()
    findings = Findings(report, budget.seed)
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder)) as server:
        outside = _outside(server.folder)
        drawn = HostileRequests(random.Random(budget.seed), server.keys, server.ids)  # ids are made of names: they stay
        with ThreadPoolExecutor(CLIENTS) as clients:
            for _ in budget.cases(report, CHECK_EVERY):
                round = [drawn.next() for _ in range(CHECK_EVERY)]
                statuses.update(clients.map(lambda request: _answered(server, request, findings), round))
                _check(server, findings)
                server.fill()
        for path in sorted(outside ^ _outside(server.folder)):
            findings.add(f"outside of the data folder: {path}")
        peak = server.running.memory_mib("VmHWM")
    report.figures |= {"statuses": dict(sorted(statuses.items())), "peak_mib": peak}
    return report


@dataclass(frozen=True, slots=True)
class Findings:
    """What was wrong, each with the request that showed it."""

    report: Report
    seed: int

    def add(self, what: str, sent: Sent | None = None) -> None:
        self.report.add(Finding(self.seed, what, f"{sent.operation} {sent.data[:300]!r}" if sent else ""))


def _answered(server: _Server, request: Sent, findings: Findings) -> str:
    """The first digit of the status and xx, or what else came of the request."""
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
            connection.sendall(request.data)
            while not _is_endless(answer) and (block := connection.recv(65536)):
                answer += block
    except TimeoutError:
        findings.add(f"no answer in {PATIENCE:.0f} s", request)
        return "hang"
    except OSError:  # the server may close before it has read what it refuses
        pass
    is_told = any(text.encode() in request.data for text in (SECRET, server.operator))
    if SECRET.encode() in answer and not is_told:
        findings.add("the text of another tenant", request)
    if not answer.startswith(b"HTTP/1."):
        return "closed"
    status = answer.split(b" ", 2)[1].decode("ascii", "replace")
    if status.startswith("5") and not (status == "501" and b"Transfer-Encoding" in request.data):
        findings.add(f"{status}: {answer[-300:]!r}", request)
    return f"{status[:1]}xx"


def _is_endless(answer: bytes) -> bool:
    """Whether it is the stream of changes, whose first event has come. It would go on for most of a minute."""
    return b"Content-Type: text/event-stream" in answer and b"event: changes" in answer


def _check(server: _Server, findings: Findings) -> None:
    try:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("GET", "/healthz")
        if (status := connection.getresponse().status) != 200:
            findings.add(f"GET /healthz: {status}")
        connection.close()
    except OSError as error:
        findings.add(f"GET /healthz: {error}")
    if (mib := server.running.memory_mib()) > MOST_MIB:
        findings.add(f"memory: {mib} MiB, and {MOST_MIB} are allowed")
    for line in server.new_log_lines():
        if '"ERROR"' in line or '"CRITICAL"' in line or "Traceback" in line:
            findings.add(f"log: {line[:120]} … {line[-400:]}")


@dataclass(slots=True)
class _Server:
    folder: Path
    port: int
    running: RunningServer
    keys: list[str]
    operator: str
    """One of them, which sees the texts of all tenants."""
    files: list[tuple[str, str, bytes]]
    """Each with the key of its tenant."""
    ids: list[str] = field(default_factory=list)
    read: int = 0

    def fill(self) -> None:
        """Upload what is not there: a request may have deleted or replaced it."""
        self.ids = [_upload(self.port, *file) for file in self.files]

    def new_log_lines(self) -> list[str]:
        text = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
        lines, self.read = text[self.read :].splitlines(), len(text)
        return lines


@contextmanager
def _server(folder: Path) -> Iterator[_Server]:
    """A server with two tenants, and a text and a PDF of each. The key of one is not told."""
    for name in ("home", "work", "tmp"):
        (folder / name).mkdir()
    settings = {
        "RAGBASE_HOME": str(folder / "data"),
        "RAGBASE_EMBEDDER": "hashing",
        "RAGBASE_TENANCY": "folder",
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
    }
    keys = []
    both = ["--scope", "read", "--scope", "write"]
    for options in (["--tenant", "red", *both], ["--tenant", "red"], ["--tenant", "blue", *both], both):
        made = subprocess.run(
            [*RAGBASE, "keys", "create", "fuzz", *options, "--json"],
            capture_output=True, text=True, check=True, env=with_settings(settings), cwd=folder / "work",
        )  # fmt: skip
        keys.append(json.loads(made.stdout)["key"])
    with running_server(settings, folder / "log", folder / "work") as running:
        port = urlsplit(running.url).port or 0
        red, reads_red, blue, operator = keys
        files = [(key, *file) for key, word in ((red, "boiler"), (blue, SECRET)) for file in _files(word)]
        server = _Server(folder, port, running, [red, reads_red, operator], operator, files)
        server.fill()
        yield server


def _files(word: str) -> list[tuple[str, bytes]]:
    """A text and a PDF of two pages, which have this word."""
    shown = b"BT /F 20 Tf 20 99 Td (The %s sleeps until the morning, and eats then.) Tj ET" % word.encode()
    font = b"/Resources <</Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>"
    page = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 144] /Contents 5 0 R %s>>" % font
    pages = b"<</Type /Pages /Kids [3 0 R 4 0 R] /Count 2>>"
    content = b"<</Length %d>> stream\n%s\nendstream" % (len(shown), shown)
    objects = (b"<</Type /Catalog /Pages 2 0 R>>", pages, page, page, content)
    numbered = b"".join(b"%d 0 obj %s endobj\n" % (number, one) for number, one in enumerate(objects, 1))
    pdf = b"%PDF-1.7\n" + numbered + b"trailer <</Root 1 0 R /Size 6>>\n%%EOF"
    return [
        ("notes.md", f"# Notes\n\nThe {word} sleeps until the morning, and eats then. Nobody wakes it.\n".encode()),
        ("notes.pdf", pdf),
    ]


def _upload(port: int, key: str, name: str, data: bytes) -> str:
    """The id of the document that this file becomes."""
    head = (
        '--b\r\nContent-Disposition: form-data; name="replace"\r\n\r\ntrue\r\n'
        f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    )
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"Content-Type": "multipart/form-data; boundary=b", "Authorization": f"Bearer {key}"}
    connection.request("POST", "/api/documents", head.encode() + data + b"\r\n--b--\r\n", headers)
    id: str = json.loads(connection.getresponse().read())["id"]
    connection.request("GET", f"/api/documents/{id}?wait=30", headers={"Authorization": f"Bearer {key}"})
    status = json.loads(connection.getresponse().read())["status"]
    connection.close()
    if status != "COMPLETED":
        raise RuntimeError(f"{name} is {status}")
    return id


def _outside(folder: Path) -> set[tuple[str, int, int]]:
    """Every file that is not the server's own, with its size and the time of its last change."""
    found = set()
    for path in folder.rglob("*"):
        place = path.relative_to(folder)
        if place.parts[0] not in ("data", "log", "tmp") and path.is_file():
            found.add((str(place), path.stat().st_size, path.stat().st_mtime_ns))
    return found
