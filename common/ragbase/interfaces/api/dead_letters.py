"""The dead letters: list them, show one, replay it. They may be about any document, so they are the operator's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import parameters
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.dead_letter import DeadLetter


def dead_letters(profile: Profile) -> Blueprint:
    blueprint = Blueprint("dead_letters", __name__)

    @route(blueprint, operation("listDeadLetters"))
    def list_() -> Response:
        from ragbase.interfaces.wire.dead_letters import DeadLettersRequest, dead_letters_response

        wanted = parameters(DeadLettersRequest)
        return json_answer(dead_letters_response(wanted, profile.dead_letters, profile.documents))

    @route(blueprint, operation("getDeadLetter"))
    def show(letter: str) -> Response:
        from ragbase.interfaces.wire.dead_letters import dead_letter_detail, records_of, told

        found = _found(letter, profile)
        record = records_of([found], profile.documents).get(found.document_id or "")
        return json_answer(dead_letter_detail(told(found), record))

    @route(blueprint, operation("replayDeadLetter"))
    def replay(letter: str) -> Response:
        from ragbase.engine.replay import replay_dead_letter
        from ragbase.interfaces.wire.dead_letters import replay_response

        return json_answer(replay_response(replay_dead_letter(_found(letter, profile), profile)))

    return blueprint


def _found(id: str, profile: Profile) -> DeadLetter:
    """Raises Refused (404)."""
    found = profile.dead_letters.get(id)
    if found is None:
        raise Refused(404, "NOT_FOUND", "There is no such dead letter any more. GET /api/dead-letters lists them.")
    return found
