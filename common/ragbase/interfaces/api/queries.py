"""POST /api/query: a question in, passages out."""

from __future__ import annotations

from flask import Blueprint, Response

from ragbase.bootstrap.profile import Profile
from ragbase.engine.search import search
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.wire.query import QueryRequest, query_response


def queries(profile: Profile) -> Blueprint:
    blueprint = Blueprint("queries", __name__)

    @blueprint.post("/api/query")
    def query() -> Response:
        wanted = json_body(QueryRequest, example='{"query": "how are backups made?"}')
        within = wanted.filter.search_filter() if wanted.filter is not None else None
        return json_answer(query_response(search(wanted.query, profile, top_k=wanted.top_k, within=within)))

    return blueprint
