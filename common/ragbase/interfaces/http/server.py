"""The HTTP server of `ragbase serve`: waitress, with limits for one machine and an end that cuts no request."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Flask
from waitress import wasyncore  # type: ignore[import-untyped]  # waitress has no types
from waitress.server import create_server  # type: ignore[import-untyped]

from ragbase import telemetry
from ragbase.domain.limits import KEEP_ALIVE
from ragbase.interfaces.http.body_limit import BodyLimit
from ragbase.interfaces.http.body_space import IN_MEMORY, SPACE, BodySpace
from ragbase.interfaces.http.connection import UNREAD, Connection
from ragbase.interfaces.http.first_look import FirstLook
from ragbase.interfaces.http.places import CONNECTIONS, Places
from ragbase.interfaces.http.request_parser import LONGEST, RECEIVE, Terms
from ragbase.interfaces.http.threads import LONGEST_WAIT, Threads

IDLE = 10
"""Seconds after which a connection is closed that has sent no whole request yet and is silent, or does not read its
answer. One that has read an answer is kept for longer (domain/limits.py, KEEP_ALIVE)."""

PATIENCE = 30.0
"""Seconds that requests in flight may take when the server ends. Service managers wait that long, or longer."""

_ACCEPTED = 32
"""The most connections accepted in a row. waitress accepts one whenever it goes through all connections, which takes
longer the more there are: under a flood, others would wait for seconds. All that are accepted at once find a place."""

_TIDIED_EVERY = 1.0
"""Seconds."""

_REPORTED_EVERY = 60.0
"""Seconds."""


class Server:
    """Answers HTTP requests with a WSGI application."""

    def __init__(
        self,
        app: Flask,
        listener: socket.socket,
        *,
        body_limit: Callable[[str, str], BodyLimit],
        look: FirstLook,
        behind_proxies: bool = False,
        idle: int = IDLE,
        keep_alive: int = KEEP_ALIVE,
        receive: float = RECEIVE,
        longest: float = LONGEST,
        longest_wait: float = LONGEST_WAIT,
        space: int = SPACE,
        connections: int = CONNECTIONS,
        ending: Callable[[], object] = lambda: None,
    ) -> None:
        """`look` says who sends a request, as soon as its headers are there: a body that is refused is not taken.

        `body_limit` gives the limit for a method and a path: a longer body is refused before it is read, or as soon
        as it has become too long. `behind_proxies` says that clients come through proxies that are trusted.
        `ending` is called when the server takes no more requests, and ends what would not end by itself.
        `idle`, `keep_alive`, `receive`, `longest` (request_parser.py) and `longest_wait` (threads.py) are in seconds,
        `space` in bytes.
        """
        self._map: dict[int, Any] = {}
        self._stopping = False
        self._told = threading.Event()
        self._ending = ending
        threads = Threads(longest_wait=longest_wait)
        self._server = create_server(
            app,
            map=self._map,
            _dispatcher=threads,
            sockets=[listener],
            connection_limit=sys.maxsize,  # places.py closes others
            inbuf_overflow=IN_MEMORY,
            outbuf_high_watermark=UNREAD,
            max_request_body_size=sys.maxsize,  # each request has its own
            channel_timeout=max(idle, keep_alive),
            cleanup_interval=1,
            clear_untrusted_proxy_headers=False,  # client_address.py decides whom to believe
        )
        terms = Terms(body_limit=body_limit, receive=receive, longest=longest, threads=threads, space=BodySpace(space))
        self._places = Places(behind_proxies=behind_proxies, most=connections)
        self._server.channel_class = partial(Connection, terms, look, self._places)
        self._idle = idle
        self._tidy_at = 0.0
        self._report_at = 0.0
        self._closed = 0

    def run(self) -> None:
        """Answer requests until `stop` is called. Then take no new connection, and return when the requests in flight
        are answered."""
        try:
            while not self._stopping:
                self._turn()
            self._turn(wait=0)  # read what has arrived
            wasyncore.dispatcher.close(self._server)
            self._ending()
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
        taken = self._places.taken
        wasyncore.loop(wait, use_poll=True, map=self._map, count=1)
        if self._places.taken > taken and not self._stopping:
            self._accept()

        for connection in self._places.too_many():
            connection.close_now()
            self._closed += 1
        if time.monotonic() >= self._tidy_at:
            self._tidy()

    def _accept(self) -> None:
        """Take more connections that wait: one has just come."""
        for _ in range(_ACCEPTED):
            taken = self._places.taken
            self._server.handle_accept()
            if self._places.taken == taken:
                return

    def _tidy(self) -> None:
        """Close those that waitress wants to close, but cannot write to: their client does not read. Let it close those
        that are silent without having been answered. Say how many had to make room."""
        self._tidy_at = time.monotonic() + _TIDIED_EVERY
        silent_since = time.time() - self._idle
        for connection in list(self._server.active_channels.values()):
            if connection.will_close:
                connection.handle_close()
            elif not connection.requests and not connection.rests and connection.last_activity < silent_since:
                connection.will_close = True
        if self._closed and time.monotonic() >= self._report_at:
            self._report_at = time.monotonic() + _REPORTED_EVERY
            telemetry.log("serve.connections_closed", level=logging.WARNING, count=self._closed)
            self._closed = 0

    def _close_idle(self) -> bool:
        """Close the connections without a request. Whether there are others."""
        self._server.maintenance(time.time())
        connections = list(self._server.active_channels.values())
        for connection in connections:
            if not connection.is_busy:
                connection.will_close = True
        return bool(connections)
