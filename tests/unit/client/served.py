"""A server as `ragbase serve` runs it, in this process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.engine.lanes import lanes
from ragbase.interfaces.api.app import create_app, streams_of
from ragbase.interfaces.api.body_limits import body_limit
from ragbase.interfaces.api.guard import first_look
from ragbase.interfaces.http.server import Server


@dataclass(frozen=True)
class Served:
    url: str
    profile: Profile


@contextmanager
def served(home: Path, **settings: object) -> Iterator[Served]:
    """A server on a free port, with an empty data folder and lanes that work."""
    profile = open_profile(load_config(home=home, environment={}, embedder="hashing", **settings))
    listener = socket.create_server(("127.0.0.1", 0))
    app = create_app(profile)
    server = Server(app, listener, body_limit=body_limit, look=first_look(app), ending=streams_of(app).end)
    profile.open_index()
    thread = threading.Thread(target=server.run)
    with lanes(profile):
        thread.start()
        try:
            yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", profile)
        finally:
            server.stop()
            thread.join()
    profile.close()
