"""The HTTP API as a Flask application. The `api` function and `ragbase serve` use it."""

from __future__ import annotations

import logging

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import TransientError
from ragbase.interfaces.api.access import guard
from ragbase.interfaces.api.documents import documents
from ragbase.interfaces.api.queries import queries
from ragbase.interfaces.http.errors import error_response, internal_error
from ragbase.interfaces.wire.error import ErrorBody

MAX_BODY = 64 * 1024
"""Bytes. The longest query takes 12 KB: 1,000 characters, each escaped as two UTF-16 units."""


def create_app(profile: Profile) -> Flask:
    app = Flask("ragbase", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    guard(app, profile)
    app.register_blueprint(queries(profile))
    app.register_blueprint(documents(profile))
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(TransientError, _unavailable)
    app.register_error_handler(Exception, _failed)
    return app


def _refused(error: HTTPException) -> Response:
    """Flask's own errors (404, 405, 413, 415, …), with their headers and our body."""
    response = error.get_response()
    code = error.name.upper().replace(" ", "_")
    response.data = ErrorBody(error=code, message=error.description or error.name).to_json()
    response.mimetype = "application/json"
    return response


def _unavailable(error: TransientError) -> Response:
    telemetry.log("api.unavailable", level=logging.WARNING, reason=str(error))
    return error_response(503, "UNAVAILABLE", f"{error} Try again in a moment.")


def _failed(error: Exception) -> Response:
    return internal_error("api.failed", error)
