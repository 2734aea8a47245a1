"""The answer to every failed HTTP request (interfaces/wire/error.py)."""

from __future__ import annotations

import logging

from flask import Response
from pydantic import BaseModel, ValidationError

from ragbase.interfaces.wire.error import ErrorBody


def error_response(status: int, code: str, message: str) -> Response:
    return Response(ErrorBody(error=code, message=message).to_json(), status=status, mimetype="application/json")


def internal_error(action: str, error: Exception) -> Response:
    """An error of ours: only the log has the details."""
    logging.getLogger("ragbase").error(action, exc_info=error, extra={"fields": {}})
    return error_response(500, "INTERNAL_ERROR", "The server failed. Its log has the details.")


def invalid_request(model: type[BaseModel], error: ValidationError, *, whole: str = "") -> Response:
    """400, with each wrong field, the rule that it breaks and what to send instead. `whole` says what to send if the
    whole body is wrong."""
    wanted = {field.alias: field.description for field in model.model_fields.values()}
    lines = []
    for problem in error.errors():
        if problem["loc"]:
            name = str(problem["loc"][0])
            lines.append(f"`{name}`: {problem['msg']}. Send {wanted[name]}.")
        else:
            lines.append(f"{problem['msg']}. {whole}")
    return error_response(400, "INVALID_REQUEST", " ".join(lines))
