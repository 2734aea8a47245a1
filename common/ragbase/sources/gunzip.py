"""Bytes that were packed with gzip, in bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

_PIECE = 64 * 1024


def gunzip(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """At most 64 KiB of it are in memory, however much a piece unpacks to. Raises zlib.error for what is damaged."""
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    for piece in pieces:
        packed = piece
        while packed and not unpacker.eof:
            yield unpacker.decompress(packed, _PIECE)
            packed = unpacker.unconsumed_tail
