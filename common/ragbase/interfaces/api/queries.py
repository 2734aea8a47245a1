"""POST /api/query: a question in, passages out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.callers_documents import callers_knowledge
from ragbase.interfaces.api.question import asked_question, refusing
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.wire.search_request import SearchRequest

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def queries(profile: Profile) -> Blueprint:
    blueprint = Blueprint("queries", __name__)

    @route(blueprint, operation("query"))
    def query() -> Response:
        asked = asked_question(SearchRequest)
        with refusing():
            found = callers_knowledge(profile).query(asked)
        return json_answer(found)

    return blueprint
