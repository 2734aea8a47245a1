"""The cookie with the token of who has signed in on a page. No script can read it.

A browser sends a cookie without asking its user, also when a page of another site makes it send a request. So a request
that changes something counts only if the browser says that a page of this server sends it (origins.py). A token in
`Authorization` needs no such proof: no other page has it."""

from __future__ import annotations

from datetime import timedelta

from flask import Request, Response

from ragbase.access.token import Token
from ragbase.domain.errors import NotAllowed
from ragbase.interfaces.http.origins import SentBy, sent_by

_SAFE = ("GET", "HEAD", "OPTIONS")


def kept_token(request: Request) -> Token | None:
    """The token in the cookie, if there is one."""
    return Token.parse(request.cookies.get(_name(request), ""))


def keep_token(response: Response, request: Request, token: Token, lasting: timedelta) -> None:
    response.set_cookie(
        _name(request),
        str(token),
        max_age=lasting,
        path="/",
        secure=_is_over_tls(request),
        httponly=True,
        samesite="Strict",
    )


def drop_token(response: Response, request: Request) -> None:
    response.delete_cookie(_name(request), path="/", secure=_is_over_tls(request), httponly=True, samesite="Strict")


def prove_own_page(request: Request, public_url: str) -> None:
    """Raises NotAllowed for a request that changes something, if no page of this server is known to send it."""
    if request.method not in _SAFE and sent_by(request, public_url) is not SentBy.OWN_PAGE:
        raise NotAllowed(
            "The cookie of a sign-in counts only on the pages of this server, and this request comes from another one, "
            "or does not say from where. Send a token in the header Authorization: Bearer TOKEN."
        )


def refuse_other_pages(request: Request, public_url: str) -> None:
    """Raises NotAllowed for what a page of another origin sends, to change something."""
    if request.method not in _SAFE and sent_by(request, public_url) is SentBy.OTHER_PAGE:
        raise NotAllowed(
            f"A page of another origin sends this request ({request.headers.get('Origin', 'unnamed')}). Only pages of "
            "this server may do this."
        )


def _name(request: Request) -> str:
    """Over TLS, a prefix that no other host, and no page without TLS, can set
    (https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#name-the-__host-prefix). Without it, the
    port: cookies do not tell the servers of one host apart."""
    if _is_over_tls(request):
        return "__Host-ragbase"
    port = request.host.rpartition(":")[2]
    return f"ragbase-{port}" if port.isdigit() else "ragbase"


def _is_over_tls(request: Request) -> bool:
    """A client that lies about it only loses its own cookie, so no setting says which proxy to believe."""
    return request.is_secure or request.headers.get("X-Forwarded-Proto", "").lower() == "https"
