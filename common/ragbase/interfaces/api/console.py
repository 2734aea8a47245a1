"""GET / shows the console (interfaces/console/), and GET /console/… has its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.errors import Refused

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile

_HEADERS = {
    # A page that opens this one, or that it opens, gets no hold of its window.
    "Cross-Origin-Opener-Policy": "same-origin",
    # No other site learns an address of this one.
    "Referrer-Policy": "same-origin",
}


def _headers(takes_parts_at: str | None) -> dict[str, str]:
    """Scripts, styles and answers from here alone, no text as markup (https://w3c.github.io/trusted-types/), and no
    page around this one. Parts of a file may go to the bucket of this deployment, if it takes them."""
    uploads = f" {takes_parts_at}" if takes_parts_at else ""
    policy = (
        f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'{uploads}; "
        "img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return {"Content-Security-Policy": policy, **_HEADERS}


def console(profile: Profile) -> Blueprint:
    blueprint = Blueprint("console", __name__)

    @route(blueprint, operation("showConsole"))
    def show() -> Response:
        from ragbase.interfaces.console.page_files import page

        index = page().index_with(profile.program_files.rules)
        response = Response(index, mimetype="text/html", headers=_headers(profile.bucket.takes_parts_at))
        response.headers["Cache-Control"] = "no-cache"
        return response

    @route(blueprint, operation("getConsoleFile"))
    def file(version: str, path: str) -> Response:
        from ragbase.interfaces.console.page_files import page

        found = page().files.get(path) if version == page().version else None
        if found is None:
            raise Refused(404, "NOT_FOUND", "The console has no such file, or is another version now. Load / again.")
        response = Response(found.body, mimetype=found.media_type, headers=_headers(None))
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response

    return blueprint
