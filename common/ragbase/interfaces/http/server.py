"""The HTTP server of `ragbase serve`: waitress, with limits for one machine and an end that cuts no request."""

from __future__ import annotations

import socket
import time
from typing import Any

from flask import Flask
from waitress import wasyncore  # type: ignore[import-untyped]  # waitress has no types
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.server import create_server  # type: ignore[import-untyped]
from waitress.task import ErrorTask  # type: ignore[import-untyped]
from waitress.utilities import RequestEntityTooLarge  # type: ignore[import-untyped]

from ragbase.interfaces.wire.error import ErrorBody

THREADS = 8
"""Requests answered at once. A search releases the interpreter's lock most of the time."""

CONNECTIONS = 500
"""The most at once; others wait until one of these is closed. A process may have 1,024 files open on most systems."""

IDLE = 10
"""Seconds after which a connection is closed that neither sends anything nor waits for an answer."""

PATIENCE = 30.0
"""Seconds that requests in flight may take when the server ends. Service managers wait that long, or longer."""


class Server:
    """Answers HTTP requests with a WSGI application."""

    def __init__(self, app: Flask, listener: socket.socket, *, max_body: int, idle: int = IDLE) -> None:
        """`max_body` is in bytes: a longer body is refused before it is read."""
        self._map: dict[int, Any] = {}
        self._stopping = False
        self._server = create_server(
            app,
            map=self._map,
            sockets=[listener],
            threads=THREADS,
            connection_limit=CONNECTIONS,
            channel_timeout=idle,
            cleanup_interval=1,
            max_request_body_size=max_body + 1,  # waitress refuses what reaches it
        )
        self._server.channel_class = _Connection

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
            wasyncore.close_all(self._map)

    def stop(self) -> None:
        """Let `run` come to its end. May be called by a signal handler or another thread, and twice."""
        if not self._stopping:
            self._server.pull_trigger()  # ends the wait of this turn
            self._stopping = True  # from here on, the trigger may be closed

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
        message = f"{error.body}."
        if isinstance(error, RequestEntityTooLarge):
            limit = self.channel.adj.max_request_body_size - 1
            message = f"The body is over the limit of {limit:,} bytes. Send a shorter one."
        body = ErrorBody(error=error.reason.upper().replace(" ", "_"), message=message).to_json()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Connection(HTTPChannel):  # type: ignore[misc]
    error_task_class = _ErrorAnswer

    @property
    def is_busy(self) -> bool:
        """Whether a request is being received or answered."""
        return bool(self.requests or self.request is not None or self.total_outbufs_len)
