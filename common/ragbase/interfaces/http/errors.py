"""The answer to every HTTP request that fails: `{"error": CODE, "message": what, which rule, and what to do}`."""

from __future__ import annotations

import logging

from flask import Response
from pydantic import BaseModel, ValidationError

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


def invalid_request(model: type[BaseModel], error: ValidationError, *, whole: str = "") -> Response:
    """400 with each field that is wrong, the rule that it breaks and what to send instead; `whole` says what to send
    where it is not a field that is wrong."""
    wanted = {field.alias: field.description for field in model.model_fields.values()}
    lines = []
    for problem in error.errors():
        if problem["loc"]:
            name = str(problem["loc"][0])
            lines.append(f"`{name}`: {problem['msg']}. Send {wanted[name]}.")
        else:
            lines.append(f"{problem['msg']}. {whole}")
    return error_response(400, "INVALID_REQUEST", " ".join(lines))
