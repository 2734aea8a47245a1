"""The answer to every HTTP request that fails: `{"error": CODE, "message": what, which rule, and what to do}`."""

from __future__ import annotations

import logging

from flask import Response

from ragbase.wire import Wire


class ErrorBody(Wire):
    error: str
    message: str


def error_response(status: int, code: str, message: str) -> Response:
    return Response(ErrorBody(error=code, message=message).to_json(), status=status, mimetype="application/json")


def internal_error(action: str, error: Exception) -> Response:
    """A fault of ours: what it was is for the log alone."""
    logging.getLogger("ragbase").error(action, exc_info=error, extra={"fields": {}})
    return error_response(500, "INTERNAL_ERROR", "The request failed by a fault of the server, which is in its log.")
