"""The body of a request where the server reads it only when the application does, as gunicorn."""

from __future__ import annotations

import io
from typing import IO

from werkzeug.exceptions import BadRequest


class BodyStream(io.RawIOBase):
    """What is wrong with the frame of a body (a chunk without a size, an end that is missing) is the client's mistake.

    The server finds it in the middle of the application. Each server has errors of its own for it, and this class makes
    a 400 of any.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer that can be written
        try:
            data = self._stream.read(len(buffer))
        except Exception:  # noqa: BLE001 - reading a body has no faults but the client's and the connection's
            raise BadRequest(
                "The body of the request could not be read to its end. Send its length, or chunks as RFC 9112 has them."
            ) from None
        buffer[: len(data)] = data
        return len(data)
