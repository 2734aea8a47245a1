"""Following the changes of documents: a stream as long as there is one, and otherwise a question every few seconds."""

from __future__ import annotations

from collections.abc import Iterator

from ragbase.client.errors import ApiError, NoAnswer
from ragbase.client.exchange import Exchange
from ragbase.client.named_events import named_events
from ragbase.client.typed_exchange import TypedExchange
from ragbase.messages.api.events import ChangesResponse

_PATH = "/api/events"
_SOON, _LATER = 0.3, 2.0
"""Seconds until the next stream after one that has ended, and between two questions without one."""
_QUESTIONS = 15
"""Questions before a stream is asked for again."""
_FULL = frozenset({429, 500, 502, 503, 504})
"""A server that has no stream now."""


def follow(after: str | None, exchange: Exchange, typed: TypedExchange) -> Iterator[ChangesResponse]:
    """What changes after `after`, without an end. A stream that breaks off goes on where it was. Raises ApiError,
    NoAnswer and UnreadableAnswer if the questions do."""
    while True:
        is_streamed = False
        for changes in _streamed(after, typed):
            is_streamed = True
            if changes is not None:
                after = changes.next
                yield changes
        wait = _SOON if is_streamed else _LATER
        for _ in range(1 if is_streamed else _QUESTIONS):
            exchange.rest(wait)
            parameters = {"after": after} if after is not None else {}
            changes = typed.read(ChangesResponse, "GET", _PATH, parameters=parameters)
            after = changes.next
            if not changes.is_empty:
                yield changes


def _streamed(after: str | None, typed: TypedExchange) -> Iterator[ChangesResponse | None]:
    """The changes of one stream, and None for its signs of life; nothing if there is no stream now. Raises ApiError if
    the server refuses it for good, and UnreadableAnswer."""
    headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": after} if after is not None else {})
    try:
        with typed.stream("GET", _PATH, headers=headers, waits=False) as (_, pieces):
            for name, data in named_events(pieces):
                if name == b"error":
                    return  # the next question gets the same error, or the server is well again
                yield typed.value(ChangesResponse, data) if name == b"changes" else None
    except NoAnswer:
        return
    except ApiError as error:
        if error.status not in _FULL:
            raise
