"""The guard: every request has a caller, with the right scope, before a route sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Request, Response, g, request
from werkzeug.datastructures import Authorization

from ragbase.access.access import Access
from ragbase.access.caller import Caller
from ragbase.access.token import Token
from ragbase.domain.errors import NotAllowed, NotSignedIn, TooManyRequests
from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.route import operation, operation_of
from ragbase.interfaces.api.strangers import refuse_strangers
from ragbase.interfaces.http.client_address import client_address
from ragbase.interfaces.http.errors import error_response
from ragbase.interfaces.http.origins import origins_of

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile

_LOGIN = operation("login")


def guard(app: Flask, profile: Profile) -> Access:
    """Refuse every request that has no caller or lacks the scope of its operation, with 401, 403 or 429. A path without
    a route needs no caller: there is nothing to see."""
    config = profile.config
    access = Access(config, lambda: profile.checkpoints, profile.clock)

    @app.before_request
    def identify() -> None:
        if request.url_rule is None or request.method == "OPTIONS":
            return
        asked = operation_of(app, request.url_rule, request.method)
        if not asked.needs_caller:
            return
        caller = g.caller = _caller(request, asked, access, profile)
        if asked.scope is not None and asked.scope not in caller.scopes:
            raise NotAllowed(
                f"The API key {caller.name} may only {' and '.join(sorted(caller.scopes))}. Use another one."
            )

    app.register_error_handler(NotSignedIn, _not_signed_in)
    app.register_error_handler(NotAllowed, _not_allowed)
    app.register_error_handler(TooManyRequests, _too_many)
    return access


def current_caller() -> Caller:
    """Who sends the request that is answered now."""
    caller: Caller = g.caller
    return caller


def token_of(request: Request) -> Token | None:
    """The token of ragbase that the request shows, if it shows one."""
    shown = _bearer(request.authorization)
    return None if shown is None else Token.parse(shown)


def _caller(request: Request, asked: Operation, access: Access, profile: Profile) -> Caller:
    token = token_of(request)
    if token is not None:
        return access.caller(token)
    config = profile.config
    if access.is_open:
        if config.sign_in == "iam":
            # Cloud Run has checked the caller's Google token. It is in `Authorization` (without its signature) or in
            # `X-Serverless-Authorization`; if both are there, Cloud Run looks at the second alone, and `Authorization`
            # is free for a token of ours (https://cloud.google.com/run/docs/authenticating/service-to-service).
            return Caller("iam")
        refuse_strangers(request, origins_of(config.cors_origins))
        return Caller("local")
    if "Authorization" in request.headers:
        raise NotSignedIn("The header Authorization has no token of ragbase. Send Authorization: Bearer TOKEN.")
    if config.public_query and asked.is_public_query:
        return access.public_caller(client_address(request, config.trusted_proxies))
    raise NotSignedIn(
        f"Sign in first: send the header Authorization: Bearer TOKEN, with the token of POST {_LOGIN.path} or an "
        "API key."
    )


def _bearer(authorization: Authorization | None) -> str | None:
    return authorization.token if authorization is not None and authorization.type == "bearer" else None


def _not_signed_in(error: NotSignedIn) -> Response:
    response = error_response(401, "UNAUTHORIZED", str(error))
    response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _not_allowed(error: NotAllowed) -> Response:
    return error_response(403, "FORBIDDEN", str(error))


def _too_many(error: TooManyRequests) -> Response:
    response = error_response(429, "TOO_MANY_REQUESTS", str(error))
    response.headers["Retry-After"] = str(error.retry_after)
    return response
