"""GET / shows the console (interfaces/console/), and GET /console/… has its files."""

from __future__ import annotations

from flask import Blueprint, Response

from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.errors import Refused

POLICY = {
    # Scripts, styles and answers from here alone, no text as markup (https://w3c.github.io/trusted-types/), and no
    # page around this one.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    # A page that opens this one, or that it opens, gets no hold of its window.
    "Cross-Origin-Opener-Policy": "same-origin",
    # No other site learns an address of this one.
    "Referrer-Policy": "same-origin",
}


def console() -> Blueprint:
    blueprint = Blueprint("console", __name__)

    @route(blueprint, operation("showConsole"))
    def show() -> Response:
        from ragbase.interfaces.console.page_files import page

        response = Response(page().index, mimetype="text/html", headers=POLICY)
        response.headers["Cache-Control"] = "no-cache"
        return response

    @route(blueprint, operation("getConsoleFile"))
    def file(version: str, path: str) -> Response:
        from ragbase.interfaces.console.page_files import page

        found = page().files.get(path) if version == page().version else None
        if found is None:
            raise Refused(404, "NOT_FOUND", "The console has no such file, or is another version now. Load / again.")
        response = Response(found.body, mimetype=found.media_type, headers=POLICY)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response

    return blueprint
