"""The API asks who sends a request when its headers are there, before it takes the body, and refuses as it always
does."""

from __future__ import annotations

import json
import logging
import re
import select
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, g
from werkzeug.test import EnvironBuilder

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.config import load_config
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.body_limits import body_limit
from ragbase.interfaces.api.guard import first_look
from ragbase.interfaces.api.operation import SMALL
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.interfaces.http.body_space import IN_MEMORY, SPACE
from ragbase.interfaces.http.server import Server
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import Guarded, hash_of

PATIENCE = 60
"""Seconds after which a test is stuck."""
CHANGING = {"Date", "X-Request-Id", "Content-Length", "Server"}
"""Headers that differ between two answers."""
HOST = {"Host": "localhost"}


@dataclass(frozen=True)
class Api:
    app: Flask
    checkpoints: MemoryCheckpoints
    clock: VirtualClock
    port: int

    def key(self, *scopes: Scope) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {ApiKeys(lambda: self.checkpoints, self.clock).create('a', scopes=scopes)[1]}"
        }

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def call(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def address_of(self, size: int, *, replace: bool = False) -> str:
        """The path of a signed address, for a file of this many bytes."""
        wanted = json.dumps({"path": "a.md", "size": size, "replace": replace}).encode()
        headers = {**self.key(Scope.WRITE), "Content-Type": "application/json"}
        status, said = self.call("POST", "/api/uploads", wanted, headers)
        assert status == 201, said
        return "/api/uploads/" + str(said["url"]).rpartition("/")[2]


@contextmanager
def api(home: Path, checkpoints: MemoryCheckpoints | None = None, space: int = SPACE, **settings: Any) -> Iterator[Api]:
    checkpoints, clock = checkpoints or MemoryCheckpoints(), VirtualClock()
    profile = Guarded(load_config(home=home, environment={}, embedder="hashing", **settings), checkpoints, clock)
    app = create_app(profile)
    listener = socket.create_server(("127.0.0.1", 0))
    behind_proxies = profile.config.trusted_proxies > 0
    server = Server(
        app, listener, body_limit=body_limit, look=first_look(app), behind_proxies=behind_proxies, space=space
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield Api(app, checkpoints, clock, listener.getsockname()[1])
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        profile.close()


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Api]:
    """With a password, so that everybody has to sign in."""
    with api(tmp_path, password_hash=hash_of()) as one:
        yield one


def head(method: str, path: str, headers: Mapping[str, str], version: str = "1.1") -> bytes:
    lines = [f"{method} {path} HTTP/{version}", *(f"{name}: {value}" for name, value in {**HOST, **headers}.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def answered(connection: socket.socket) -> tuple[int, dict[str, str], Any]:
    with HTTPResponse(connection) as answer:
        answer.begin()
        return answer.status, dict(answer.headers), json.loads(answer.read())


def before_the_body(api: Api, method: str, path: str, headers: Mapping[str, str], *, size: int = 50_000) -> Any:
    """The answer to headers that announce a body, which is never sent."""
    with api.connect() as connection:
        connection.sendall(head(method, path, {**headers, "Content-Length": str(size)}))
        return answered(connection)


def refused_alike(api: Api, method: str, path: str, headers: Mapping[str, str], *, size: int = 50_000) -> Any:
    """The server's refusal without the body and the application's with it are the same. Gives status and code."""
    early, said_early, body_early = before_the_body(api, method, path, headers, size=size)
    whole = api.app.test_client().open(path, method=method, headers={**HOST, **headers}, data=bytes(min(size, 50_000)))
    assert (early, body_early) == (whole.status_code, whole.json)
    assert said_early.pop("Connection") == "close"
    assert comparable(said_early) == comparable(whole.headers)
    return early, body_early["error"]


def comparable(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items() if name not in CHANGING}


WRONG = {"Authorization": f"Bearer rb_{'0' * 16}_{'0' * 64}"}


@pytest.mark.parametrize(
    ("method", "path", "headers", "expected"),
    [
        ("POST", "/api/documents", {}, (401, "UNAUTHORIZED")),
        ("POST", "/api/documents", WRONG, (401, "UNAUTHORIZED")),
        ("POST", "/api/documents", {"Authorization": "Basic cm9ib3Q6c2VjcmV0"}, (401, "UNAUTHORIZED")),
        ("POST", "/api/query", {}, (401, "UNAUTHORIZED")),
        ("POST", "/mcp", {}, (401, "UNAUTHORIZED")),
        ("GET", "/api/documents", {}, (401, "UNAUTHORIZED")),
        ("POST", "/internal/callback", WRONG, (401, "UNAUTHORIZED")),
        ("PUT", "/api/uploads/forged", {}, (404, "NOT_FOUND")),
        ("POST", "/api/nothing", {}, (404, "NOT_FOUND")),
        ("POST", "/healthz", {}, (405, "METHOD_NOT_ALLOWED")),
    ],
)
def test_a_body_is_refused_at_its_headers(
    closed: Api, method: str, path: str, headers: Mapping[str, str], expected: tuple[int, str]
) -> None:
    assert refused_alike(closed, method, path, headers) == expected
    assert refused_alike(closed, method, path, {**headers, "Origin": "https://page.example"}) == expected


def test_a_key_without_the_scope_is_refused_at_the_headers(closed: Api) -> None:
    assert refused_alike(closed, "POST", "/api/documents", closed.key(Scope.READ)) == (403, "FORBIDDEN")
    assert refused_alike(closed, "POST", "/api/query", closed.key(Scope.WRITE)) == (403, "FORBIDDEN")


def test_a_stranger_to_an_open_api_is_refused_at_the_headers(tmp_path: Path) -> None:
    with api(tmp_path) as opened:
        for stranger in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"X-Forwarded-For": "1.2.3.4"}):
            assert refused_alike(opened, "POST", "/api/documents", stranger) == (403, "FORBIDDEN")


def test_an_upload_address_is_looked_at_before_the_file(closed: Api) -> None:
    address = closed.address_of(50_000)
    assert refused_alike(closed, "PUT", address, {}, size=49_999) == (400, "INVALID_REQUEST")
    assert before_the_body(closed, "PUT", address, {}, size=MAX_FILE_SIZE * 9)[0] == 400
    closed.clock.advance(timedelta(seconds=3601))
    assert refused_alike(closed, "PUT", address, {}) == (404, "NOT_FOUND")


def test_a_file_by_a_signed_address_is_taken(closed: Api) -> None:
    """Also if it comes slowly, and in chunks."""
    file = b"# Backups\n\n" + b"The nightly backup starts at 02:30. " * 6_000
    assert closed.call("PUT", closed.address_of(len(file)), file, {})[0] == 202
    other = file.replace(b"02:30", b"03:30")
    address = closed.address_of(len(other), replace=True)
    with closed.connect() as connection:
        connection.sendall(head("PUT", address, {"Transfer-Encoding": "chunked"}))
        for start in range(0, len(other), 50_000):
            piece = other[start : start + 50_000]
            connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")
        assert answered(connection)[0] == 202


def test_a_public_query_over_the_limit_is_refused_at_the_headers_and_counted_once(tmp_path: Path) -> None:
    with api(tmp_path, password_hash=hash_of(), public_query=True, public_queries_per_address=3) as public:
        for _ in range(3):
            assert slowly(public, "/api/query", {}) == 400  # the guard let it pass
        assert before_the_body(public, "POST", "/api/query", {})[0] == 429
        public.clock.advance(timedelta(seconds=60))
        assert slowly(public, "/api/query", {}) == 400


def slowly(api: Api, path: str, headers: Mapping[str, str]) -> int:
    """The status of a request whose body comes after its headers were looked at."""
    with api.connect() as connection:
        connection.sendall(
            head("POST", path, {"Content-Type": "application/json", "Content-Length": "2", **headers}).replace(
                b"HTTP/1.1\r\n", b"HTTP/1.1\r\nExpect: 100-continue\r\n"
            )
        )
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        return answered(connection)[0]


def test_the_first_look_writes_nothing(tmp_path: Path) -> None:
    """It notes no use of a key. The guard does, once the request is answered."""
    checkpoints = MemoryCheckpoints()
    with api(tmp_path, checkpoints, password_hash=hash_of()) as closed:
        keys = ApiKeys(lambda: checkpoints, closed.clock)
        key, token = keys.create("robot", scopes=[Scope.READ])
        shown = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
        environ = EnvironBuilder(path="/api/query", method="POST", environ_base=shown).get_environ()
        assert first_look(closed.app)(environ).holder == f"key:{key.id}"
        assert keys.all()[0].used_at is None
        assert slowly(closed, "/api/query", {"Authorization": f"Bearer {token}"}) == 400
        assert keys.all()[0].used_at is not None


def test_a_key_that_is_revoked_after_the_first_look_begins_nothing(closed: Api) -> None:
    keys = ApiKeys(lambda: closed.checkpoints, closed.clock)
    key, token = keys.create("robot", scopes=[Scope.READ])
    environ = EnvironBuilder(
        path="/api/documents", environ_base={"HTTP_AUTHORIZATION": f"Bearer {token}"}
    ).get_environ()
    assert first_look(closed.app)(dict(environ)).refusal is None
    keys.revoke(key.id)
    assert closed.app.test_client().open(environ).status_code == 401


def test_the_guard_reads_no_byte_of_a_body(closed: Api) -> None:
    """Under any server that reads a body only when the application does."""

    class Unread:
        def read(self, size: int = -1) -> bytes:
            raise AssertionError("the body was read")

        readline = __iter__ = read

    client = closed.app.test_client()
    for path, expected in (("/api/documents", 401), ("/api/query", 401), ("/api/nothing", 404)):
        environ = {"wsgi.input": Unread(), "CONTENT_LENGTH": "50", "wsgi.input_terminated": True}
        assert client.post(path, environ_overrides=environ).status_code == expected
    environ = {"wsgi.input": Unread(), "CONTENT_LENGTH": "50"}
    assert client.put("/api/uploads/forged", environ_overrides=environ).status_code == 404


def test_whoever_asks_first_with_a_wrong_key_is_refused_and_not_told_to_go_on(closed: Api) -> None:
    with closed.connect() as connection:
        connection.sendall(
            head("POST", "/api/documents", {**WRONG, "Expect": "100-continue", "Content-Length": "9999"})
        )
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.startswith(b"HTTP/1.1 401 ") and b" 100 " not in received
    assert slowly(closed, "/api/query", closed.key(Scope.READ)) == 400


def test_a_client_of_http_1_0_is_refused_at_its_headers(closed: Api) -> None:
    with closed.connect() as connection:
        connection.sendall(head("POST", "/api/documents", {"Content-Length": "50000000"}, version="1.0"))
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.startswith(b"HTTP/1.0 401 ")
    with closed.connect() as connection:
        length = {"Content-Length": "2", "Content-Type": "application/json", **closed.key(Scope.READ)}
        connection.sendall(head("POST", "/api/query", length, version="1.0"))
        assert not select.select([connection], [], [], 0.1)[0], "it waits for the body"
        connection.sendall(b"{}")
        assert answered(connection)[0] == 400


def test_a_client_that_goes_on_sending_has_its_refusal(closed: Api) -> None:
    assert closed.call("POST", "/api/documents", bytes(20_000_000), WRONG)[0] == 401


def test_a_connection_goes_on_after_a_refusal_without_a_body(closed: Api) -> None:
    """Also if the whole body came with the headers."""
    key = closed.key(Scope.READ)
    with closing(HTTPConnection("127.0.0.1", closed.port, timeout=PATIENCE)) as connection:
        connection.connect()
        sock = connection.sock
        for path, headers, expected in (
            ("/api/documents", dict[str, str](), 401),
            ("/api/documents", key, 200),
            ("/api/nothing", key, 404),
            ("/api/documents", key, 200),
        ):
            connection.request("GET", path, headers=dict(headers))
            answer = connection.getresponse()
            assert (answer.status, answer.read() != b"", answer.will_close) == (expected, True, False)
        sock.sendall(head("POST", "/api/query", {"Content-Length": "2"}) + b"{}")
        assert answered(sock)[0] == 401
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        assert connection.sock is sock


def test_a_refusal_does_not_stand_in_line(closed: Api) -> None:
    """Nobody is refused for want of a thread before it is known that they may ask at all."""
    with ExitStack() as stack:
        many = [stack.enter_context(closed.connect()) for _ in range(100)]
        for connection in many:
            connection.sendall(head("GET", "/api/documents", {}))
        assert {answered(connection)[0] for connection in many} == {401}


def test_requests_in_a_row_are_answered_in_their_order(closed: Api) -> None:
    """All are sent at once. The last one's body is not there, and nothing after a refusal is taken for a request."""
    key = {**closed.key(Scope.READ), "Content-Type": "application/json", "Content-Length": "2"}
    first = head("GET", "/healthz", {}) + head("POST", "/api/query", key) + b"{}" + head("GET", "/healthz", {})
    last = head("POST", "/api/documents", {"Content-Length": "5000"}) + head("GET", "/api/documents", key)
    with closed.connect() as connection:
        connection.sendall(first + last)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert re.findall(rb"HTTP/1\.1 (\d+) ", received) == [b"200", b"400", b"200", b"401"]


def test_a_record_of_a_refusal_has_the_key_that_was_refused(tmp_path: Path) -> None:
    """Also if the first look has refused it."""
    with api(tmp_path, password_hash=hash_of()) as closed:
        seen: list[object] = []

        @closed.app.after_request
        def record(response: Response) -> Response:
            caller = g.get("caller")
            seen.append(caller.id if caller is not None else None)
            return response

        keys = ApiKeys(lambda: closed.checkpoints, closed.clock)
        key, token = keys.create("reader", scopes=[Scope.READ])
        shown = {"Authorization": f"Bearer {token}"}
        assert before_the_body(closed, "POST", "/api/documents", shown)[0] == 403
        assert closed.call("DELETE", "/api/documents/1", b"", shown)[0] == 403
        assert before_the_body(closed, "POST", "/api/documents", WRONG)[0] == 401
        assert seen == [f"key:{key.id}", f"key:{key.id}", None]


def test_an_error_of_the_look_is_answered_as_the_applications(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(MemoryCheckpoints):
        is_broken = False

        def load(self, name: str) -> str | None:
            if self.is_broken:
                raise RuntimeError("broken")
            return super().load(name)

    checkpoints = Broken()
    with api(tmp_path, checkpoints, password_hash=hash_of()) as closed, caplog.at_level(logging.CRITICAL):
        checkpoints.is_broken = True
        status, _, said = before_the_body(closed, "POST", "/api/documents", WRONG)
        assert (status, said["error"]) == (500, "INTERNAL_ERROR")
        checkpoints.is_broken = False
        assert before_the_body(closed, "POST", "/api/documents", WRONG)[0] == 401


def test_one_key_does_not_take_the_room_of_all(tmp_path: Path) -> None:
    """It fills what one may have, and another one's file is taken."""
    file = b"# Backups\n\n" + b"The nightly backup starts at 02:30. " * 800_000
    with api(tmp_path, password_hash=hash_of(), space=160_000_000) as closed:
        greedy, other = closed.key(Scope.WRITE), closed.key(Scope.WRITE)
        held: list[socket.socket] = []
        try:
            while True:
                connection = closed.connect()
                held.append(connection)
                connection.sendall(head("POST", "/api/documents", {**greedy, "Content-Length": str(MAX_FILE_SIZE)}))
                if not is_taken(connection):
                    break
            assert len(held) < 5
            assert answered(held[-1])[0] == 429
            headers = {**other, "Content-Type": "multipart/form-data; boundary=edge"}
            form = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
            assert closed.call("POST", "/api/documents", form + file + b"\r\n--edge--\r\n", headers)[0] == 202
        finally:
            for connection in held:
                connection.close()


def is_taken(connection: socket.socket) -> bool:
    """Whether the server takes most of a large body, and says nothing."""
    piece = bytes(1_000_000)
    for _ in range(45):
        connection.sendall(piece)
        if select.select([connection], [], [], 0)[0]:
            return False
    return True


def test_an_address_has_so_many_connections_of_strangers(tmp_path: Path) -> None:
    """Behind a proxy that is trusted, the client's address is known with the headers."""
    with api(tmp_path, password_hash=hash_of(), trusted_proxies=1) as closed:
        login = {"Content-Length": "5000", "X-Forwarded-For": "2001:db8::1"}
        many = [closed.connect() for _ in range(101)]
        with closed.connect() as other:
            other.sendall(head("POST", "/api/auth/login", {**login, "X-Forwarded-For": "203.0.113.9"}) + b"x")
            for number, connection in enumerate(many):
                of_one_network = {**login, "X-Forwarded-For": f"2001:db8::{number + 1:x}"}
                connection.sendall(head("POST", "/api/auth/login", of_one_network) + b"x")
            assert many[0].recv(1) == b"", "the oldest of one network has made room"
            assert not select.select([other, *many[1:]], [], [], 0.1)[0]
        for connection in many:
            connection.close()


def test_what_a_stranger_may_send_is_kept_in_memory(closed: Api) -> None:
    """Every operation that needs no caller takes little, or is looked at by its route."""
    for one in OPERATIONS:
        if (not one.needs_caller and one.id != "receiveUpload") or one.is_public_query:
            assert one.body_limit.of(None).most < IN_MEMORY, one.id


@pytest.mark.parametrize("path", ["/api/query", "/api/answer"])
def test_who_is_known_sends_a_long_history_and_a_stranger_a_short_one(tmp_path: Path, path: str) -> None:
    """The server knows it when the headers are there, and takes no more of a body that is too long."""
    with api(tmp_path, password_hash=hash_of(), public_query=True) as one:
        headers = {"Content-Type": "application/json"}
        for length, status in ((1_000, 200), (39_000, 413)):
            body = {"query": "How?", "history": [{"role": "user", "text": "\U0001f680" * (length // 10)}] * 10}
            sent = json.dumps(body).encode()
            assert one.call("POST", path, sent, headers)[0] == status
            assert one.call("POST", path, sent, headers | one.key(Scope.READ))[0] == 200
        status, _, said = before_the_body(one, "POST", path, headers, size=SMALL + 1)
        assert (status, said["error"]) == (413, "REQUEST_ENTITY_TOO_LARGE") and f"{SMALL:,} bytes" in said["message"]
