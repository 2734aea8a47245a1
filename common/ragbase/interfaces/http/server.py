"""The HTTP server of `ragbase serve`: waitress, with limits for one machine and an end that cuts no request."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from flask import Flask
from waitress import wasyncore  # type: ignore[import-untyped]  # waitress has no types
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.parser import HTTPRequestParser  # type: ignore[import-untyped]
from waitress.server import create_server  # type: ignore[import-untyped]
from waitress.task import ErrorTask  # type: ignore[import-untyped]
from waitress.utilities import Error, RequestEntityTooLarge  # type: ignore[import-untyped]

from ragbase.interfaces.http.answer_headers import ON_EVERY_ANSWER
from ragbase.interfaces.http.body_limit import BodyLimit, Line
from ragbase.interfaces.http.body_space import IN_MEMORY, SPACE, BodySpace
from ragbase.interfaces.http.request_ids import HEADER, request_id
from ragbase.interfaces.http.threads import LONGEST_WAIT, Threads
from ragbase.messages.api.error import ErrorBody

CONNECTIONS = 500
"""The most at once; others wait until one of these is closed. A process may have 1,024 files open on most systems."""

IDLE = 10
"""Seconds after which a connection is closed that neither sends anything nor waits for an answer."""

RECEIVE = 30.0
"""Seconds that a request may take to arrive, and one more for each `SLOWEST` bytes of it: who sends a byte now and then
is not idle, but holds a connection."""

SLOWEST = 1024
"""Bytes a second."""

UNREAD = 256 * 1024 * 1024
"""Bytes of answers that may wait for a slow reader: more than the text of any one document. They wait on the disk. Who
asks for more without reading is cut off."""

LINGER, LINGER_BYTES = 30.0, 64 * 1024 * 1024
"""Seconds and bytes for which the rest of a refused request is thrown away. If the connection were closed at once, a
client that is still sending would see it break, and not the answer (RFC 9112, section 9.6)."""

_WORTH_ASKING = 65536
"""Bytes of a body from which on it is refused unread if too many requests wait. After a shorter one, the connection can
go on."""

_AGAIN = 1
"""Seconds after which a client that was refused for now may try again."""

PATIENCE = 30.0
"""Seconds that requests in flight may take when the server ends. Service managers wait that long, or longer."""


class Server:
    """Answers HTTP requests with a WSGI application."""

    def __init__(
        self,
        app: Flask,
        listener: socket.socket,
        *,
        body_limit: Callable[[str, str], BodyLimit],
        idle: int = IDLE,
        receive: float = RECEIVE,
        longest_wait: float = LONGEST_WAIT,
        space: int = SPACE,
    ) -> None:
        """`body_limit` gives the limit for a method and a path: a longer body is refused before it is read, or as soon
        as it has become too long. `longest_wait` is in seconds (threads.py), `space` in bytes (body_space.py)."""
        self._map: dict[int, Any] = {}
        self._stopping = False
        self._told = threading.Event()
        threads = Threads(longest_wait=longest_wait)
        self._server = create_server(
            app,
            map=self._map,
            _dispatcher=threads,
            sockets=[listener],
            connection_limit=CONNECTIONS,
            inbuf_overflow=IN_MEMORY,
            outbuf_high_watermark=UNREAD,
            max_request_body_size=sys.maxsize,  # each request has its own
            channel_timeout=idle,
            cleanup_interval=1,
            clear_untrusted_proxy_headers=False,  # client_address.py decides whom to believe
        )
        self._server.channel_class = _Connection
        self._server.parser_class = partial(_Request, body_limit, receive, threads, BodySpace(space))

    def run(self) -> None:
        """Answer requests until `stop` is called. Then take no new connection, and return when the requests in flight
        are answered."""
        try:
            while not self._stopping:
                self._turn()
            self._turn(wait=0)  # read what has arrived
            wasyncore.dispatcher.close(self._server)
            deadline = time.monotonic() + PATIENCE
            while self._close_idle() and time.monotonic() < deadline:
                self._turn()
        finally:
            self._server.task_dispatcher.shutdown()
            if self._stopping:
                self._told.wait()  # `stop` may still use what is closed now
            wasyncore.close_all(self._map)

    def stop(self) -> None:
        """Let `run` come to its end. May be called by a signal handler or another thread, and twice."""
        if not self._stopping:
            self._stopping = True
            self._server.pull_trigger()  # ends the wait of this turn
            self._told.set()

    def _turn(self, *, wait: float = 1.0) -> None:
        """Read and write whatever is ready, within `wait` seconds."""
        wasyncore.loop(wait, use_poll=True, map=self._map, count=1)

    def _close_idle(self) -> bool:
        """Close the connections without a request. Whether there are others."""
        self._server.maintenance(time.time())
        connections = list(self._server.active_channels.values())
        for connection in connections:
            if not connection.is_busy:
                connection.will_close = True
        return bool(connections)


class _ErrorAnswer(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """The answer to a request that waitress refuses, with the same body as all our errors."""

    def execute(self) -> None:
        error = self.request.error
        if isinstance(error, RequestEntityTooLarge):
            refusal = self.request.limit.refusal
            self.status = f"{refusal.status} {HTTPStatus(refusal.status).phrase}"
            body = ErrorBody(error=refusal.code, message=refusal.message).to_json()
        else:
            self.status = f"{error.code} {error.reason}"
            body = ErrorBody(error=error.reason.upper().replace(" ", "_"), message=f"{error.body}.").to_json()
        self.response_headers.extend([("Content-Type", "application/json"), *ON_EVERY_ANSWER.items()])
        self.response_headers.append((HEADER, request_id(self.request.headers.get("X_REQUEST_ID", ""))))
        if isinstance(error, _Busy):
            self.response_headers.append(("Retry-After", str(_AGAIN)))
        if not self.request.has_arrived:
            self.set_close_on_finish()
            self.channel.lingers = True
        self.content_length = len(body)
        self.write(body)


class _Request(HTTPRequestParser):  # type: ignore[misc]
    """A request that is being received, with a limit of its own for the body."""

    def __init__(
        self,
        body_limit: Callable[[str, str], BodyLimit],
        receive: float,
        threads: Threads,
        space: BodySpace,
        settings: Any,
    ) -> None:
        super().__init__(settings)
        self._began = time.monotonic()
        self._receive = receive
        self._body_limit = body_limit
        self._threads = threads
        self._space = space
        self._holds = 0
        self.limit: BodyLimit | None = None
        self.has_arrived = False
        """Whether all of it was read, and nothing is wrong with it: then the connection can go on."""

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        self._hold(self.body_bytes_received)
        if self.error is None and not self.empty:
            self._check()
        return consumed

    def close(self) -> None:
        """Throw the body away. May be called twice."""
        super().close()
        self._hold(0)

    @property
    def line(self) -> Line:
        return self.limit.line if self.limit is not None else Line.ANSWERS

    def refuse_for_now(self) -> None:
        self._refuse(_Busy("There are more requests than the server can answer now. Send it again later"))

    def _hold(self, size: int) -> None:
        self._space.hold(size - self._holds)
        self._holds = size

    def _check(self) -> None:
        self.has_arrived = self.completed
        if self.headers_finished:
            is_new = self.limit is None
            self.limit = self.limit or self._body_limit(self.command, self.path)
            if max(self.content_length, self.body_bytes_received) > self.limit.most:
                self._refuse(RequestEntityTooLarge(""))
            elif (is_new and not self._is_welcome()) or not (self.completed or self._space.has()):
                self.refuse_for_now()
                return
        if not self.completed:
            seconds = self._receive + (self.header_bytes_received + self.body_bytes_received) / SLOWEST
            if time.monotonic() - self._began > seconds:
                self._refuse(_TooSlow("The request took too long to arrive. Send it faster"))

    def _is_welcome(self) -> bool:
        """Whether a body of the length that was announced can be taken and answered now."""
        is_small = self.content_length <= _WORTH_ASKING
        return is_small or (not self._threads.is_full(self.line) and self._space.has(self.content_length))

    def _refuse(self, error: Error) -> None:
        if not self.headers_finished:
            self.parse_header(b"GET / HTTP/1.0\r\n")  # as waitress does: an answer needs a version of HTTP
        self.error = error
        self.completed = True
        self.close()
        self.expect_continue = False  # waitress would ask for the body, and forget the error


class _Busy(Error):  # type: ignore[misc]
    code = 429
    reason = "Too Many Requests"


class _TooSlow(Error):  # type: ignore[misc]
    code = 408
    reason = "Request Timeout"


class _Connection(HTTPChannel):  # type: ignore[misc]
    error_task_class = _ErrorAnswer
    lingers = False
    """Whether the client may still be sending when it has its answer."""
    _thrown_away = 0
    _linger_end: float | None = None

    @property
    def parser_class(self) -> Callable[[Any], _Request]:
        made: Callable[[Any], _Request] = self.server.parser_class
        return made

    def handle_close(self) -> None:
        if not self.lingers or self._linger_end is not None:
            super().handle_close()
            return
        self._linger_end = time.monotonic() + LINGER
        self.will_close = False
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:  # the client has gone
            super().handle_close()

    def del_channel(self, map: Any = None) -> None:
        """waitress calls it when the connection is closed. It closes the requests that have arrived, and no other."""
        super().del_channel(map)
        if self.request is not None:
            self.request.close()

    def readable(self) -> bool:
        return self._linger_end is not None or super().readable()

    def received(self, data: bytes) -> bool:
        if self._linger_end is None:
            taken: bool = super().received(data)
            return taken
        self._thrown_away += len(data)
        if self._thrown_away > LINGER_BYTES or time.monotonic() > self._linger_end:
            super().handle_close()
        return False

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Where waitress lets a thread wait for a slow reader."""
        if self.total_outbufs_len > UNREAD:
            self.will_close = True
            self.server.pull_trigger()

    @property
    def is_refused(self) -> bool:
        return self.requests[0].error is not None

    @property
    def line(self) -> Line:
        line: Line = self.requests[0].line
        return line

    def refuse_for_now(self) -> None:
        self.requests[0].refuse_for_now()

    @property
    def is_busy(self) -> bool:
        """Whether a request is being received or answered."""
        return bool(self.requests or self.request is not None or self.total_outbufs_len)
