"""The API of a profile whose settings, checkpoints and clock a test chooses."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask
from flask.testing import FlaskClient

from ragbase.access.caller import Scope
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.route import route
from ragbase.ports import Checkpoints, Indexes
from ragbase.settings import Config
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock

PASSWORD = "correct horse battery"


def hash_of(password: str = PASSWORD, salt: bytes = b"0123456789abcdef") -> str:
    """A hash that is quick to check, in the form that `ragbase password` prints."""
    digest = hashlib.scrypt(password.encode(), salt=salt, n=16, r=1, p=1, dklen=32)
    return ".".join(["scrypt.4.1.1", *(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (salt, digest))])


class Guarded(EmbeddedProfile):
    """A profile with the checkpoints and the clock of the test, and with the indexes, if they are given. Another one
    with the same is another process."""

    def __init__(
        self, config: Config, checkpoints: Checkpoints, clock: VirtualClock, indexes: Indexes | None = None
    ) -> None:
        super().__init__(config)
        self._chosen = checkpoints, clock
        self._indexes = indexes

    @property
    def checkpoints(self) -> Checkpoints:
        return self._chosen[0]

    @property
    def clock(self) -> VirtualClock:
        return self._chosen[1]

    @property
    def indexes(self) -> Indexes:
        return self._indexes or super().indexes


@contextmanager
def api(
    home: Path,
    *,
    checkpoints: Checkpoints | None = None,
    clock: VirtualClock | None = None,
    environment: Mapping[str, str] | None = None,
    **settings: Any,
) -> Iterator[FlaskClient]:
    """A client of the API. Two more routes say who the caller is: GET and POST /api/caller."""
    config = load_config(home=home, environment=environment or {}, embedder="hashing", **settings)
    profile = Guarded(config, checkpoints or MemoryCheckpoints(), clock or VirtualClock())
    app = create_app(profile)
    _show_callers(app)
    try:
        yield app.test_client()
    finally:
        profile.close()


def _show_callers(app: Flask) -> None:
    blueprint = Blueprint("caller", __name__)

    @route(
        blueprint,
        Operation(id="seeCaller", method="GET", path="/api/caller", summary="", answers={}, scope=Scope.READ),
        Operation(id="writeCaller", method="POST", path="/api/caller", summary="", answers={}, scope=Scope.WRITE),
    )
    def caller() -> dict[str, object]:
        found = current_caller()
        return {"name": found.name, "scopes": sorted(found.scopes), "tenant": found.tenant}

    app.register_blueprint(blueprint)


def login(client: FlaskClient, password: str = PASSWORD, *, address: str = "192.0.2.1") -> Any:
    """The answer to an attempt from this address."""
    return client.post("/api/auth/login", json={"password": password}, environ_base={"REMOTE_ADDR": address})


def bearer(token: object) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def refused(response: Any, status: int, code: str) -> str:
    """Check that the answer is this error, and give its message."""
    assert (response.status_code, response.json["error"]) == (status, code), response.data
    assert response.json.keys() == {"error", "message"}
    assert response.headers.get("WWW-Authenticate") == ("Bearer" if status == 401 else None)
    assert ("Retry-After" in response.headers) is (status == 429)
    return str(response.json["message"])
