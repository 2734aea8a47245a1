"""POST /api/query: a question in, passages out."""

from __future__ import annotations

from flask import Blueprint, Response, request
from pydantic import ValidationError
from werkzeug.exceptions import UnsupportedMediaType

from ragbase.bootstrap.profile import Profile
from ragbase.engine.search import search
from ragbase.interfaces.http.errors import invalid_request
from ragbase.interfaces.wire.query import QueryRequest, query_response


def queries(profile: Profile) -> Blueprint:
    blueprint = Blueprint("queries", __name__)

    @blueprint.post("/api/query")
    def query() -> Response:
        if not request.is_json:
            raise UnsupportedMediaType("The body is not declared as JSON. Send it with Content-Type: application/json.")
        try:
            wanted = QueryRequest.model_validate_json(request.get_data())
        except ValidationError as error:
            return invalid_request(
                QueryRequest, error, whole='Send a JSON object such as {"query": "how are backups made?"}.'
            )
        found = search(wanted.query, profile, top_k=wanted.top_k)
        return Response(query_response(found).to_json(), mimetype="application/json")

    return blueprint
