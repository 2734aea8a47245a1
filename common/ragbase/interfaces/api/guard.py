"""The guard: every request has a caller, with the right scope, before a route sees it.

Who may send a request depends on its method, path, headers and address. So a server can ask as soon as the headers are
there (`first_look`), and the guard asks again before the route, by the same function. Only the guard notes and counts.

The caller of the first look is not used again, not even for a request that came whole. Between the two, it waits
in a line, and its key may be revoked. To read the token again takes some 10 µs over a data folder. For that, a key that
is revoked begins nothing more, and a request gets its caller in one place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response, current_app, g, request

from ragbase.access.access import Access
from ragbase.access.caller import PUBLIC, Caller
from ragbase.access.daily_limits import Limited
from ragbase.access.daily_use import CallersTokens
from ragbase.access.token import Token
from ragbase.domain.errors import NotAllowed, NotSignedIn, TooManyRequests
from ragbase.interfaces.api.document_operations import BESIDE_A_FILE
from ragbase.interfaces.api.key_origins import refuse_other_origins
from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.route import look_of, operation, operation_of
from ragbase.interfaces.api.session_cookie import kept_token, prove_own_page, refuse_other_pages
from ragbase.interfaces.api.strangers import refuse_strangers
from ragbase.interfaces.http.body_limit import Line
from ragbase.interfaces.http.client_address import client_address
from ragbase.interfaces.http.errors import error_response
from ragbase.interfaces.http.first_look import HOLDER, REFUSED, FirstLook, Sender
from ragbase.interfaces.http.origins import origins_of

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.settings import Config

_LOGIN = operation("login")
_ACCESS, _FIRST_LOOK = "ragbase.access", "ragbase.first_look"
KEY_EXPIRES = "Ragbase-Key-Expires"
"""The header that tells a program when its key is over, as those of other services do (GitHub:
github-authentication-token-expiration)."""


def guard(app: Flask, profile: Profile) -> Access:
    """Refuse every request that has no caller or lacks the scope of its operation, with 401, 403 or 429. A path without
    a route needs no caller: there is nothing to see."""
    config, access = profile.config, profile.access

    def may_send() -> Caller | None:
        """Who sends the request of this context; None if nobody has to be known. It reads no body, writes nothing and
        counts nothing. Raises for what has no route, too."""
        if request.routing_exception is not None:
            raise request.routing_exception
        if request.url_rule is None or request.method == "OPTIONS":
            return None
        asked = operation_of(app, request.url_rule, request.method)
        if not asked.needs_caller:
            return None
        caller = g.caller = sender_of(request, asked, access, config)
        if not asked.is_allowed(caller.scopes):
            raise NotAllowed(
                f"The API key {caller.name} may only {' and '.join(sorted(caller.scopes))}. Use another one."
            )
        if asked.is_of_operator and not caller.is_operator:
            raise NotAllowed(
                f"The API key {caller.name} does not reach all documents with the scopes read and write, and this is "
                "about all of them. Use the password, or a key without a tenant and prefixes and with both scopes."
            )
        return caller

    @app.before_request
    def identify() -> None:
        refused: Sender | None = request.environ.get(REFUSED)
        if refused is not None and refused.refusal is not None:
            g.caller = refused.caller
            raise refused.refusal
        caller = may_send()
        if caller is None:
            return
        access.admit(caller, client_address(request, config.trusted_proxies))
        request.environ[HOLDER] = _holder(caller)

    def look(environ: dict[str, Any]) -> Sender:
        with app.request_context(environ):
            address = client_address(request, config.trusted_proxies)
            try:
                caller = may_send()
                if caller is None:
                    return Sender(address, _may_be_sent(app, address))
                access.check_limits(caller, address, upload=_upload_size(app))
            except Exception as refusal:  # noqa: BLE001 - the application answers each of them (app.py)
                return Sender(address, refusal=refusal, caller=g.get("caller"))
            return Sender(address, _holder(caller))

    @app.after_request
    def tell_end(response: Response) -> Response:
        caller: Caller | None = g.get("caller")
        if caller is not None and caller.until is not None:
            response.headers[KEY_EXPIRES] = caller.until.strftime("%Y-%m-%dT%H:%M:%SZ")
        return response

    @app.after_request
    def keep_apart(response: Response) -> Response:
        """No cache that several people share keeps what a caller gets: by itself, it does not for `Authorization`
        alone, and not for a cookie (https://www.rfc-editor.org/rfc/rfc9111#section-3.5)."""
        if g.get("caller") is not None and not response.cache_control.no_store:
            response.cache_control.private = True
            response.cache_control.no_cache = True
        return response

    app.extensions[_ACCESS] = access
    app.extensions[_FIRST_LOOK] = look
    app.register_error_handler(NotSignedIn, _not_signed_in)
    app.register_error_handler(NotAllowed, _not_allowed)
    app.register_error_handler(TooManyRequests, _too_many)
    return access


def first_look(app: Flask) -> FirstLook:
    """How a server asks before it takes a body. `app` has a guard."""
    look: FirstLook = app.extensions[_FIRST_LOOK]
    return look


def current_caller() -> Caller:
    """Who sends the request that is answered now. Of one that is refused, g.caller is None or not there if its sender
    is not known."""
    caller: Caller = g.caller
    return caller


def may_still_ask() -> Callable[[], bool]:
    """Tells, also when the request that is answered now is over, whether its sender still has the rights of now."""
    access: Access = current_app.extensions[_ACCESS]
    caller, token = current_caller(), token_of(request) or kept_token(request)

    def may_ask() -> bool:
        if token is None or not caller.proven_by(token):
            return access.is_open
        try:
            return access.caller(token) == caller
        except (NotSignedIn, NotAllowed):
            return False

    return may_ask


def callers_meter() -> CallersTokens | None:
    """Counts the tokens of who sends the request that is answered now; None if no limit counts them."""
    caller, access = current_caller(), current_app.extensions[_ACCESS]
    return CallersTokens(caller, access.use) if access.use.limits(caller, Limited.TOKENS) else None


def token_of(request: Request) -> Token | None:
    """The token of ragbase that the request shows in its header, if it shows one."""
    # Not request.authorization: it fails for a user and password that are not ASCII (werkzeug 3.1, Authorization).
    scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
    return Token.parse(shown.strip()) if scheme.lower() == "bearer" else None


def sender_of(request: Request, asked: Operation, access: Access, config: Config) -> Caller:
    """Who sends a request for this operation. Raises NotSignedIn, and NotAllowed."""
    token = token_of(request)
    if token is not None:
        caller = access.caller(token)
        refuse_other_origins(caller, request, config.public_url)
        return caller
    if (kept := _kept_caller(request, access, config)) is not None:
        return kept
    if access.is_open:
        if config.sign_in == "iam":
            # Cloud Run has checked the caller's Google token. It is in `Authorization` (without its signature) or in
            # `X-Serverless-Authorization`; if both are there, Cloud Run looks at the second alone, and `Authorization`
            # is free for a token of ours (https://cloud.google.com/run/docs/authenticating/service-to-service).
            # A browser behind Identity-Aware Proxy has a cookie of it, so a page of another site must not use that.
            if request.headers.get("Origin") not in origins_of(config.cors_origins):
                refuse_other_pages(request, config.public_url)
            return Caller("iam")
        refuse_strangers(request, origins_of(config.cors_origins))
        return Caller("local")
    if "Authorization" in request.headers:
        raise NotSignedIn("The header Authorization has no token of ragbase. Send Authorization: Bearer TOKEN.")
    if config.public_query and asked.is_public_query:
        return PUBLIC
    raise NotSignedIn(
        f"Sign in first: send the header Authorization: Bearer TOKEN, with the token of POST {_LOGIN.path} or an "
        "API key."
    )


def _kept_caller(request: Request, access: Access, config: Config) -> Caller | None:
    """Who has signed in on a page; None if nobody has. Where nobody needs to, a sign-in that is over is none."""
    token = kept_token(request)
    if token is None:
        return None
    prove_own_page(request, config.public_url)
    try:
        caller = access.caller(token)
    except NotSignedIn:
        if access.is_open:
            return None
        raise
    refuse_other_origins(caller, request, config.public_url)
    return caller


def _upload_size(app: Flask) -> int | None:
    """How many bytes the file in this request has at least; None if it brings none."""
    if request.url_rule is None or operation_of(app, request.url_rule, request.method).line is not Line.UPLOADS:
        return None
    return max(1, (request.content_length or 0) - BESIDE_A_FILE)


def _holder(caller: Caller) -> str | None:
    return None if caller == PUBLIC else caller.id


def _may_be_sent(app: Flask, address: str) -> str | None:
    """The holder of a body that needs no caller; None for a stranger. Raises what the route's own look raises."""
    look = look_of(app, request.url_rule, request.method)
    if look is None:
        return None
    look(**(request.view_args or {}))
    return address


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
