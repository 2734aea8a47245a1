"""An answer in JSON, or an empty one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response

if TYPE_CHECKING:
    from ragbase.messages.json_model import JsonModel


def json_answer(body: JsonModel, status: int = 200) -> Response:
    return Response(body.to_json(), status=status, mimetype="application/json")


def empty_answer() -> Response:
    """204, without a type: there is nothing that could have one."""
    response = Response(status=204)
    del response.headers["Content-Type"]
    return response
