"""Who is a stranger to an API without a password or a key."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import Request

from ragbase.domain.errors import NotAllowed
from ragbase.interfaces.http.proxies import header_of_a_proxy


def refuse_strangers(request: Request, origins: Collection[str]) -> None:
    """Without a password, only programs of this machine are answered, and pages of the origins that a setting names.
    The setting's "*" is no name: it would let every page in.

    A page of any site can send requests to this machine from its user's browser. Then `Origin` names the site, but not
    for images, scripts and links: `Sec-Fetch-Site` tells those (https://www.w3.org/TR/fetch-metadata/). It is `none`
    for what the user has typed. A site can also let its own name lead to this machine (DNS rebinding). Then `Host` has
    that name. A proxy passes on what other machines send. Raises NotAllowed.
    """
    origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site", "none")
    proxy = header_of_a_proxy(name for name, _ in request.headers)
    if proxy is not None:
        found = f"This request comes through a proxy (header {proxy}), from another machine."
    elif not _is_here(request.remote_addr):
        found = "This request comes from another machine."
    elif not _is_here(_name(request.host)):
        found = f"The header Host has another name than this machine's: {request.host}."
    elif origin is not None and origin != f"{request.scheme}://{request.host}" and origin not in origins:
        found = f"This request comes from a page of {origin}."
    elif origin not in origins and site not in ("same-origin", "none"):
        found = f"This request comes from a page of another origin (Sec-Fetch-Site: {site})."
    else:
        return
    raise NotAllowed(
        f"{found} Without a password, only programs of this machine are answered. Set a password (`ragbase password`) "
        "or make an API key (`ragbase keys create`)."
    )


def _name(host: str) -> str | None:
    """The host without its port; None if it is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _is_here(host: str | None) -> bool:
    """Whether this address or name always means this machine (RFC 6761, section 6.3)."""
    if host is None:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
