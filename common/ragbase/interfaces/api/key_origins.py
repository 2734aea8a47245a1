"""A key that is for the pages of some origins counts on these alone."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Request

from ragbase.access.caller import Caller
from ragbase.domain.errors import NotAllowed


def refuse_other_origins(caller: Caller, request: Request, public_url: str) -> None:
    """Raises NotAllowed if the caller's key is for pages of other origins.

    Browsers name the origin of a page that asks another server, and no page can change that. Of a page that asks its
    own server, they may say only that (`Sec-Fetch-Site`). A program writes what it likes there: the limits of the key
    count for it, too.
    """
    if not caller.origins:
        return
    origin = request.headers.get("Origin")
    if origin in caller.origins:
        return
    if origin is None and request.headers.get("Sec-Fetch-Site") == "same-origin":
        own = {request.host, urlsplit(public_url).netloc}
        if any(urlsplit(one).netloc in own for one in caller.origins):
            return
    sender = "does not say from which page it comes" if origin is None else f"comes from a page of {origin}"
    raise NotAllowed(
        f"The API key {caller.name} counts on pages of {' and '.join(caller.origins)} alone, and this request "
        f"{sender}. "
        "Use it there, or make another key with `ragbase keys create`."
    )
