"""A model hub on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def hub_with(revision: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """The address of a hub that has these files below the path of a revision, and no others."""

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.removeprefix(f"/{revision}/")
            self.send_response(200 if name in files else 404)
            self.end_headers()
            if name in files:
                self.wfile.write(files[name])

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
