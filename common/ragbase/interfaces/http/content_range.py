"""`Content-Range` of a request: which part of a file it has (RFC 9110, section 14.4). Cloud Storage takes the same
(https://cloud.google.com/storage/docs/performing-resumable-uploads)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragbase.interfaces.http.errors import Refused

_RANGE = re.compile(r"bytes (?:(\d{1,15})-(\d{1,15})|\*)/(\d{1,15})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ContentRange:
    """The bytes from `start` on. One without any asks what has come."""

    start: int
    length: int


def content_range(header: str | None, size: int) -> ContentRange | None:
    """The part that a request has of a file of `size` bytes; None if it has all of it. Raises Refused (400)."""
    if header is None:
        return None
    found = _RANGE.fullmatch(header)
    if found is not None and int(found[3]) == size:
        if found[1] is None:
            return ContentRange(0, 0)
        start, last = int(found[1]), int(found[2])
        if start <= last < size:
            return ContentRange(start, last + 1 - start)
    raise Refused(
        400,
        "INVALID_REQUEST",
        f"`Content-Range`: {header[:60]!r} is no part of the {size} bytes of this upload. "
        f"Send `bytes FIRST-LAST/{size}`, or `bytes */{size}` to ask what has come.",
    )
