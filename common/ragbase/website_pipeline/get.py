"""GET with `requests`, in bounded time and memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from requests import Response

TIMEOUT = 30
"""Seconds for a whole request. `requests` itself counts them again for each piece that comes."""
MAX_BODY = 64 * 1024 * 1024
"""Bytes, unpacked: a sitemap may have 50 MB (sitemaps.org/protocol.html). More is not read."""
_PIECE = 64 * 1024


@contextmanager
def get(url: str) -> Iterator[tuple[Response, Iterator[bytes]]]:
    """The answer, and its body in pieces, unpacked.

    Raises requests.RequestException; requests.Timeout if the body is not there after 30 s, and HTTPError for a status
    of 400 and above.
    """
    import requests

    started = monotonic()
    with requests.get(url, timeout=TIMEOUT, stream=True) as response:
        response.raise_for_status()
        yield response, _pieces(response, started)


def _pieces(response: Response, started: float) -> Iterator[bytes]:
    """As `response.iter_content`, which waits until a piece is full, however long that takes."""
    import requests
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    length = 0
    piece: bytes | None = None
    while piece != b"":
        try:
            piece = response.raw.read1(_PIECE, decode_content=True)
        except ReadTimeoutError as error:
            raise requests.Timeout(error, response=response) from error
        except HTTPError as error:
            raise requests.ConnectionError(error, response=response) from error
        if monotonic() - started > TIMEOUT:
            raise requests.Timeout(f"{response.url} took more than {TIMEOUT} s.", response=response)
        length += len(piece)
        if length > MAX_BODY:
            raise requests.RequestException(f"{response.url} has more than {MAX_BODY} bytes.", response=response)
        yield piece
