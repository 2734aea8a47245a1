"""GET /openapi.json describes the API (OpenAPI 3.1), and GET /docs shows that to people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from flask import Blueprint, Response, render_template_string

from ragbase.interfaces.api.route import operation, route

if TYPE_CHECKING:
    from ragbase.access.access import Access


def docs(access: Access, *, public_url: str) -> Blueprint:
    blueprint = Blueprint("docs", __name__)

    @route(blueprint, operation("describe"))
    def openapi() -> Response:
        from ragbase.interfaces.api.description import document

        described = document(is_open=access.is_open, public_url=public_url)
        return Response(json.dumps(described), mimetype="application/json")

    @route(blueprint, operation("showDescription"))
    def page() -> Response:
        from ragbase.interfaces.api.description import ABOUT, document, offered
        from ragbase.interfaces.api.docs_page import PAGE

        described = document(is_open=access.is_open, public_url=public_url)
        html = render_template_string(PAGE, operations=offered(), description=described, about=ABOUT, dumps=_dumps)
        response = Response(html, mimetype="text/html")
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        )
        return response

    return blueprint


def _dumps(schema: object) -> str:
    return json.dumps(schema, indent=2)
