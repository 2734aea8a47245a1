"""POST /retrieval: a search for Dify, to which the caller's documents are an external knowledge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.foreign_search import found_passages
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile

_EXAMPLE = '{"knowledge_id": "ragbase", "query": "backups", "retrieval_setting": {"top_k": 5, "score_threshold": 0.5}}'


def retrieval(profile: Profile) -> Blueprint:
    blueprint = Blueprint("retrieval", __name__)

    @route(blueprint, operation("retrieve"))
    def retrieve() -> Response:
        from ragbase.interfaces.wire.retrieval import RetrievalRequest, retrieval_response

        wanted = json_body(RetrievalRequest, example=_EXAMPLE)
        return json_answer(retrieval_response(found_passages(wanted, wanted.knowledge_id, profile)))

    return blueprint
