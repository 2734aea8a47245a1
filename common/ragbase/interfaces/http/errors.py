"""The answer to every HTTP request that fails: `{"error": CODE, "message": what, which rule, and what to do}`."""

from __future__ import annotations

from flask import Response

from ragbase.wire import Wire


class ErrorBody(Wire):
    error: str
    message: str


def error_response(status: int, code: str, message: str) -> Response:
    return Response(ErrorBody(error=code, message=message).to_json(), status=status, mimetype="application/json")
