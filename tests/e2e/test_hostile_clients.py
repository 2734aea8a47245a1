"""`ragbase serve` and clients without a key that send little, slowly or nothing: they hold neither its connections nor
its disk."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

PATIENCE = 60
"""Seconds after which a test is stuck."""
CLIENTS = 500
FIFTY_MB = 50_000_000
QUESTION = json.dumps({"query": "When does the nightly backup start?"}).encode()
GUIDE = (
    b'--edge\r\nContent-Disposition: form-data; name="file"; filename="backups.md"\r\n\r\n'
    b"# Backups\n\nThe nightly backup starts at 02:30.\n\r\n--edge--\r\n"
)


@dataclass(frozen=True)
class Serving:
    port: int
    process: int
    key: str

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def call(self, method: str, path: str, body: bytes = b"", content_type: str = "application/json") -> int:
        """With the key."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": content_type}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, headers)
            return connection.getresponse().status

    def healthy(self) -> bool:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200

    def bytes_on_disk(self) -> int:
        """Of files without a name, which bodies are kept in."""
        held = 0
        for file in Path("/proc", str(self.process), "fd").iterdir():
            try:
                if str(file.readlink()).endswith("(deleted)"):
                    held += file.stat().st_size
            except FileNotFoundError:  # closed meanwhile
                pass
        return held


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    home = tmp_path_factory.mktemp("home")
    ragbase = CommandLine(home, is_fresh=True)
    key = ragbase.call("keys", "create", "robot", "--scope", "read", "--scope", "write", "--json").json["key"]
    with (home / "log").open("wb") as log:
        child = ragbase.start("serve", "--port", "0", "--json", stderr=log, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        port = urlsplit(json.loads(child.stdout.readline())["url"]).port
        assert port is not None
        yield Serving(port, child.pid, key)
    finally:
        child.kill()
        child.communicate()
    said = (home / "log").read_text()
    assert "Traceback" not in said and "ERROR" not in said, said


def is_served(serving: Serving) -> bool:
    """Whether a health check, and a question and an upload with a key are answered."""
    assert serving.healthy()
    assert serving.call("POST", "/api/query", QUESTION) == 200
    assert serving.call("POST", "/api/documents", GUIDE, "multipart/form-data; boundary=edge") in (200, 202)
    return True


def head(path: str, *lines: str, method: str = "POST") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()


BEGINNINGS = {
    "silent": b"",
    "half a line": b"POST /api/documents HT",
    "login": head("/api/auth/login", "Content-Length: 60000"),
    "form": head("/api/documents", f"Content-Length: {FIFTY_MB}"),
    "upload address": head("/api/uploads/x", f"Content-Length: {FIFTY_MB}", method="PUT"),
    "chunks": head("/api/uploads/x", "Transfer-Encoding: chunked", method="PUT"),
    "health checks": head("/healthz", method="GET"),
}


@pytest.mark.parametrize(
    "beginning",
    [
        pytest.param(beginning, id=name, marks=[] if name in ("silent", "form") else pytest.mark.prove)
        for name, beginning in BEGINNINGS.items()
    ],
)
def test_clients_without_a_key_keep_nobody_from_a_place(serving: Serving, beginning: bytes) -> None:
    """More than there are places, from the one address that health checks come from, too."""
    with ExitStack() as clients:
        for _ in range(CLIENTS + 50):
            connection = clients.enter_context(serving.connect())
            connection.sendall(beginning)
        assert is_served(serving)
        assert is_served(serving)


@pytest.mark.prove
def test_clients_that_trickle_without_a_key_keep_nobody_from_a_place(serving: Serving) -> None:
    """As an attack does it: each piece arrives before a connection is idle. Those that were closed come again."""
    start = head("/api/uploads/x", f"Content-Length: {FIFTY_MB}", method="PUT")
    with ExitStack() as clients:
        held: list[socket.socket] = []
        for _ in range(3):
            while len(held) < CLIENTS + 5:
                held.append(clients.enter_context(serving.connect()))
                held[-1].sendall(start)
            for connection in list(held):
                try:
                    connection.sendall(b"x" * 1200)
                except ConnectionError:
                    held.remove(connection)
            assert is_served(serving)


def test_files_that_nobody_may_send_hold_no_disk(serving: Serving) -> None:
    with ExitStack() as clients:
        for number in range(20):
            connection = clients.enter_context(serving.connect())
            where = "/api/documents" if number % 2 else "/api/uploads/x"
            connection.sendall(head(where, f"Content-Length: {FIFTY_MB}", method="POST" if number % 2 else "PUT"))
            connection.sendall(bytes(2_000_000))
        assert serving.bytes_on_disk() == 0
        assert is_served(serving)
        large = GUIDE.replace(b"starts", b"starts " * 1_000_000)
        with serving.connect() as connection:
            key = f"Authorization: Bearer {serving.key}"
            kind = "Content-Type: multipart/form-data; boundary=edge"
            connection.sendall(head("/api/documents", key, kind, f"Content-Length: {len(large)}") + large[:-1])
            deadline = time.monotonic() + PATIENCE
            while serving.bytes_on_disk() < len(large) // 2:
                assert time.monotonic() < deadline, "what a known sender has sent is on the disk"
            assert is_served(serving)


def test_a_slow_body_is_refused_at_its_headers(serving: Serving) -> None:
    with serving.connect() as connection:
        connection.sendall(head("/api/documents", f"Content-Length: {FIFTY_MB}") + b"x")
        with HTTPResponse(connection) as answer:
            answer.begin()
            assert (answer.status, json.load(answer)["error"]) == (401, "UNAUTHORIZED")
            assert answer.headers["WWW-Authenticate"] == "Bearer"
