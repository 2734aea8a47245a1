"""How the deployment is: what its operator sees of it as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def operating(profile: Profile) -> Blueprint:
    blueprint = Blueprint("operating", __name__)

    @route(blueprint, operation("getHealth"))
    def show_health() -> Response:
        from ragbase.engine.health import health
        from ragbase.interfaces.wire.health import checks_response

        return json_answer(checks_response(health(profile)))

    @route(blueprint, operation("getRate"))
    def show_rate() -> Response:
        from ragbase.interfaces.wire.rate import rate_response

        return json_answer(rate_response(profile))

    return blueprint
