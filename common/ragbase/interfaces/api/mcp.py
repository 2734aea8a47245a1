"""POST /mcp: the Model Context Protocol over HTTP, without sessions (docs/mcp.md)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Blueprint, Response, request

from ragbase.domain.errors import NotAllowed, Unavailable
from ragbase.extras import bring, is_on_demand, missing_module
from ragbase.interfaces.api.callers_documents import callers_knowledge
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import not_declared_as_json
from ragbase.interfaces.http.origins import origins_of
from ragbase.interfaces.mcp.newest_documents import NewestDocuments

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.reach import Reach

MCP = operation("mcp")
_PORTS = {"http": 80, "https": 443}
_VIEWS = 32
"""Callers who see different documents, of whose completions something is kept: some 5 MB, as names are."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def mcp(profile: Profile) -> Blueprint:
    """The route, if the extra `mcp` is installed or comes on demand."""
    blueprint = Blueprint("mcp", __name__)
    if not is_mcp_installed():
        return blueprint
    public_url = urlsplit(profile.config.public_url)
    own = {f"{public_url.scheme}://{public_url.netloc}".lower()} if public_url.netloc else set()
    origins = origins_of(profile.config.cors_origins) | own

    @lru_cache(_VIEWS)
    def newest(tenant: str | None, reach: Reach) -> NewestDocuments:
        """Of all callers who see the same documents."""
        return NewestDocuments()

    @route(blueprint, MCP)
    def mcp_() -> Response:
        if not bring("mcp"):
            raise Unavailable(missing_module("mcp"))
        from ragbase.interfaces.mcp.http import answer_http
        from ragbase.interfaces.mcp.server import mcp_server

        _check_origin(origins, request.environ["SERVER_PORT"])
        if request.mimetype != "application/json":
            raise not_declared_as_json()
        site = profile.config.public_url or request.host_url.rstrip("/")  # as for the addresses of uploads
        caller = current_caller()
        server = mcp_server(callers_knowledge(profile), site, newest(caller.tenant, caller.reach))
        answered = answer_http(server, MCP.path, request.headers.items(), request.get_data())
        return Response(answered.body, answered.status, answered.headers)

    return blueprint


def is_mcp_installed() -> bool:
    return is_on_demand("mcp")


def _check_origin(origins: frozenset[str], port: str) -> None:
    """The protocol wants `Origin` checked, against DNS rebinding (specification, Streamable HTTP, Security Warning).
    `Host` says nothing: a page that rebinds its name sends that name as `Host`, too. So the settings name the origins.
    Pages of this machine's own address and our port are ours. Raises NotAllowed."""
    origin = request.headers.get("Origin")
    if origin is None or "*" in origins or origin.lower() in origins or _is_own(origin, port):
        return
    raise NotAllowed(f"This request comes from a page of {origin!r}. The setting cors_origins does not name it.")


def _is_own(origin: str, port: str) -> bool:
    """Whether it is a page of this machine that came over HTTP from this port."""
    try:
        parts = urlsplit(origin)
        is_own_port = str(parts.port or _PORTS[parts.scheme]) == port and parts.scheme in _PORTS
    except (ValueError, KeyError):
        return False
    is_origin = f"{parts.scheme}://{parts.netloc}" == origin and "@" not in parts.netloc
    return is_origin and is_own_port and parts.hostname in _LOOPBACK
