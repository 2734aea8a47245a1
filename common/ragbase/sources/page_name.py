"""Which addresses mean one page of a website, and what the page is called in the bucket."""

from __future__ import annotations

import hashlib
from urllib.parse import unquote, urldefrag, urljoin, urlsplit, urlunsplit

_PAGE_ENDS = (".html", ".htm", ".xhtml", ".pdf")
_INDEX = "/index.html"
_PORTS = {"http": 80, "https": 443}
MAX_ADDRESS = 2048
"""Characters of an address. A page may base thousands of links on one: each of them would be as long."""
_MAX_PART = 180
"""Bytes of a part of a name, below what buckets and folders allow, with room for what is added here."""


def canonical_url(url: str, base: str | None = None) -> str | None:
    """The address without its fragment, default port and `index.html`, whole; None if it is none of a website, or too
    long for one."""
    try:
        parts = urlsplit(urldefrag(urljoin(base, url.strip()) if base else url.strip()).url)
        port = parts.port
    except ValueError:
        return None
    host = (parts.hostname or "").lower()
    if parts.scheme not in _PORTS or not host or "@" in parts.netloc:
        return None
    host = f"[{host}]" if ":" in host else host
    place = host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"
    path = parts.path or "/"
    if path.endswith(_INDEX):
        path = path.removesuffix("index.html")
    whole = urlunsplit((parts.scheme, place, path, parts.query, ""))
    return whole if len(whole) <= MAX_ADDRESS else None


def is_below(url: str, root: str) -> bool:
    """Whether a canonical URL is that of the site, whose own ends with "/", or of a page of it."""
    return url.startswith(root) or url == root.removesuffix("/")


def page_name(url: str, root: str) -> str:
    """The name of a page below `root`: `docs/intro.html` for `docs/intro`, `docs/intro/` and `docs/intro.html`."""
    parts = urlsplit(url[len(root) :])
    path = "/".join(_part(part) for part in parts.path.split("/") if part) or "index"
    length = next((len(end) for end in _PAGE_ENDS if path.lower().endswith(end)), 0)
    path, ending = path[: len(path) - length], path[len(path) - length :]
    if parts.query:
        path = f"{path}@{_part(parts.query)}"
    return path + (ending or ".html")


def _part(part: str) -> str:
    """Readable if it can be. A part that no bucket would take is named by its hash."""
    readable = unquote(part, errors="surrogateescape").replace("/", "%2F")
    is_text = readable.isprintable() and readable not in (".", "..")
    if is_text and len(readable.encode(errors="surrogateescape")) <= _MAX_PART:
        return readable
    return hashlib.sha256(part.encode()).hexdigest()[:32]
