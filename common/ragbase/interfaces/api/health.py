"""Whether the service runs, and whether it can answer. Cloud Run may keep paths that end in z for itself
(https://cloud.google.com/run/docs/issues): there, ask those without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def health(profile: Profile) -> Blueprint:
    blueprint = Blueprint("health", __name__)

    @route(blueprint, operation("isAlive"), operation("isAliveOnCloudRun"))
    def healthz() -> Response:
        return _ok()

    @route(blueprint, operation("isReady"), operation("isReadyOnCloudRun"))
    def readyz() -> Response:
        """An error of one of these is answered as 503, with its reason."""
        profile.documents.page(limit=1)
        profile.current_index.get()
        return _ok()

    return blueprint


def _ok() -> Response:
    from ragbase.interfaces.wire.health import Health

    return json_answer(Health(status="ok"))
