"""An answer in JSON."""

from __future__ import annotations

from flask import Response

from ragbase.messages.json_model import JsonModel


def json_answer(body: JsonModel, status: int = 200) -> Response:
    return Response(body.to_json(), status=status, mimetype="application/json")
