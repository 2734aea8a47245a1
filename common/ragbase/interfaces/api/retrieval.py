"""POST /retrieval: a search for Dify, to which the caller's documents are an external knowledge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.callers_stores import callers_store
from ragbase.interfaces.api.question import refusing
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile

_EXAMPLE = '{"knowledge_id": "ragbase", "query": "backups", "retrieval_setting": {"top_k": 5, "score_threshold": 0.5}}'


def retrieval(profile: Profile) -> Blueprint:
    blueprint = Blueprint("retrieval", __name__)

    @route(blueprint, operation("retrieve"))
    def retrieve() -> Response:
        from ragbase.interfaces.knowledge.search_each import search_each
        from ragbase.interfaces.wire.foreign_filter import WrongFilter
        from ragbase.interfaces.wire.retrieval import RetrievalRequest, retrieval_response

        wanted = json_body(RetrievalRequest, example=_EXAMPLE)
        knowledge = callers_store(wanted.knowledge_id, profile).knowledge(profile)
        try:
            questions = wanted.questions()
        except WrongFilter as error:
            raise Refused(400, "INVALID_REQUEST", f"{error}.") from None
        with refusing():
            found = search_each(questions, knowledge, most=wanted.retrieval_setting.top_k)
        return json_answer(retrieval_response(found))

    return blueprint
