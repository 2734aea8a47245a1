"""A connection to the server: its requests are looked at, received and answered, one after another."""

from __future__ import annotations

import logging
import socket
import time
from functools import partial
from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING, Any

from waitress.channel import ClientDisconnected, HTTPChannel  # type: ignore[import-untyped]  # waitress has no types
from waitress.task import ErrorTask, WSGITask  # type: ignore[import-untyped]
from waitress.utilities import RequestEntityTooLarge  # type: ignore[import-untyped]

from ragbase.interfaces.http.answer_headers import ON_EVERY_ANSWER
from ragbase.interfaces.http.body_limit import Line
from ragbase.interfaces.http.client_address import counted_as
from ragbase.interfaces.http.first_look import HOLDER, REFUSED, FirstLook, Sender
from ragbase.interfaces.http.places import Standing
from ragbase.interfaces.http.request_ids import HEADER, request_id
from ragbase.interfaces.http.request_parser import RefusedForNow, RequestParser, Terms
from ragbase.messages.api.error import ErrorBody

if TYPE_CHECKING:
    from ragbase.interfaces.http.places import Places
    from ragbase.interfaces.http.threads import Threads

UNREAD = 256 * 1024 * 1024
"""Bytes of answers that may wait for a slow reader: more than the text of any one document. They wait on the disk. Who
asks for more without reading is cut off."""

UNREAD_OF_STRANGERS = 256 * 1024
"""As above. A stranger gets refusals, health checks and the API's description."""

LINGER, LINGER_BYTES = 30.0, 64 * 1024 * 1024
"""Seconds and bytes for which the rest of a refused request is thrown away. If the connection were closed at once, a
client that is still sending would see it break, and not the answer (RFC 9112, section 9.6)."""

_AGAIN = 1
"""Seconds after which a client that was refused for now may try again."""


class Connection(HTTPChannel):  # type: ignore[misc]
    """waitress calls its methods in the one thread that reads and writes, but for `service` and what that calls."""

    request: RequestParser | None

    def __init__(self, terms: Terms, look: FirstLook, places: Places, *arguments: Any, **named: Any) -> None:
        self._terms = terms
        self._look = look
        self._places = places
        self._is_looked_at = False
        self._lingers = False
        self._linger_end: float | None = None
        self._thrown_away = 0
        self._answer: _Answer | None = None
        self._last_holder: str | None = None
        self._is_answered = False
        super().__init__(*arguments, **named)
        self._peer = places.address_of_peer(counted_as(self.addr[0]))
        self._client: str | None = None
        """Whose request was looked at last. A proxy sends requests of many clients over one connection."""
        places.take(self)

    @property
    def task_class(self) -> type[_Answer]:
        return _Answer

    @property
    def error_task_class(self) -> type[_ErrorAnswer]:
        return _ErrorAnswer

    @property
    def parser_class(self) -> partial[RequestParser]:
        return partial(RequestParser, self._terms)

    @property
    def standing(self) -> Standing:
        """How much it would harm to close this connection."""
        if self.requests:
            return Standing.ANSWERED
        if self.holder is None:
            return Standing.STRANGER
        sends = self.request is not None and self.request.holder is not None
        return Standing.KNOWN if sends or self.total_outbufs_len else Standing.RESTING

    @property
    def address(self) -> str | None:
        """Whose connection it is while a request is received; None if that cannot be known."""
        request = self.request
        return self._client if request is not None and request.sender is not None else self._peer

    @property
    def holder(self) -> str | None:
        """Who was found to send what is received now, or else the request that was answered last."""
        request, answer = self.request, self._answer
        if request is not None and request.holder is not None:
            return request.holder
        return answer.holder if answer is not None else self._last_holder

    @property
    def is_busy(self) -> bool:
        """Whether a request is being received or answered."""
        return bool(self.requests or self.request is not None or self.total_outbufs_len)

    @property
    def rests(self) -> bool:
        """Whether a request was answered, and there is no other one yet."""
        return self._is_answered and not self.is_busy

    @property
    def is_refused(self) -> bool:
        request = self.requests[0]
        return request.error is not None or request.refusal is not None

    @property
    def line(self) -> Line:
        line: Line = self.requests[0].line
        return line

    def refuse_for_now(self) -> None:
        self.requests[0].refuse_for_now()

    def close_now(self) -> None:
        """May not be called while the server goes through the connections that are ready: a new one could get this
        one's descriptor, and be taken for ready."""
        super().handle_close()

    def linger(self) -> None:
        """After the answer, throw away what the client is still sending."""
        self._lingers = True

    def begin(self, answer: _Answer) -> None:
        self._answer = answer

    def end(self, answer: _Answer) -> None:
        """An answer keeps its request, and that a whole file. A connection without a request keeps neither."""
        self._last_holder = answer.holder
        self._is_answered = True
        self._answer = None

    def handle_close(self) -> None:
        if not self._lingers or self._linger_end is not None:
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
        self._places.leave(self)
        if self.request is not None:
            self.request.close()

    def readable(self) -> bool:
        return self._linger_end is not None or (not self._is_looked_at and super().readable())

    def received(self, data: bytes) -> bool:
        if self._linger_end is not None:
            self._thrown_away += len(data)
            if self._thrown_away > LINGER_BYTES or time.monotonic() > self._linger_end:
                super().handle_close()
            return False
        taken: bool = super().received(data)
        request = self.request
        if request is not None and request.is_looked_at and not self._is_looked_at:
            self._is_looked_at = True
            threads: Threads = self.server.task_dispatcher
            threads.look(_Looking(self, request, self._look))
        return taken

    def know(self, request: RequestParser, sender: Sender) -> None:
        """Go on with a request whose sender was looked at."""
        self._is_looked_at = False
        if request is not self.request or not self.connected:
            return
        self._client = self._places.address_of_client(sender.address)
        self._places.note_change()
        with self.requests_lock:  # a thread that has answered the request before asks this one to go on, if it waits
            come = request.know(sender)
            if request.completed:
                self.request = None
                self.requests.append(request)
                if len(self.requests) == 1:
                    self.server.add_task(self)
            elif request.expect_continue and not self.requests and not self.sent_continue:
                self.send_continue()
        if come:
            self.received(come)

    def write_soon(self, data: Any) -> int:
        """In the thread that answers. It makes no more of an answer that nobody gets."""
        if self.will_close:
            raise ClientDisconnected
        written: int = super().write_soon(data)
        return written

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Where waitress lets a thread wait for a slow reader."""
        if self.total_outbufs_len > (UNREAD if self.holder is not None else UNREAD_OF_STRANGERS):
            self.will_close = True
            self.server.pull_trigger()


class _Looking:
    """A request whose sender is looked at in a thread: what waitress's dispatcher calls a task."""

    def __init__(self, connection: Connection, request: RequestParser, look: FirstLook) -> None:
        self._connection = connection
        self._request = request
        self._look = look
        self.cancel = connection.cancel

    def service(self) -> None:
        environ = _Answer(self._connection, self._request).get_environment()
        try:
            sender = self._look({**environ, "wsgi.input": BytesIO()})
        except Exception as error:
            logging.getLogger("ragbase").exception("serve.look_failed", extra={"fields": {}})
            sender = Sender("", refusal=error)
        self._connection.server.trigger.pull_trigger(partial(self._connection.know, self._request, sender))


class _Answer(WSGITask):  # type: ignore[misc]
    """The application's answer. It refuses a request that the first look has refused, and gets nothing of its body."""

    def execute(self) -> None:
        self.channel.begin(self)
        if self.request.refusal is not None and not self.request.has_arrived:
            self.set_close_on_finish()
            self.channel.linger()
        try:
            super().execute()
        finally:
            self.channel.end(self)

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        if self.request.refusal is not None:
            environ[REFUSED] = self.request.sender
        return environ

    @property
    def holder(self) -> str | None:
        holder: str | None = (self.environ or {}).get(HOLDER)
        return holder


class _ErrorAnswer(ErrorTask):  # type: ignore[misc]
    """The answer to a request that waitress refuses, with the same body as all our errors."""

    def execute(self) -> None:
        error = self.request.error
        if isinstance(error, RequestEntityTooLarge):
            refusal = self.request.limit.refusal
            self.status = f"{refusal.status} {HTTPStatus(refusal.status).phrase}"
            said = ErrorBody(error=refusal.code, message=refusal.message)
        else:
            self.status = f"{error.code} {error.reason}"
            message = f"{error.body.rstrip('.')}."  # some of waitress's have a full stop
            said = ErrorBody(error=error.reason.upper().replace(" ", "_"), message=message)
        limit = self.request.limit
        status = int(self.status.partition(" ")[0])
        body = limit.shape(status, said) if limit is not None and limit.shape is not None else said.to_json()
        self.response_headers.extend([("Content-Type", "application/json"), *ON_EVERY_ANSWER.items()])
        self.response_headers.append((HEADER, request_id(self.request.headers.get("X_REQUEST_ID", ""))))
        if isinstance(error, RefusedForNow):
            self.response_headers.append(("Retry-After", str(_AGAIN)))
            if limit is not None and limit.busy is not None:
                body = limit.busy(f"{error.body}.")
        if not self.request.has_arrived:
            self.set_close_on_finish()
            self.channel.linger()
        self.content_length = len(body)
        self.write(body)
