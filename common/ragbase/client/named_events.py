"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator


def named_events(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Name and data of each event, both empty for a comment. An empty line ends an event: what is after the last one
    was cut off, and is dropped, as the standard wants it."""
    name = b""
    data: list[bytes] = []
    for line in _lines(pieces):
        if not line:
            yield name, b"\n".join(data)
            name = b""
            data = []
            continue
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            name = value
        elif field == b"data":
            data.append(value)


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Each line that has an end: CR LF, LF or CR, also if a piece ends between the two. The mark before the first one
    (BOM) is left out."""
    begun = b""
    mark = codecs.BOM_UTF8
    is_after_return = False
    for piece in pieces:
        if not piece:
            continue
        text = piece.removeprefix(b"\n") if is_after_return else piece
        is_after_return = piece.endswith(b"\r")
        first, *others = re.split(rb"\r\n|\n|\r", text)
        begun += first
        for following in others:
            yield begun.removeprefix(mark)
            mark = b""
            begun = following
