"""GET /ragbase-ask.js: a script that pages of other sites run (interfaces/console/ask_element.py)."""

from __future__ import annotations

from flask import Blueprint, Response

from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.errors import Refused


def ask_element() -> Blueprint:
    blueprint = Blueprint("ask_element", __name__)

    @route(blueprint, operation("getAskElement"))
    def script() -> Response:
        return _script("no-cache")

    @route(blueprint, operation("getVersionOfAskElement"))
    def version_of_script(version: str) -> Response:
        from ragbase.interfaces.console.ask_element import ask_element

        if version != ask_element().version:
            raise Refused(
                404,
                "NOT_FOUND",
                "The server has another version of this script now. Write the address of that one into the page, with "
                f"its hash: /ragbase-ask-{ask_element().version}.js, {ask_element().integrity}.",
            )
        return _script("public, max-age=31536000, immutable")

    return blueprint


def _script(kept: str) -> Response:
    from ragbase.interfaces.console.ask_element import ask_element

    response = Response(ask_element().script, mimetype="text/javascript")
    # It is the same for everybody: any page may run it, and check its hash.
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cache-Control"] = kept
    return response
