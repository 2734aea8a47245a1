"""POST /mcp: the Model Context Protocol over HTTP, without sessions (docs/mcp.md)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Blueprint, Response, request

from ragbase.domain.errors import NotAllowed
from ragbase.interfaces.api.callers_documents import callers_knowledge
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import not_declared_as_json
from ragbase.interfaces.http.origins import origins_of

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


MCP = operation("mcp")


def mcp(profile: Profile) -> Blueprint:
    """The route, if the extra `mcp` is installed."""
    blueprint = Blueprint("mcp", __name__)
    if not is_mcp_installed():
        return blueprint
    origins = origins_of(profile.config.cors_origins)

    @route(blueprint, MCP)
    def mcp_() -> Response:
        from ragbase.interfaces.mcp.http import answer_http
        from ragbase.interfaces.mcp.server import mcp_server

        _check_origin(origins)
        if request.mimetype != "application/json":
            raise not_declared_as_json()
        server = mcp_server(callers_knowledge(profile))
        answered = answer_http(server, MCP.path, request.headers.items(), request.get_data())
        return Response(answered.body, answered.status, answered.headers)

    return blueprint


def is_mcp_installed() -> bool:
    return find_spec("mcp") is not None


def _check_origin(origins: frozenset[str]) -> None:
    """The protocol wants `Origin` checked, against DNS rebinding (specification, Streamable HTTP, Security Warning).
    Raises NotAllowed."""
    origin = request.headers.get("Origin")
    if origin is None or "*" in origins or origin in origins or urlsplit(origin).netloc == request.host:
        return
    raise NotAllowed(f"This request comes from a page of {origin}. The setting cors_origins does not name it.")
