"""GET /api/evaluations: what `ragbase eval` has found with the golden questions of all tenants, for the operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def evaluations(profile: Profile) -> Blueprint:
    blueprint = Blueprint("evaluations", __name__)

    @route(blueprint, operation("listEvaluations"))
    def list_() -> Response:
        from dataclasses import asdict

        from ragbase.messages.api.evaluations import EvaluationRunBody, EvaluationsResponse

        runs = tuple(EvaluationRunBody(**asdict(run)) for run in profile.evaluation_runs.all())
        return json_answer(EvaluationsResponse(runs=runs))

    return blueprint
