"""Requests that come through a proxy: how to tell, and what the settings have to say about it."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterable

from flask import Flask, request

from ragbase import telemetry

_OF_A_PROXY = re.compile(
    r"(x-)?forwarded(-.+)?|(.+-)?via|cdn-loop|surrogate-capability|x-original-.+|x-envoy-.+|cf-.+"
    r"|(.+-)?(client|real|connecting|user|proxyuser|remote|socket|originating)-?(ip|addr)"
)
"""The headers with which proxies, load balancers and content delivery networks say what they pass on, and for whom:
RFC 7239 (`Forwarded`), RFC 9110, section 7.6.3 (`Via`), RFC 8586 (`CDN-Loop`), and the names that vendors use."""

_SAID = ("X-Forwarded-For", "X-Forwarded-Proto")
"""What proxies in front of a server say of a client: its address, and whether it has used https."""


def header_of_a_proxy(names: Iterable[str]) -> str | None:
    """The first of these headers that only a proxy writes. None does not mean that there is no proxy: nginx tells
    nothing unless its configuration says so."""
    return next((name for name in names if _OF_A_PROXY.fullmatch(name.lower())), None)


def warn_of_proxies(app: Flask, *, trusted_proxies: int, wants_public_url: bool) -> None:
    """Log once that a proxy is there, and which settings do not know of it. `wants_public_url` says that addresses are
    handed out, and that no setting has the one of the proxy."""
    untold = threading.Semaphore(1)

    @app.before_request
    def warn() -> None:
        said = [name for name in _SAID if name in request.headers]
        consequences, remedies = [], []
        if said and not trusted_proxies:
            consequences.append("limits count all clients of the proxy as one")
            remedies.append("trusted_proxies = 1")
        elif _SAID[0] in said and (entries := request.headers[_SAID[0]].count(",") + 1) < trusted_proxies:
            consequences.append(f"limits count all clients as one, as the header has only {entries} of their addresses")
            remedies.append("trusted_proxies to the number of proxies that append to it")
        if said and wants_public_url:
            consequences.append("addresses of uploads begin with http:// and the header Host")
            remedies.append("public_url to the address of the proxy")
        if remedies and untold.acquire(blocking=False):
            telemetry.log(
                "proxy.unknown",
                f"A proxy passes requests on (header {' and '.join(said)}), and the settings say otherwise: "
                f"{', and '.join(consequences)}. Set {' and '.join(remedies)}.",
                level=logging.WARNING,
                headers=said,
            )
