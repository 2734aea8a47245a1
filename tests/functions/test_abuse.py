"""The API on the server of `ragbase serve`, and who means it harm: refused, at no cost to others."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.body_limits import body_limit
from ragbase.interfaces.api.guard import first_look
from ragbase.interfaces.http.body_limit import Line
from ragbase.interfaces.http.connection import LINGER_BYTES
from ragbase.interfaces.http.server import Server

# werkzeug leaves the file of half a form open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
    pytest.mark.slow,
]

PATIENCE = 60
"""Seconds after which a test is stuck."""
FIVE_GB = 5 * 1024**3
GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
QUESTION = json.dumps({"query": "When does the nightly backup start?"}).encode()
FORM = "multipart/form-data; boundary=edge"


@dataclass(frozen=True)
class Served:
    port: int
    profile: Profile

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def send(self, data: bytes) -> tuple[int, bytes]:
        """What is answered to these bytes, and nothing more is sent."""
        with self.connect() as connection:
            connection.sendall(data)
            return answer(connection)

    def post(self, path: str, body: bytes, content_type: str) -> tuple[int, bytes]:
        return self.call("POST", path, body, {"Content-Type": content_type})

    def call(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, reply.read()

    def ask(self) -> int:
        return self.post("/api/query", QUESTION, "application/json")[0]

    def names(self) -> list[str]:
        return [document["filename"] for document in json.loads(self.call("GET", "/api/documents")[1])["documents"]]


def answer(connection: socket.socket) -> tuple[int, bytes]:
    with HTTPResponse(connection) as reply:
        reply.begin()
        return reply.status, reply.read()


def head(path: str, *lines: str) -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode("latin-1")


def part(name: str, data: bytes, *, file: str | None = None, boundary: bytes = b"edge") -> bytes:
    filename = b"" if file is None else b'; filename="' + file.encode() + b'"'
    says = b'Content-Disposition: form-data; name="' + name.encode() + b'"' + filename
    return b"--" + boundary + b"\r\n" + says + b"\r\n\r\n" + data + b"\r\n"


def form(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--edge--\r\n"


@pytest.fixture
def served(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Served]:
    """A running server. Whatever a test does, its log has no error in the end, and it still answers."""
    profile = open_profile(load_config(home=tmp_path, environment={}, embedder="hashing"))
    listener = socket.create_server(("127.0.0.1", 0))
    app = create_app(profile)
    server = Server(app, listener, body_limit=body_limit, look=first_look(app))
    profile.open_index()
    served = Served(listener.getsockname()[1], profile)
    with running(server), caplog.at_level(logging.WARNING):
        yield served
        assert served.ask() == 200
    profile.close()
    assert [
        record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info
    ] == []


@contextmanager
def running(server: Server) -> Iterator[None]:
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_two_hundred_clients_that_send_a_byte_now_and_then_hold_nobody_up(served: Served) -> None:
    with ExitStack() as stack:
        starts = [head("/api/documents", f"Content-Type: {FORM}", "Content-Length: 50000000"), b"POST /api/qu"]
        slow = [stack.enter_context(served.connect()) for _ in range(200)]
        for number, connection in enumerate(slow):
            connection.sendall(starts[number % 2])
        for _ in range(5):
            for connection in slow:
                connection.sendall(b"x")
            assert served.ask() == 200
            assert served.post("/api/documents", form(part("file", GUIDE, file="a.md")), FORM)[0] in (200, 202)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [("/api/documents", 400, "FILE_TOO_LARGE"), ("/api/query", 413, "REQUEST_ENTITY_TOO_LARGE")],
)
def test_a_body_of_5_gb_is_refused_unread(served: Served, path: str, status: int, code: str) -> None:
    kind = FORM if path == "/api/documents" else "application/json"
    refused, body = served.send(head(path, f"Content-Type: {kind}", f"Content-Length: {FIVE_GB}"))
    assert (refused, json.loads(body)["error"]) == (status, code)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [("/api/documents", 400, "FILE_TOO_LARGE"), ("/api/query", 413, "REQUEST_ENTITY_TOO_LARGE")],
)
def test_a_body_without_a_length_is_refused_as_soon_as_it_is_too_long(
    served: Served, path: str, status: int, code: str
) -> None:
    """The client sends more, and has its answer all the same. In the end it is cut off."""
    block = b"%x\r\n" % 1_000_000 + bytes(1_000_000) + b"\r\n"
    with served.connect() as connection:
        connection.sendall(head(path, f"Content-Type: {FORM}", "Transfer-Encoding: chunked"))
        for _ in range(60):
            connection.sendall(block)
        refused, body = answer(connection)
        assert (refused, json.loads(body)["error"]) == (status, code)
    sent = 0
    with served.connect() as connection, pytest.raises(ConnectionError):
        connection.sendall(head(path, f"Content-Type: {FORM}", "Transfer-Encoding: chunked"))
        while sent < FIVE_GB:
            connection.sendall(block)
            sent += len(block)
    assert sent < 3 * LINGER_BYTES


def test_ten_thousand_fields_are_refused(served: Served) -> None:
    many = [part(f"field{number}", b"x") for number in range(10_000)]
    status, said = served.post("/api/documents", form(*many, part("file", GUIDE, file="a.md")), FORM)
    assert (status, json.loads(said)["error"]) == (413, "REQUEST_ENTITY_TOO_LARGE")
    assert "fields" in json.loads(said)["message"]
    status, said = served.call("GET", "/api/documents?" + "&".join(f"a{n}=1" for n in range(10_000)))
    assert status == 400 and len(said) < 2000
    assert served.names() == []


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (part("file", GUIDE, file="a.md"), FORM),  # no end
        (part("file", GUIDE, file="a.md")[:60], FORM),  # half a head
        (form(part("file", GUIDE, file="a.md")), "multipart/form-data; boundary=other"),
        (form(part("file", GUIDE, file="a.md")), "multipart/form-data"),
        (form(part("file", GUIDE, file="a.md")), "multipart/form-data; boundary=" + "x" * 5000),
        (form(part("file", GUIDE, file="a.md")), "multipart/form-data; boundary=\xff"),
        (form(b"--edge\r\n\r\n" + GUIDE + b"\r\n"), FORM),
        (b"\x00" * 1000, FORM),
        (b"", FORM),
    ],
)
def test_a_broken_form_is_refused(served: Served, body: bytes, content_type: str) -> None:
    status, said = served.post("/api/documents", body, content_type)
    assert (status, json.loads(said)["error"]) == (400, "INVALID_REQUEST")
    assert served.names() == []


def test_a_form_in_a_file_is_a_file(served: Served) -> None:
    """Only the outer boundary counts: fields of a form inside are text."""
    inside = part("path", b"evil.md", boundary=b"inner") + b"--inner--\r\n"
    status, _ = served.post("/api/documents", form(part("file", GUIDE + inside, file="a.md")), FORM)
    assert status == 202
    assert served.names() == ["a.md"]


@pytest.mark.parametrize(
    "path", ["../up.md", "/etc/passwd", "a/../../b.md", "a\r\nSet-Cookie: b=1", "a\x00.md", "a\\b\n"]
)
def test_a_path_that_leads_elsewhere_is_refused_or_cleaned(served: Served, path: str, tmp_path: Path) -> None:
    status, said = served.post(
        "/api/documents", form(part("path", path.encode()), part("file", GUIDE, file="a.md")), FORM
    )
    assert status in (202, 400), said
    bucket = (tmp_path / "bucket").resolve()
    files = [file for file in tmp_path.rglob("*.md") if file.is_file()]
    assert all(file.resolve().is_relative_to(bucket) for file in files)
    for name in served.names():
        assert ".." not in name.split("/") and name.isprintable()


@pytest.mark.parametrize(
    "line",
    [
        "X-Request-Id: a\rSet-Cookie: b=1",
        "X-Request-Id: a\nSet-Cookie: b=1",
        "X-Request-Id: \x1b[31m",
        "Content-Type: application/json\rX: y",
        "Transfer-Encoding: gzip",
        "Content-Length: -1",
        "Content-Length: 10, 11",
        "Host: evil.example",
        "X-Request-Id: " + "x" * 300_000,
        "No-Colon",
    ],
)
def test_a_forged_header_reaches_no_answer(served: Served, line: str) -> None:
    with served.connect() as connection:
        host = [] if line.startswith("Host") else ["Host: localhost"]
        lines = ["GET /api/documents HTTP/1.1", *host, line, "Connection: close", "", ""]
        connection.sendall("\r\n".join(lines).encode("latin-1"))
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    status = int(received.split()[1])
    assert status == 200 or 400 <= status < 500 or status == 501
    said, _, _ = received.partition(b"\r\n\r\n")
    assert b"Set-Cookie" not in said and b"\x1b" not in said and b"xxxx" not in said
    if line.startswith("Host"):
        assert status == 403


def test_a_forged_file_name_or_type_reaches_no_header(served: Served) -> None:
    forged = part("file", GUIDE, file="a%0d%0aSet-Cookie: b=1.md").replace(
        b"\r\n\r\n", b"\r\nContent-Type: text/markdown\rSet-Cookie: b=1\r\n\r\n", 1
    )
    status, said = served.post("/api/documents", form(forged), FORM)
    if status == 202:
        with closing(HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)) as connection:
            connection.request("GET", f"/api/documents/{json.loads(said)['id']}/content")
            reply = connection.getresponse()
            assert reply.status == 200 and reply.read() == GUIDE
            assert reply.getheader("Set-Cookie") is None
    else:
        assert status == 400


@pytest.mark.parametrize(
    "path",
    ["/" + "a/" * 20_000, "/api/documents/" + "a" * 100_000, "/api/documents/%0d%0aSet-Cookie:%20a=b", "/%ff%fe"],
)
def test_a_strange_address_is_not_found(served: Served, path: str) -> None:
    assert served.call("GET", path)[0] in (400, 404, 414, 431)


def test_many_ids_in_the_path_are_not_found(served: Served) -> None:
    ids = "/".join("a" * 64 for _ in range(1000))
    assert served.call("GET", f"/api/documents/{ids}")[0] == 404
    assert served.call("DELETE", f"/api/documents/{ids.replace('/', ',')}")[0] == 404


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/health", "/ready"])
def test_health_checks_do_not_stand_in_line(path: str) -> None:
    """The server answers this line however many others wait (test_server.py)."""
    assert body_limit("GET", path).line is Line.HEALTH
