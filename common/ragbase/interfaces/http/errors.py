"""The answer to every failed HTTP request (messages/api/error.py), and to one that is refused."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from flask import Response

from ragbase import telemetry
from ragbase.domain.errors import NewerFormat, TransientError
from ragbase.messages.api.error import ErrorBody


def error_response(status: int, code: str, message: str) -> Response:
    return Response(ErrorBody(error=code, message=message).to_json(), status=status, mimetype="application/json")


def unavailable(error: TransientError) -> ErrorBody:
    """Something cannot be done now. The log has all of the reason, the answer no place on the server's disk."""
    from ragbase.domain.server_paths import told

    telemetry.log("api.unavailable", level=logging.WARNING, reason=str(error))
    message = f"{told(error)} Try again in a moment."
    return ErrorBody(error="UNAVAILABLE", message=message)


def outdated(error: NewerFormat) -> Response:
    """To try again helps nobody: this server has to be replaced."""
    from ragbase.domain.server_paths import told

    telemetry.log("api.outdated", level=logging.ERROR, reason=str(error))
    return error_response(503, "UNAVAILABLE", told(error))


def unavailable_response(body: ErrorBody) -> Response:
    answer = error_response(503, body.error, body.message)
    answer.headers["Retry-After"] = "2"
    return answer


def internal_error(action: str, error: Exception) -> Response:
    """An error of ours: only the log has the details."""
    return Response(internal_error_body(action, error).to_json(), status=500, mimetype="application/json")


def internal_error_body(action: str, error: Exception) -> ErrorBody:
    logging.getLogger("ragbase").error(action, exc_info=error, extra={"fields": {}})
    return ErrorBody(error="INTERNAL_ERROR", message="The server failed. Its log has the details.")


class Refused(Exception):
    """`message` names the input, the rule and the remedy."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers or {}

    def answer(self) -> Response:
        response = error_response(self.status, self.code, self.message)
        response.headers.update(self.headers)
        return response
