"""POST /api/auth/login: a password in, a token out. POST /api/auth/logout ends the token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from ragbase import telemetry
from ragbase.access.token import TokenKind
from ragbase.interfaces.api.guard import token_of
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.client_address import client_address
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import empty_answer

if TYPE_CHECKING:
    from ragbase.access.access import Access

LOGIN = operation("login")


def sign_in(access: Access, *, trusted_proxies: int) -> Blueprint:
    blueprint = Blueprint("sign_in", __name__)

    @route(blueprint, LOGIN)
    def login() -> Response:
        from ragbase.interfaces.wire.sign_in import LoginRequest
        from ragbase.messages.api.sign_in import LoginResponse

        wanted = json_body(LoginRequest, example='{"password": "…"}')
        session = access.sign_in(wanted.password.get_secret_value(), client_address(request, trusted_proxies))
        telemetry.caller_id.set("password")
        body = LoginResponse(token=str(session.token), expires_at=session.expires_at).to_json()
        # A cache that keeps the token would give it to others (RFC 6749, section 5.1).
        return Response(body, mimetype="application/json", headers={"Cache-Control": "no-store"})

    @route(blueprint, operation("logout"))
    def logout() -> Response:
        token = token_of(request)
        if token is None or token.kind is not TokenKind.SESSION:
            raise Refused(
                409,
                "NO_SESSION",
                f"There is nothing to sign out: the request has no token of {LOGIN.path}.",
            )
        access.sign_out(token)
        return empty_answer()

    return blueprint
