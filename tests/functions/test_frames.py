"""A request whose length or chunks are wrong is 400, and nothing of it in the log: under the server of `ragbase serve`
and under gunicorn, which serves the function."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.functions.served import serve_on_folder
from tests.unit.client.served import served

pytestmark = pytest.mark.slow

PATIENCE = 60
"""Seconds after which a test is stuck."""
LENGTHS = {
    "many digits": b"9" * 5000,
    "negative": b"-5",
    "plus": b"+5",
    "empty": b"",
    "underscore": b"1_000",
    "another digit": "\N{ARABIC-INDIC DIGIT FIVE}".encode(),
    "superscript": "\N{SUPERSCRIPT TWO}".encode("latin-1"),
    "hexadecimal": b"0x5",
    "list": b"5, 5",
    "two": b"5\r\nContent-Length: 6",
    "fraction": b"5.0",
}
CHUNKS = {
    "no number": b"zz\r\nhello\r\n0\r\n\r\n",
    "negative": b"-5\r\nhello\r\n0\r\n\r\n",
    "plus": b"+5\r\nhello\r\n0\r\n\r\n",
    "prefix": b"0x5\r\nhello\r\n0\r\n\r\n",
    "underscore": b"1_0\r\nhello\r\n0\r\n\r\n",
    "no end": b"5\r\nhelloXX0\r\n\r\n",
    "wrong extension": b"5;\x01=\r\nhello\r\n0\r\n\r\n",
    "long extension": b"5;" + b"a" * 60_000,
}


@pytest.fixture(scope="module", params=["waitress", "gunicorn"])
def port(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    home = tmp_path_factory.mktemp("home")
    if request.param == "waitress":
        with served(home) as server:
            yield urlsplit(server.url).port or 0
        return
    log = home / "log"
    with serve_on_folder("api", {"RAGBASE_HOME": str(home), "RAGBASE_EMBEDDER": "hashing"}, log) as function:
        yield urlsplit(function.url).port or 0
    assert "Traceback" not in log.read_text() and "ERROR" not in log.read_text()


def answer(port: int, path: str, headers: bytes, body: bytes) -> tuple[int, bytes]:
    """Everything is sent, and no end."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        start = b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
        connection.sendall(start % path.encode() + headers + b"\r\n\r\n" + body)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, said = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), said


@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
def test_a_wrong_length_is_400(port: int, length: bytes, caplog: pytest.LogCaptureFixture) -> None:
    for path in ("/api/query", "/api/auth/login", "/nothing"):
        assert answer(port, path, b"Content-Length: " + length, b"hello")[0] == 400
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
def test_a_wrong_chunk_is_400(port: int, chunks: bytes, caplog: pytest.LogCaptureFixture) -> None:
    for path in ("/api/query", "/api/auth/login"):
        status, said = answer(port, path, b"Transfer-Encoding: chunked", chunks)
        assert (status, json.loads(said)["error"]) == (400, "BAD_REQUEST")
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize("length", [b"5", b"0", b"15"])
def test_a_body_with_two_ends_is_400(port: int, length: bytes) -> None:
    """Of two servers in a row, each could take another one."""
    both = b"Content-Length: " + length + b"\r\nTransfer-Encoding: chunked"
    assert answer(port, "/api/query", both, b"5\r\nhello\r\n0\r\n\r\n")[0] == 400


@pytest.mark.parametrize("target", ["http://[::1/", "//[", "http://[v1.x]/", "/%zz", "http://\xff/"])
def test_a_strange_target_is_the_clients_mistake(port: int, target: str, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode("latin-1"))
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.split()[1] in (b"200", b"400", b"404")
    assert [record.getMessage() for record in caplog.records] == []


def test_no_body_is_read_before_the_guard(port: int) -> None:
    """It is announced, and never sent."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(b"POST /api/documents HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 50000\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 403 ")


def test_the_health_check_goes_on(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
