"""GET /internal/extractions: what an extractor elsewhere is to read, and answers by a callback (callbacks.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import parameters
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def extractions(profile: Profile) -> Blueprint:
    blueprint = Blueprint("extractions", __name__)

    @route(blueprint, operation("listExtractions"))
    def list_() -> Response:
        from ragbase.domain.extractor_transitions import is_awaited
        from ragbase.interfaces.wire.extractions import ExtractionsRequest, extractions_response

        wanted = parameters(ExtractionsRequest)
        caller = current_caller()
        records = profile.documents.handed_out(tenant=caller.tenant, reach=caller.reach, limit=wanted.limit)
        now = profile.clock.now()
        return json_answer(extractions_response([record for record in records if is_awaited(record, now)]))

    return blueprint
