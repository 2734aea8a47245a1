"""A website on this machine, as a test describes it: path by path, also badly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Page:
    """What one path answers."""

    body: bytes | str = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


Answer = Page | Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Website:
    """A running site. `pages` may be changed while it runs; `{site}` in a page is its URL."""

    url: str
    pages: dict[str, Answer]
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    """The path and headers of each request."""

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


@contextmanager
def website(pages: Mapping[str, Answer]) -> Iterator[Website]:
    class Handler(_Handler):
        def __init__(self, *connection: Any) -> None:
            self.site = site
            super().__init__(*connection)

    server = _Server(("127.0.0.1", 0), Handler)
    site = Website(f"http://127.0.0.1:{server.server_port}", dict(pages))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # connections stay open until their clients close them
    request_queue_size = 64

    def handle_error(self, *_connection: object) -> None:
        """A client that has seen enough goes away: no fault of the site."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    site: Website

    def do_GET(self) -> None:
        self.site.asked.append((self.path, dict(self.headers)))
        page = self.site.pages.get(self.path, Page("not here", 404, "text/plain"))
        if not isinstance(page, Page):
            page(self)
            return
        body = page.body.replace("{site}", self.site.url).encode() if isinstance(page.body, str) else page.body
        self.send_response(page.status)
        headers = {"Content-Type": page.content_type, "Content-Length": str(len(body)), **page.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing: `asked` has the requests."""
