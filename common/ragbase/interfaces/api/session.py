"""/api/session: sign in and out on a page, whose scripts never see the token."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from ragbase import telemetry
from ragbase.access.caller import Scope
from ragbase.access.token import Token, TokenKind
from ragbase.domain.errors import NotAllowed, NotSignedIn
from ragbase.interfaces.api.guard import current_caller, sender_of
from ragbase.interfaces.api.key_origins import refuse_other_origins
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.api.session_cookie import drop_token, keep_token, kept_token, refuse_other_pages
from ragbase.interfaces.http.body import json_body, parameters
from ragbase.interfaces.http.client_address import client_address
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import empty_answer, json_answer

if TYPE_CHECKING:
    from ragbase.access.access import Access
    from ragbase.access.caller import Caller
    from ragbase.settings import Config


def session(access: Access, config: Config) -> Blueprint:
    blueprint = Blueprint("session", __name__)

    @route(blueprint, operation("getSession"))
    def show() -> Response:
        from ragbase.interfaces.wire.session import session_response

        caller = _known(access, config)
        kept = kept_token(request)
        is_over = kept is not None and (caller is None or not caller.proven_by(kept))
        response = json_answer(session_response(caller, signed_in=kept is not None and not is_over))
        if is_over:
            drop_token(response, request)
        return _unkept(response)

    @route(blueprint, operation("beginSession"))
    def begin() -> Response:
        from ragbase.interfaces.wire.session import SessionRequest, session_response

        refuse_other_pages(request, config.public_url)
        secret = json_body(SessionRequest, example='{"secret": "…"}').secret.get_secret_value()
        token = _key_in(secret) or access.sign_in(secret, client_address(request, config.trusted_proxies)).token
        caller = access.caller(token)
        telemetry.caller_id.set(caller.id)
        refuse_other_origins(caller, request, config.public_url)
        if Scope.READ not in caller.scopes:
            raise NotAllowed(f"The API key {caller.name} may not read, so it has nothing to see. Use another one.")
        response = json_answer(session_response(caller, signed_in=True))
        keep_token(response, request, token, timedelta(hours=config.session_hours))
        return _unkept(response)

    @route(blueprint, operation("endSession"))
    def end() -> Response:
        from ragbase.interfaces.wire.session import EndSessionRequest

        everywhere = parameters(EndSessionRequest).everywhere == "true"
        token = kept_token(request)
        if token is None or not current_caller().proven_by(token):
            raise Refused(409, "NO_SESSION", "There is nothing to sign out: the request has no cookie of a sign-in.")
        if everywhere and token.kind is TokenKind.KEY:
            raise Refused(
                409,
                "NO_SESSION",
                "A key is not a sign-in with the password. To end it everywhere, revoke it: "
                f"`ragbase keys revoke {token.id}`.",
            )
        if everywhere:
            access.sign_out_everywhere()
        else:
            access.sign_out(token)
        response = empty_answer()
        drop_token(response, request)
        return response

    return blueprint


def _known(access: Access, config: Config) -> Caller | None:
    """Who asks; None if nobody is signed in, and nobody needs not be."""
    try:
        return sender_of(request, operation("query"), access, config)
    except NotSignedIn:
        return None


def _key_in(secret: str) -> Token | None:
    """The API key, if the secret is one. Anything else is the password."""
    token = Token.parse(secret.strip())
    return token if token is not None and token.kind is TokenKind.KEY else None


def _unkept(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    response.vary.add("Cookie")
    return response
