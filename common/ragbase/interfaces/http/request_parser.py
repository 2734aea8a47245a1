"""A request that is being received: who sends it, how long it may be, and how long it may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError  # type: ignore[import-untyped]  # waitress has no types
from waitress.utilities import BadRequest, Error, RequestEntityTooLarge  # type: ignore[import-untyped]

from ragbase.interfaces.http.body_limit import BodyLimit, Line
from ragbase.interfaces.http.body_space import BodySpace
from ragbase.interfaces.http.first_look import Sender
from ragbase.interfaces.http.threads import Threads

RECEIVE = 30.0
"""Seconds that a request may take to arrive. A known sender has one more for each `SLOWEST` bytes of it."""

SLOWEST = 1024
"""Bytes a second. A sender of a byte now and then is not idle, but holds a connection."""

LONGEST = 15 * 60.0
"""Seconds that any request may take to arrive: 50 MB at 0.5 Mbit/s."""

_WORTH_ASKING = 65536
"""Bytes of a body from which on it is refused unread if too many requests wait. After a shorter one, the connection can
go on."""

_CONTROL_LINE, _TRAILER = 1024, 8192
"""Bytes of the line before a chunk, with its extensions, and of the fields after the last one. waitress keeps both
apart from the body, and joins them again with each piece that arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On what terms a server takes requests. `receive` and `longest` are in seconds."""

    body_limit: Callable[[str, str], BodyLimit]
    """For a method and a path."""
    receive: float
    longest: float
    threads: Threads
    space: BodySpace


class RequestParser(HTTPRequestParser):  # type: ignore[misc]
    """A request whose body is taken, and which is answered, once somebody has said who sends it."""

    def __init__(self, terms: Terms, settings: Any) -> None:
        super().__init__(settings)
        self._terms = terms
        self._began = time.monotonic()
        self._holds = 0
        self._has_body = True
        self._held_back = b""
        self._expected_continue = False
        self._size_is_checked = False
        self._line: Line | None = None
        self.limit: BodyLimit | None = None
        self.sender: Sender | None = None
        self.is_looked_at = False
        """Whether somebody has to say who sends this (`know`). What arrives until then is no part of the body yet."""
        self.has_arrived = False
        """Whether all of it was read, and nothing is wrong with it: then the connection can go on."""

    def received(self, data: bytes) -> int:
        if self.is_looked_at:
            self._held_back += data
            return len(data)
        consumed: int = super().received(data)
        self._hold(self.body_bytes_received)
        if self.error is None and not self.empty:
            self._check()
        return consumed

    def know(self, sender: Sender) -> bytes:
        """Take the body, or refuse the request. Returns what has come after the headers, or after a body that was
        thrown away."""
        self.is_looked_at = False
        self.sender = sender
        come, self._held_back = self._held_back, b""
        if sender.refusal is not None:
            self.has_arrived = not self._has_body or 0 < self.content_length <= len(come)
            self._end()
            return come[self.content_length :] if self.has_arrived else b""
        self.limit = self.limit.of(sender.holder) if self.limit is not None else None
        self.expect_continue = self._expected_continue
        self.completed = self.has_arrived = not self._has_body
        self._check_size()
        return b"" if self.error is not None else come

    def close(self) -> None:
        """Throw the body away. May be called twice."""
        super().close()
        self._hold(0)

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # a length of more digits than Python reads, or an address that is none
            raise ParsingError("The first line or a header cannot be read") from error
        # waitress takes the header away where it follows it. Of two servers in a row, one would end such a body
        # elsewhere than the other (RFC 9112, section 6.1).
        if "TRANSFER_ENCODING" in self.headers or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("Transfer-Encoding has no place beside Content-Length, and none before HTTP/1.1")

    @property
    def line(self) -> Line:
        if self._line is not None:
            line = self._line
        elif self.limit is None:
            line = Line.ANSWERS
        elif self.limit.line_of is not None and self.has_arrived and self.body_rcv is not None:
            line = self._line = self.limit.line_of(self.body_rcv.getbuf().get())
        else:
            line = self.limit.line
        return Line.STRANGERS if line is Line.ANSWERS and self.holder is None else line

    @property
    def refusal(self) -> Exception | None:
        """Why the sender may not send this: the application answers it."""
        return self.sender.refusal if self.sender is not None else None

    @property
    def holder(self) -> str | None:
        """Who was found to send this. None for a stranger."""
        return self.sender.holder if self.sender is not None else None

    def refuse_for_now(self) -> None:
        self._refuse(RefusedForNow("There are more requests than the server can answer now. Send it again later"))

    def _check(self) -> None:
        if not self.headers_finished:
            self._check_time()
        elif self.limit is None:
            self.limit = self._terms.body_limit(self.command, self.path)
            if self.limit.line is Line.HEALTH and self.completed:
                self.has_arrived = True
                return
            self.is_looked_at = True
            self._has_body, self.completed = not self.completed, False
            self._expected_continue, self.expect_continue = self.expect_continue, False
        else:
            self.has_arrived = self.completed
            self._check_size()
            if not self.completed:
                self._check_time()

    def _check_size(self) -> None:
        limit = self.limit
        if limit is None:
            return
        is_new, self._size_is_checked = not self._size_is_checked, True
        if max(self.content_length, self.body_bytes_received) > limit.most:
            self._refuse(RequestEntityTooLarge(""))
        elif not self.completed and self._frames_are_too_long():
            self._refuse(BadRequest("The line before a chunk, or what follows the last one, is too long"))
        elif (is_new and not self._is_welcome()) or not (self.completed or self._terms.space.has(self._held_for)):
            self.refuse_for_now()

    def _frames_are_too_long(self) -> bool:
        receiver: Any = self.body_rcv
        return self.chunked and (len(receiver.control_line) > _CONTROL_LINE or len(receiver.trailer) > _TRAILER)

    def _check_time(self) -> None:
        seconds = self._terms.receive
        if self.holder is not None:
            seconds = min(seconds + self.body_bytes_received / SLOWEST, self._terms.longest)
        if time.monotonic() - self._began > seconds:
            self._refuse(_TooSlow("The request took too long to arrive. Send it faster"))

    def _is_welcome(self) -> bool:
        """Whether a body of the length that was announced can be taken and answered now."""
        if self.content_length <= _WORTH_ASKING:
            return True
        terms = self._terms
        return not terms.threads.is_full(self.line) and terms.space.has(self._held_for, self.content_length)

    @property
    def _held_for(self) -> str:
        return self.holder or (self.sender.address if self.sender is not None else "")

    def _hold(self, size: int) -> None:
        if size != self._holds:
            self._terms.space.change(self._held_for, before=self._holds, after=size)
            self._holds = size

    def _refuse(self, error: Error) -> None:
        if not self.headers_finished:
            self.parse_header(b"GET / HTTP/1.0\r\n")  # as waitress does: an answer needs a version of HTTP
        self.error = error
        self._end()

    def _end(self) -> None:
        """No more of this request is taken."""
        self.completed = True
        self.close()
        self.body_rcv = None
        self._held_back = b""
        self.expect_continue = False  # waitress would ask for the body, and forget the error


class RefusedForNow(Error):  # type: ignore[misc]
    code = 429
    reason = "Too Many Requests"


class _TooSlow(Error):  # type: ignore[misc]
    code = 408
    reason = "Request Timeout"
