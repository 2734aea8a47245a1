"""How answers travel: compressed where that pays, and not at all if the client has them."""

from __future__ import annotations

import gzip
from http import HTTPStatus

from flask import Flask, Response, request

_LEAST = 1024
"""Bytes below which compression saves nothing."""
_MOST = 4 * 1024 * 1024
"""Bytes above which the answer would come later than uncompressed on a fast network."""
_LEVEL = 5
_TEXTS = ("application/json", "image/svg+xml", "text/css", "text/html", "text/javascript", "text/plain")


def shorten_answers(app: Flask) -> None:
    """Give what is read an ETag, answer 304 to a client that has it, and compress texts for those who take gzip."""

    @app.after_request
    def shorten(response: Response) -> Response:
        if response.is_streamed or response.status_code != HTTPStatus.OK or response.direct_passthrough:
            return response
        if request.method in ("GET", "HEAD"):
            response.add_etag(weak=True)
            response.make_conditional(request)
        if response.status_code == HTTPStatus.OK and response.mimetype in _TEXTS:
            response.vary.add("Accept-Encoding")
            body = response.get_data()
            if request.accept_encodings["gzip"] and _LEAST <= len(body) <= _MOST:
                response.set_data(gzip.compress(body, _LEVEL, mtime=0))
                response.headers["Content-Encoding"] = "gzip"
        return response
