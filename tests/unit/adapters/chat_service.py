"""A server that answers for a service with language models: byte for byte what a test wants, well or hostile."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-0123456789abcdef"
STREAM = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}


@dataclass
class Reply:
    """What is sent, piece by piece. If it is `broken`, the connection is closed before the end of the body."""

    pieces: Iterable[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: STREAM)
    broken: bool = False


Answering = Callable[[Mapping[str, Any]], Reply]


@dataclass
class Server:
    """The requests that it got, and their headers. `over` is set at the end of the test: what hangs waits for it."""

    answer: Answering
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    pieces_sent: int = 0

    def hang(self) -> Iterator[bytes]:
        self.over.wait(60)
        yield from ()

    def endless(self, piece: bytes) -> Iterator[bytes]:
        while not self.over.is_set():
            yield piece


@contextmanager
def serving(answer: Answering) -> Iterator[Server]:
    server = Server(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(request)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            server.paths.append(self.path)
            with suppress(ConnectionError):
                self._send(server.answer(request))

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in reply.pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
                server.pieces_sent += 1
            if reply.broken:
                self.close_connection = True
                self.connection.close()
                return
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, format: str, *arguments: Any) -> None:
            """The test shows what matters."""

    class Listening(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """A caller that hangs up is no error."""

    listening = Listening(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    listening.block_on_close = False
    server.url = f"http://127.0.0.1:{listening.server_port}"
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        listening.shutdown()
        thread.join()
        listening.server_close()
