"""The HTTP server of `ragbase serve` under trouble: silent connections, huge bodies, and its end."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from unittest.mock import ANY

import pytest
from flask import Flask, request

from ragbase.interfaces.http.body_limit import BodyLimit, Line
from ragbase.interfaces.http.body_space import SPACE
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.first_look import HOLDER, Sender
from ragbase.interfaces.http.server import Server
from ragbase.interfaces.http.threads import (
    ANSWERS,
    FILES,
    LOOKS,
    STRANGERS,
    UPLOADS,
    WAITING,
    WAITING_FILES,
    WAITING_UPLOADS,
    WRITERS,
)

PATIENCE = 30
"""Seconds after which a test is stuck."""
MAX_BODY = 1000
REFUSAL = Refused(413, "TOO_LARGE", "The body is over the limit of 1,000 bytes.")


@dataclass
class Running:
    """A server with two routes: /quick answers with its body, /slow answers when it is released."""

    server: Server
    port: int
    began: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    released: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def get(self, path: str) -> HTTPConnection:
        """A request that is on its way."""
        return self._send("GET", path)

    def post(self, path: str, body: bytes) -> HTTPConnection:
        return self._send("POST", path, body)

    def _send(self, method: str, path: str, body: bytes | None = None) -> HTTPConnection:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body)
        return connection


def line_of(body: bytes) -> Line:
    return Line.WRITERS if body == b"slow" else Line.ANSWERS


def limit(method: str, path: str) -> BodyLimit:
    if path == "/upload":
        return BodyLimit(100 * MAX_BODY, REFUSAL, line=Line.UPLOADS)
    if path == "/slow-answer":
        return BodyLimit(MAX_BODY, REFUSAL, line=Line.WRITERS)
    if path == "/mixed":
        return BodyLimit(MAX_BODY, REFUSAL, line_of=line_of, busy=lambda message: f"busy: {message}".encode())
    if path == "/file":
        return BodyLimit(MAX_BODY, REFUSAL, line=Line.FILES)
    if path == "/health":
        return BodyLimit(MAX_BODY, REFUSAL, line=Line.HEALTH)
    return BodyLimit(20 * MAX_BODY if path == "/large" else MAX_BODY, REFUSAL)


@pytest.fixture
def running() -> Iterator[Running]:
    """Its requests may wait as long as the tests do."""
    with started(longest_wait=PATIENCE) as running:
        yield running


@contextmanager
def started(
    *,
    longest_wait: float = PATIENCE,
    space: int = SPACE,
    receive: float = 3,
    longest: float = PATIENCE,
    keep_alive: int = 1,
    holder: str | None = "tester",
    looks: threading.Event | None = None,
    ends_slow: bool = False,
) -> Iterator[Running]:
    """`holder` sends all requests, but for those to /slow?stranger. A look waits for `looks`. With `ends_slow`, /slow
    answers when the server stops."""

    def look(environ: dict[str, Any]) -> Sender:
        if looks is not None:
            looks.wait(PATIENCE)
        return Sender("127.0.0.1", None if environ["QUERY_STRING"] == "stranger" else holder)

    app = Flask("test")
    released = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(
        app,
        listener,
        body_limit=limit,
        look=look,
        idle=1,
        keep_alive=keep_alive,
        receive=receive,
        longest=longest,
        longest_wait=longest_wait,
        space=space,
        ending=released.set if ends_slow else lambda: None,
    )
    running = Running(server, listener.getsockname()[1], released=released)

    @app.before_request
    def know() -> None:
        request.environ[HOLDER] = holder

    @app.route("/large", methods=["POST"])
    @app.route("/quick", methods=["GET", "POST"])
    def quick() -> bytes:
        return request.get_data() or b"quick"

    @app.route("/health")
    def health() -> str:
        return "healthy"

    @app.route("/file")
    @app.route("/slow")
    @app.route("/slow-answer", methods=["POST"])
    def slow() -> str:
        running.began.release()
        running.released.wait(PATIENCE)
        return "slow"

    @app.route("/mixed", methods=["POST"])
    def mixed() -> str | bytes:
        return slow() if request.get_data() == b"slow" else quick()

    @app.route("/pieces")
    def pieces() -> Iterator[bytes]:
        for _ in range(30):
            try:
                yield bytes(1_000_000)
            except GeneratorExit:
                running.began.release()
                raise
        running.began.release()

    @app.route("/upload", methods=["POST"])
    def upload() -> bytes:
        running.began.release()
        running.released.wait(PATIENCE)
        return request.get_data()

    with serving(running):
        yield running


@contextmanager
def serving(running: Running) -> Iterator[None]:
    def run() -> None:
        running.server.run()
        running.ended.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        running.released.set()
        running.server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def body(connection: HTTPConnection) -> bytes:
    with closing(connection), connection.getresponse() as answer:
        assert answer.status == 200
        return answer.read()


def refusal(connection: socket.socket) -> tuple[int, dict[str, str]]:
    with HTTPResponse(connection) as answer:
        answer.begin()
        return answer.status, json.load(answer)


def test_silent_connections_keep_nobody_waiting_and_are_closed(running: Running) -> None:
    with ExitStack() as connections:
        silent = [connections.enter_context(running.connect()) for _ in range(150)]

        assert body(running.get("/quick")) == b"quick"
        for connection in silent:
            assert connection.recv(1) == b""


def test_who_waits_for_an_answer_is_not_idle(running: Running) -> None:
    slow = running.get("/slow")
    assert running.began.acquire(timeout=PATIENCE)
    with running.connect() as silent, running.connect() as later:
        assert silent.recv(1) == b""
        assert later.recv(1) == b"", "they came later, and have been closed"
    running.released.set()

    assert body(slow) == b"slow"


@pytest.mark.slow
def test_a_connection_is_kept_after_an_answer_but_not_one_that_is_silent_or_does_not_read() -> None:
    """A proxy sends its next request over it, and nothing tells it whether a server that closes has taken that."""
    with (
        started(keep_alive=PATIENCE, receive=PATIENCE) as running,
        running.connect() as kept,
        running.connect() as unread,
    ):
        unread.sendall(b"GET /pieces HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert running.began.acquire(timeout=PATIENCE)
        for _ in range(3):
            kept.sendall(b"GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with HTTPResponse(kept) as answer:
                answer.begin()
                assert answer.read() == b"quick"
            with running.connect() as silent, running.connect() as stuck:
                stuck.sendall(b"GET /qui")
                assert silent.recv(1) == stuck.recv(1) == b""
        assert sum(iter(lambda: len(unread.recv(1_000_000)), 0)) < 30_000_000


def test_a_connection_that_is_not_used_again_is_closed(running: Running) -> None:
    with running.connect() as kept:
        kept.sendall(b"GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b""
        while received := kept.recv(1000):
            answer += received
    assert answer.endswith(b"quick")


def test_a_huge_body_is_refused_before_it_is_sent(running: Running) -> None:
    with running.connect() as connection:
        connection.sendall(b"POST /quick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000000\r\n\r\n")

        status, error = refusal(connection)

    assert (status, error["error"]) == (413, "TOO_LARGE")
    assert "1,000 bytes" in error["message"]


def test_a_client_that_asks_first_is_told_that_its_body_is_too_long(running: Running) -> None:
    with running.connect() as connection:
        head = b"POST /quick HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5000000\r\n\r\n"
        connection.sendall(head)
        assert refusal(connection)[0] == 413


def test_a_request_that_is_refused_before_it_is_read_keeps_its_name(running: Running) -> None:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE)
    connection.putrequest("POST", "/quick")
    connection.putheader("Content-Length", "5000000")
    connection.putheader("X-Request-Id", "job-7")
    connection.endheaders()
    response = connection.getresponse()
    assert (response.status, response.headers["X-Request-Id"]) == (413, "job-7")
    connection.close()


def test_each_path_has_its_own_limit(running: Running) -> None:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE)
    connection.request("POST", "/large", b"x" * 20 * MAX_BODY)
    assert body(connection) == b"x" * 20 * MAX_BODY


@pytest.mark.slow
@pytest.mark.parametrize("start", [b"POST /quick HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n", b"GET /q"])
def test_a_request_that_drips_in_is_given_up(running: Running, start: bytes) -> None:
    """A byte now and then keeps its connection from being idle."""
    with running.connect() as connection:
        connection.sendall(start)
        connection.settimeout(0.2)
        answer = b""
        while not answer:
            connection.sendall(b"x")
            with contextlib.suppress(TimeoutError):
                answer = connection.recv(1000)
    assert answer.startswith(b"HTTP/1.") and b" 408 " in answer


@pytest.mark.slow
@pytest.mark.parametrize(("holder", "longest"), [(None, PATIENCE), ("tester", 2)])
def test_a_request_has_a_whole_time(holder: str | None, longest: float) -> None:
    """However fast it comes: a stranger has the same as for a short one, and a known sender so much in all."""
    with started(receive=1, longest=longest, holder=holder) as running, running.connect() as connection:
        connection.sendall(upload_head(99_000))
        answer = trickled(connection, 99_000)
    assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.slow
def test_a_known_sender_has_more_time_for_a_long_body() -> None:
    with started(receive=1) as running, running.connect() as connection:
        running.released.set()
        connection.sendall(upload_head(60_000))
        assert trickled(connection, 60_000).startswith(b"HTTP/1.1 200 ")


def trickled(connection: socket.socket, size: int) -> bytes:
    """What is answered to a body that comes in pieces, some thousand bytes a second."""
    while size > 0 and not select.select([connection], [], [], 0.1)[0]:
        connection.sendall(bytes(min(size, 2_000)))
        size -= 2_000
    return connection.recv(1000)


def test_a_body_in_chunks_is_refused_when_it_becomes_too_long(running: Running) -> None:
    with running.connect() as connection:
        connection.sendall(b"POST /quick HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(b"258\r\n" + b"x" * 600 + b"\r\n")
        connection.sendall(b"258\r\n" + b"x" * 600 + b"\r\n")  # and there is no end

        assert refusal(connection)[0] == 413


def test_the_longest_body_is_taken(running: Running) -> None:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE)
    connection.request("POST", "/quick", b"x" * MAX_BODY)

    assert body(connection) == b"x" * MAX_BODY


def test_what_is_no_http_gets_an_error_of_ours(running: Running) -> None:
    with running.connect() as connection:
        connection.sendall(b"HELLO\r\n\r\n")

        status, error = refusal(connection)

    assert (status, error["error"]) == (400, "BAD_REQUEST")


def test_the_end_waits_for_the_requests_that_came_before(running: Running) -> None:
    """More than are answered at once: the others wait in the server."""
    slow = [running.get("/slow") for _ in range(ANSWERS)]
    for _ in slow:
        assert running.began.acquire(timeout=PATIENCE)
    half = running.connect()
    half.sendall(b"POST /quick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
    assert half.recv(100).startswith(b"HTTP/1.1 100 "), "the server has the first half"

    running.server.stop()
    with pytest.raises(ConnectionError):
        while True:  # until nobody listens any more
            running.connect().close()
    half.sendall(b"hello")
    assert not running.ended.is_set()
    running.released.set()

    assert [body(request) for request in slow] == [b"slow"] * len(slow)
    assert rest_of(half).endswith(b"hello")
    assert running.ended.wait(PATIENCE)


def rest_of(connection: socket.socket) -> bytes:
    with connection:
        return b"".join(iter(lambda: connection.recv(65536), b""))


def refused_of(connections: Sequence[HTTPConnection], count: int) -> list[HTTPConnection]:
    """Those that have an answer while the others wait, once there are so many."""
    answered: list[HTTPConnection] = []
    while len(answered) < count:
        answered = [one for one in connections if select.select([one.sock], [], [], 0.01)[0]]
    return answered


def test_more_requests_than_may_wait_are_refused_at_once(running: Running) -> None:
    """Their connections can go on."""
    slow = [running.get("/slow") for _ in range(ANSWERS)]
    for _ in slow:
        assert running.began.acquire(timeout=PATIENCE)
    others = [running.get("/quick") for _ in range(WAITING + 5)]
    refused = refused_of(others, 5)
    for connection in refused:
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Retry-After"), answer.will_close) == (429, "1", False)
        assert json.load(answer)["error"] == "TOO_MANY_REQUESTS"
        connection.close()

    running.released.set()
    assert [body(connection) for connection in slow] == [b"slow"] * ANSWERS
    assert [body(one) for one in others if one not in refused] == [b"quick"] * WAITING


def test_nobody_comes_to_a_line_that_stands_still() -> None:
    with started(longest_wait=0) as running:
        slow = []
        for _ in range(ANSWERS):
            slow.append(running.get("/slow"))
            assert running.began.acquire(timeout=PATIENCE), "each has a thread before the next one comes"
        others = [running.get("/quick") for _ in range(3)]
        refused = refused_of(others, 2)
        assert [status_of(one) for one in refused] == [429, 429]

        running.released.set()
        assert [body(one) for one in others if one not in refused] == [b"quick"]
        assert [body(connection) for connection in slow] == [b"slow"] * ANSWERS


def test_answers_that_take_long_hold_up_nothing_else(running: Running) -> None:
    """As many as are written at once, as many as may wait, and one more: it is refused."""
    written = [running.post("/slow-answer", b"") for _ in range(WRITERS)]
    for _ in written:
        assert running.began.acquire(timeout=PATIENCE)
    waiting = [running.post("/slow-answer", b"") for _ in range(WAITING + 1)]
    (refused,) = refused_of(waiting, 1)
    assert status_of(refused) == 429

    assert [body(running.get("/quick")) for _ in range(ANSWERS)] == [b"quick"] * ANSWERS
    running.released.set()
    served = [one for one in (*written, *waiting) if one is not refused]
    assert [body(one) for one in served] == [b"slow"] * (WRITERS + WAITING)


def test_a_path_with_slow_and_quick_requests_holds_up_nothing_quick(running: Running) -> None:
    """Whether a request is slow stands in its body."""
    written = [running.post("/mixed", b"slow") for _ in range(WRITERS)]
    for _ in written:
        assert running.began.acquire(timeout=PATIENCE)
    waiting = [running.post("/mixed", b"slow") for _ in range(WAITING + 1)]
    (refused,) = refused_of(waiting, 1)
    with closing(refused), refused.getresponse() as answer:
        assert (answer.status, answer.headers["Retry-After"]) == (429, "1")
        assert answer.read().startswith(b"busy: There are more requests than")

    for _ in range(ANSWERS):
        assert body(running.post("/mixed", b"quick")) == b"quick"
        assert body(running.get("/quick")) == b"quick"
    running.released.set()
    served = [one for one in (*written, *waiting) if one is not refused]
    assert [body(one) for one in served] == [b"slow"] * (WRITERS + WAITING)


def test_strangers_hold_up_nobody_who_is_known(running: Running) -> None:
    """As many as are answered at once, as many as may wait, and one more: it is refused."""
    slow = [running.get("/slow?stranger") for _ in range(STRANGERS)]
    for _ in slow:
        assert running.began.acquire(timeout=PATIENCE)
    waiting = [running.get("/slow?stranger") for _ in range(WAITING + 1)]
    (refused,) = refused_of(waiting, 1)
    assert status_of(refused) == 429

    assert [body(running.get("/quick")) for _ in range(ANSWERS)] == [b"quick"] * ANSWERS
    running.released.set()
    served = [one for one in (*slow, *waiting) if one is not refused]
    assert [body(one) for one in served] == [b"slow"] * (STRANGERS + WAITING)


def test_a_page_gets_all_of_its_files_from_a_busy_server() -> None:
    """However long the first of them waits for a thread."""
    with started(longest_wait=0, holder=None) as running:
        files = [running.get("/file") for _ in range(FILES + WAITING_FILES)]
        for _ in range(FILES):
            assert running.began.acquire(timeout=PATIENCE)
        running.released.set()
        assert [body(one) for one in files] == [b"slow"] * len(files)


def test_a_health_check_is_answered_however_many_requests_wait(running: Running) -> None:
    slow = [running.get("/slow") for _ in range(ANSWERS)]
    for _ in slow:
        assert running.began.acquire(timeout=PATIENCE)
    others = [running.get("/quick") for _ in range(WAITING + 1)]
    (refused,) = refused_of(others, 1)
    refused.close()

    assert [body(running.get("/health")) for _ in range(WAITING)] == [b"healthy"] * WAITING
    running.released.set()
    assert [body(connection) for connection in slow] == [b"slow"] * ANSWERS
    assert [body(one) for one in others if one is not refused] == [b"quick"] * WAITING


def test_a_look_that_waits_for_the_disk_holds_up_no_health_check() -> None:
    """More such looks than are made at once. Each goes on where it stood."""
    looks = threading.Event()
    with started(looks=looks) as running, ExitStack() as connections:
        waiting = [connections.enter_context(running.connect()) for _ in range(LOOKS + 2)]
        for connection in waiting:
            connection.sendall(upload_head(3) + b"a")
        assert [body(running.get("/health")) for _ in range(3)] == [b"healthy"] * 3
        running.released.set()
        looks.set()
        for connection in waiting:
            connection.sendall(b"bc")
            with HTTPResponse(connection) as answer:
                answer.begin()
                assert (answer.status, answer.read()) == (200, b"abc")


def test_bodies_that_arrive_have_so_much_room_together() -> None:
    """Who comes then is refused before the body is sent, and taken once there is room again."""
    size = 90 * MAX_BODY
    with started(space=200 * MAX_BODY) as running, running.connect() as first:
        first.sendall(upload_head(size) + b"x" * (size - 1))
        while (refused := answer_within_a_moment(running, upload_head(size))) is None:
            pass  # the server is still reading the first
        assert refused.startswith(b"HTTP/1.1 429 ") and b"\r\nRetry-After: 1\r\n" in refused

        running.released.set()
        first.sendall(b"x")
        with HTTPResponse(first) as answer:
            answer.begin()
            assert len(answer.read()) == size
        while (answered := answer_within_a_moment(running, upload_head(size) + b"x" * size)) is None or (
            answered.startswith(b"HTTP/1.1 429 ")
        ):
            pass  # the server throws a body away once it has answered
        assert answered.startswith(b"HTTP/1.1 200 ")


def test_a_body_of_unknown_length_is_refused_when_there_is_no_room_left() -> None:
    """The room is free again when the connection is."""
    with started(space=100 * MAX_BODY) as running:
        head = b"POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        piece = b"%x\r\n%b\r\n" % (40 * MAX_BODY, b"x" * 40 * MAX_BODY)
        with running.connect() as connection:
            connection.sendall(head + piece + piece)
            assert refusal(connection) == (429, ANY)
        with running.connect() as gone:
            gone.sendall(head + piece)
        running.released.set()
        while (answer := answer_within_a_moment(running, head + piece + b"0\r\n\r\n")) is None or b" 429 " in answer:
            pass  # the server has not seen yet that the other one is gone
        assert answer.startswith(b"HTTP/1.1 200 ")


def status_of(connection: HTTPConnection) -> int:
    with closing(connection), connection.getresponse() as answer:
        return answer.status


def upload_head(size: int) -> bytes:
    return b"POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % size


def answer_within_a_moment(running: Running, request: bytes) -> bytes | None:
    with running.connect() as connection:
        connection.sendall(request)
        return connection.recv(1000) if select.select([connection], [], [], 0.1)[0] else None


def test_uploads_hold_up_nobody_but_uploads(running: Running) -> None:
    uploads = [running.post("/upload", b"file") for _ in range(UPLOADS)]
    for _ in uploads:
        assert running.began.acquire(timeout=PATIENCE)
    others = [running.post("/upload", b"file") for _ in range(WAITING_UPLOADS + 1)]
    (refused,) = refused_of(others, 1)
    refused.close()
    with running.connect() as later:
        later.sendall(b"POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n")
        status, error = refusal(later)
        assert (status, error["error"]) == (429, "TOO_MANY_REQUESTS"), "before its body is sent"
    assert body(running.get("/quick")) == b"quick"

    running.released.set()
    waited = [upload for upload in (*uploads, *others) if upload is not refused]
    assert [body(upload) for upload in waited] == [b"file"] * (UPLOADS + WAITING_UPLOADS)


@pytest.mark.slow
def test_who_does_not_read_a_long_answer_holds_nobody_up(running: Running) -> None:
    """More such readers than there are threads."""
    with ExitStack() as connections:
        for _ in range(ANSWERS + 2):
            reader = connections.enter_context(running.connect())
            reader.sendall(b"GET /pieces HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert reader.recv(12) == b"HTTP/1.1 200"
        assert body(running.get("/quick")) == b"quick"


def test_a_stranger_who_does_not_read_a_long_answer_is_cut_off() -> None:
    with started(holder=None) as running, running.connect() as reader:
        reader.sendall(b"GET /pieces HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert running.began.acquire(timeout=PATIENCE)
        received = 0
        with contextlib.suppress(ConnectionError):
            while piece := reader.recv(1_000_000):
                received += len(piece)
        assert received < 30_000_000


def test_a_client_that_goes_on_sending_has_its_refusal(running: Running) -> None:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE)
    connection.request("POST", "/quick", bytes(20_000_000))
    with closing(connection), connection.getresponse() as answer:
        assert (answer.status, json.load(answer)["error"]) == (413, "TOO_LARGE")


def test_the_end_is_told_to_those_who_would_not_end() -> None:
    with started(ends_slow=True) as running:
        slow = running.get("/slow")
        assert running.began.acquire(timeout=PATIENCE)
        running.server.stop()
        assert body(slow) == b"slow"


def test_silent_connections_do_not_delay_the_end(running: Running) -> None:
    with running.connect() as silent:
        running.server.stop()

        assert running.ended.wait(PATIENCE)
        assert silent.recv(1) == b""
