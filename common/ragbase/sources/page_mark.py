"""Marks of the pages of a website: what a server says of a page, so that the next request can name it."""

from __future__ import annotations

import hashlib

from ragbase.sources.fetch import Fetched

_ETAG, _MODIFIED, _HASH = "etag ", "modified ", "sha256 "
"""How a mark begins that is the page's ETag, its Last-Modified, or made of its bytes."""
_MAX_MARK = 500


def mark_of(answer: Fetched) -> str | None:
    """None for an answer without an ETag and a Last-Modified that can be sent back."""
    for kind, header in ((_ETAG, "ETag"), (_MODIFIED, "Last-Modified")):
        value = answer.headers.get(header, "")
        if value and len(value) <= _MAX_MARK and value.isascii() and value.isprintable():
            return kind + value
    return None


def mark_of_bytes(body: bytes) -> str:
    return _HASH + hashlib.sha256(body).hexdigest()


def conditions(mark: str) -> dict[str, str]:
    """The headers with which a request gets the page only if it has changed since."""
    if mark.startswith(_ETAG):
        return {"If-None-Match": mark.removeprefix(_ETAG)}
    return {"If-Modified-Since": mark.removeprefix(_MODIFIED)} if mark.startswith(_MODIFIED) else {}
