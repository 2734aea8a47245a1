"""Every answer of `ragbase serve` tells browsers to guess no type, to give it to no page of another origin, and to run
nothing in it but the console's own scripts."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from ragbase import Client
from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.operations import OPERATIONS
from tests.unit.client.served import Served, served

GUIDE = b"# Backups\n\nThe nightly backup starts at half past two and takes ten minutes.\n"
ORIGIN = "https://app.example.com"
JSON = {"Content-Type": "application/json"}
MCP = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("home"), cors_origins=ORIGIN) as server:
        yield server


@pytest.fixture(scope="module")
def id(server: Served) -> str:
    with Client(server.url) as client:
        return client.wait(client.upload(GUIDE, path="guide.md").id).id


def check(answer: http.client.HTTPResponse) -> None:
    assert answer.headers.get_all("X-Content-Type-Options") == ["nosniff"], answer.status
    assert answer.headers.get_all("Cross-Origin-Resource-Policy") == ["same-origin"], answer.status
    (policy,) = answer.headers.get_all("Content-Security-Policy") or [""]
    rules = dict(rule.partition(" ")[::2] for rule in policy.split("; "))
    assert rules["default-src"] == rules["frame-ancestors"] == "'none'", answer.status
    assert rules.get("script-src", "'self'") == "'self'"


def status(server: Served, method: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
    """The status and the body, after a look at the headers."""
    parts = urlsplit(server.url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as connection:
        sent = None if body is None else json.dumps(body).encode()
        connection.request(method, path, sent, {**JSON, **{k.replace("_", "-"): v for k, v in headers.items()}})
        answer = connection.getresponse()
        check(answer)
        return answer.status, answer.read()


@pytest.mark.parametrize("one", OPERATIONS, ids=lambda one: one.id)
def test_an_answer_of_every_route_has_them(server: Served, id: str, one: Operation) -> None:
    method, path = (
        one.method,
        one.path.replace("{id}", id)
        .replace("{page}", "1")
        .replace("{store}", "ragbase")
        .replace("{letter}", "none")
        .replace("{key_id}", "none")
        .replace("{token}", "x"),
    )
    if method == "DELETE":
        path = path.replace(id, "none")
    status(server, method, path)
    if method == "GET":
        assert status(server, "HEAD", path)[0] < 500


@pytest.mark.parametrize(
    ("asked", "body", "headers", "expected"),
    [
        ("POST /api/query", {"query": "backup"}, {}, 200),
        ("POST /api/query", {"query": "backup"}, {"Accept_Encoding": "gzip"}, 200),
        ("POST /mcp", MCP, {"Accept": "application/json, text/event-stream"}, 200),
        (
            "POST /mcp",
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"Accept": "application/json"},
            202,
        ),
        ("POST /mcp", [], {"Accept": "application/json"}, 400),
        ("POST /mcp", MCP, {"Accept": "text/html"}, 406),
        ("POST /api/query", [], {}, 400),
        ("POST /api/query", {}, {"Content_Type": "text/plain"}, 415),
        ("GET /api/query", None, {}, 405),
        ("TRACE /api/query", None, {}, 405),
        ("GET /nothing", None, {}, 404),
        ("GET /%0a", None, {}, 404),
        ("GET /api/documents", None, {"Authorization": "Bearer x"}, 200),
        ("GET /api/documents", None, {"Host": "evil.example"}, 403),
        ("OPTIONS /api/query", None, {}, 200),
        ("OPTIONS /api/query", None, {"Origin": ORIGIN, "Access_Control_Request_Method": "POST"}, 204),
    ],
)
def test_errors_and_answers_without_a_body_have_them(
    server: Served, asked: str, body: object, headers: dict[str, str], expected: int
) -> None:
    method, path = asked.split()
    assert status(server, method, path, body, **headers)[0] == expected


def test_a_stream_of_events_has_them(server: Served, id: str) -> None:
    answered, body = status(server, "POST", "/api/answer", {"query": "backup"}, Accept="text/event-stream")
    assert answered == 200 and b"event: done" in body


def test_an_answer_that_the_client_has_already_has_them(server: Served, id: str) -> None:
    parts = urlsplit(server.url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as connection:
        connection.request("GET", f"/api/documents/{id}")
        first = connection.getresponse()
        first.read()
        connection.request("GET", f"/api/documents/{id}", headers={"If-None-Match": first.headers["ETag"]})
        again = connection.getresponse()
        assert again.status == 304
        check(again)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (b"\0\r\n\r\n", 400),
        (b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        (b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: x\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 300_000 + b"\r\n\r\n", 431),
    ],
    ids=["no request", "too long", "no length", "no coding", "long header"],
)
def test_what_the_server_itself_refuses_has_them(server: Served, request_: bytes, expected: int) -> None:
    parts = urlsplit(server.url)
    with (
        socket.create_connection((parts.hostname, parts.port), timeout=30) as connection,
        http.client.HTTPResponse(connection) as answer,
    ):
        connection.sendall(request_)
        answer.begin()
        assert answer.status == expected
        check(answer)


def test_a_fault_of_ours_has_them(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.interfaces.api.queries.asked_question", lambda: 1 / 0)
    assert status(server, "POST", "/api/query", {"query": "backup"})[0] == 500
