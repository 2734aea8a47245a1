"""Server-sent events, as the server sends them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def named_events(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Name and data of each event, both empty for a comment. An empty line ends it, and its data is one line."""
    rest = b""
    for piece in pieces:
        *events, rest = (rest + piece).split(b"\n\n")
        for event in events:
            fields = dict(line.split(b": ", 1) for line in event.split(b"\n") if b": " in line)
            yield fields.get(b"event", b""), fields.get(b"data", b"")
