"""Which web pages of other origins may use the API from a browser (CORS, https://fetch.spec.whatwg.org)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum
from urllib.parse import urlsplit

from flask import Flask, Request, Response, request

from ragbase.domain.errors import ConfigurationError

_METHODS = "GET, POST, PUT, DELETE"
_HEADERS = (
    "Authorization, Content-Range, Content-Type, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, "
    "Mcp-Name, X-Request-Id"
)
"""Those of the Model Context Protocol stand in its specification (Streamable HTTP). POST /mcp has no sessions, so it
gets no Mcp-Session-Id."""
_SHOWN = "ETag, Location, Range, Retry-After, X-Request-Id"
_SECONDS = "600"


def origins_of(setting: str) -> frozenset[str]:
    """The origins that the setting cors_origins names. Raises ConfigurationError for what is no origin."""
    origins = frozenset(origin.strip().rstrip("/").lower() for origin in setting.split(",") if origin.strip())
    for origin in origins - {"*"}:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or f"{parts.scheme}://{parts.netloc}" != origin:
            raise ConfigurationError(
                f"cors_origins names {origin!r}, which is no origin such as https://app.example.com. Correct it."
            )
    return origins


class SentBy(Enum):
    """Whose page sends a request, as far as its browser says so. A program says nothing."""

    OWN_PAGE = "a page of this server, or its user by hand"
    OTHER_PAGE = "a page of another origin"
    UNKNOWN = "unknown"


def sent_by(request: Request, public_url: str) -> SentBy:
    """No page can change these headers. Browsers send `Sec-Fetch-Site` only to this machine or over TLS
    (https://www.w3.org/TR/fetch-metadata/), and `Origin` with whatever is not GET. `public_url` is for a proxy that
    changes `Host`."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return SentBy.OWN_PAGE if site in ("same-origin", "none") else SentBy.OTHER_PAGE
    if origin is None:
        return SentBy.UNKNOWN
    own = {request.host, urlsplit(public_url).netloc} - {""}
    return SentBy.OWN_PAGE if origin.partition("://")[2] in own else SentBy.OTHER_PAGE


def allow_origins(
    app: Flask, origins: Collection[str], has_key: Callable[[str], bool] = lambda _: False, *, public_url: str = ""
) -> None:
    """Let pages of these origins read the answers; "*" are all. `has_key` says whether an API key is for the pages of
    another one: what its browser asks first does not show the key. No cookie is allowed with that: it counts on pages
    of this server alone (session_cookie.py)."""

    @app.before_request
    def preflight() -> Response | None:
        is_question = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        if not is_question or not _allowed():
            return None
        response = Response(status=204)
        response.headers["Access-Control-Allow-Methods"] = _METHODS
        response.headers["Access-Control-Allow-Headers"] = _HEADERS
        response.headers["Access-Control-Max-Age"] = _SECONDS
        return response

    @app.after_request
    def allow(response: Response) -> Response:
        if origins or "Origin" in request.headers:
            response.vary.add("Origin")
        if allowed := _allowed():
            response.headers["Access-Control-Allow-Origin"] = allowed
            response.headers["Access-Control-Expose-Headers"] = _SHOWN
        return response

    def _allowed() -> str | None:
        origin = request.headers.get("Origin")
        if origin is None:
            return None
        if "*" in origins:
            return "*"
        if origin in origins:
            return origin
        is_own = sent_by(request, public_url) is SentBy.OWN_PAGE  # which needs no permission, so nobody looks it up
        return origin if not is_own and has_key(origin) else None
