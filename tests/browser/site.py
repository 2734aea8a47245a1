"""A website of somebody else, for what its pages do with our server."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Site(ThreadingHTTPServer):
    """A website of somebody else, on this machine: a browser lets no other page reach a server of it. It has one page,
    and two origins."""

    page: tuple[dict[str, str], str] = ({}, "")

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), SitePage)
        self.origin, self.other = (f"http://{name}:{self.server_port}" for name in ("127.0.0.1", "localhost"))


class SitePage(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        headers, body = self.server.page
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""
