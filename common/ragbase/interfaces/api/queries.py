"""POST /api/query: a question in, passages out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.engine.search import search
from ragbase.interfaces.api.asked import asked_question, refusing
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.wire.query import query_response

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def queries(profile: Profile) -> Blueprint:
    blueprint = Blueprint("queries", __name__)

    @route(blueprint, operation("query"))
    def query() -> Response:
        asked = asked_question()
        with refusing():
            results = search(
                asked.text,
                profile,
                top_k=asked.top_k,
                threshold=asked.threshold,
                within=asked.within,
                tenant=asked.tenant,
            )
        response = query_response(results)
        if not response.results and response.near_miss is None:
            from ragbase.interfaces.wire.nothing_to_search import NOTHING_INDEXED, nothing_to_search

            # Without an index, no record has to be read to know why.
            has_index = results.has_index
            warnings = (
                nothing_to_search(asked.within, profile.documents, asked.tenant) if has_index else NOTHING_INDEXED
            )
            response = response.model_copy(update={"warnings": warnings})
        return json_answer(response)

    return blueprint
