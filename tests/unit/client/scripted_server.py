"""A server that answers as a test says, also badly."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    port: int
    """Of the client: another one for each connection."""


_PATIENCE = 10.0
"""Seconds after which a client takes no more."""

Step = Callable[["_Handler"], None]


@dataclass
class Script:
    """What the server answers, in this order, and what it was asked."""

    url: str = ""
    steps: deque[Step] = field(default_factory=deque)
    asked: list[Asked] = field(default_factory=list)

    def then(self, *steps: Step) -> None:
        self.steps.extend(steps)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self._chunked() if self.headers.get("Transfer-Encoding") == "chunked" else self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.script.asked.append(Asked(self.command, self.path, headers, body, self.client_address[1]))
        self.script.steps.popleft()(self)

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - the names that the server asks for

    def _chunked(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, format: str, *args: Any) -> None:
        pass


def answer(status: int, body: object = None, **headers: str) -> Step:
    """`body` is bytes, or becomes JSON."""

    def step(handler: _Handler) -> None:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return step


def refusal(status: int, code: str = "UNAVAILABLE", message: str = "Try again.", **headers: str) -> Step:
    return answer(status, {"error": code, "message": message}, **headers)


def cut(handler: _Handler) -> None:
    """No answer: the connection ends."""
    handler.close_connection = True


def cut_amid_the_body(handler: _Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"results": [')
    handler.close_connection = True


def drip(pieces: int, between: Callable[[], None]) -> Step:
    """A body in many pieces, with something between them."""

    def step(handler: _Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(pieces))
        handler.end_headers()
        for _ in range(pieces):
            between()
            handler.wfile.write(b" ")
            handler.wfile.flush()

    return step


def pieces(
    body: Sequence[bytes],
    before: Callable[[], None] = lambda: None,
    *,
    client_takes: Callable[[], int] | None = None,
    is_whole: bool = True,
) -> Step:
    """A body without a stated length, each piece after `before`. With `client_takes`, a piece waits until the client
    has taken all before it. A body that is not whole breaks off."""

    def step(handler: _Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for number, piece in enumerate(body):
            end = time.monotonic() + _PATIENCE
            while client_takes is not None and client_takes() < number and time.monotonic() < end:
                time.sleep(0.001)
            before()
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            handler.wfile.flush()
        if is_whole:
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = True

    return step


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The client may have gone."""


@contextmanager
def scripted_server() -> Iterator[Script]:
    script = Script()
    handler = type("Handler", (_Handler,), {"script": script})
    server = _Server(("127.0.0.1", 0), handler)
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
