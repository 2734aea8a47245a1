"""The origin of a web page: scheme, host and port (https://www.rfc-editor.org/rfc/rfc6454)."""

from __future__ import annotations

from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


def clean_origin(text: str) -> str | None:
    """The origin as a browser sends it, from what people write; None for what is none: with a path, a user, a port
    that browsers leave out, or letters that they write otherwise (xn--)."""
    origin = text.strip().removesuffix("/").lower()
    try:
        parts = urlsplit(origin)
        is_default = parts.port == _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    is_whole = parts.scheme in _DEFAULT_PORTS and bool(parts.hostname) and origin == f"{parts.scheme}://{parts.netloc}"
    is_plain = origin.isascii() and origin.isprintable() and not set(origin) & set(" @*\\")
    return origin if is_whole and is_plain and not is_default else None
