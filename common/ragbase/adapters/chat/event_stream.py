"""The JSON in the body of an answer: server-sent events, as services really send them, or one object.

What servers do that the specification (https://html.spec.whatwg.org/multipage/server-sent-events.html) does not have:
some put no blank after `data:`, some no empty line between two events, and some ignore that a stream was asked for and
answer with one JSON object.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

DONE = "[DONE]"
"""What OpenAI sends after the last event."""
_MOST_LINES = 20
"""Of one event. All that services send have one."""
_WHOLE = (b"{", b"[", b"<")
"""How a body begins that is no stream: JSON, or the page of a proxy."""


class NoEvents(Exception):
    """The body is not of this kind. `said` is its beginning."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


def json_events(pieces: Iterable[bytes]) -> Iterator[Any]:
    """What each event has, and DONE. The JSON of a body that is no stream is one event. Bytes that are no UTF-8 become
    the sign U+FFFD. Raises NoEvents for a body of another kind, also after some events."""
    lines = _lines(pieces)
    first = next((line for line in lines if line.strip()), b"")
    if first.lstrip(b"\xef\xbb\xbf \t").startswith(_WHOLE):
        yield _json(b"\n".join((first, *lines)))
        return
    yield from _events(first, lines)


def _events(first: bytes, lines: Iterator[bytes]) -> Iterator[Any]:
    data: list[bytes] = []
    found = False
    line: bytes | None = first
    while line is not None:
        name, _, value = line.partition(b":")
        if name.strip(b"\xef\xbb\xbf") == b"data":
            data.append(value.removeprefix(b" "))
            said = b"\n".join(data)
            if said.strip() == DONE.encode():
                yield DONE
                return
            if len(data) > _MOST_LINES:
                raise NoEvents(_text(said))
            complete = _json_or_none(said)
            if complete is not None:
                found = True
                data = []
                yield complete
        elif data and not line.strip():
            if any(one.strip() for one in data):
                raise NoEvents(_text(b"\n".join(data)))
            data = []
        elif not found and line.strip() and not data and name not in (b"event", b"id", b"retry", b""):
            raise NoEvents(_text(line))
        line = next(lines, None)
    if any(one.strip() for one in data):
        raise NoEvents(_text(b"\n".join(data)))


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Without their ends, which are LF, CR LF or CR. A line is given as soon as its end is there."""
    rest = bytearray()
    for piece in pieces:
        if b"\n" not in piece and b"\r" not in piece:
            rest += piece
            continue
        *lines, last = (bytes(rest) + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        yield from lines
        rest = bytearray(last)
    if rest:
        yield bytes(rest)


def _json_or_none(said: bytes) -> Any:
    try:
        return json.loads(_text(said))
    except (ValueError, RecursionError):
        return None


def _json(said: bytes) -> Any:
    try:
        return json.loads(_text(said))
    except (ValueError, RecursionError) as error:
        raise NoEvents(_text(said)) from error


def _text(said: bytes) -> str:
    return said.decode("utf-8-sig", errors="replace")
