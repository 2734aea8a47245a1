"""Requests that come through a proxy: how to tell."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OF_A_PROXY = re.compile(
    r"(x-)?forwarded(-.+)?|(.+-)?via|cdn-loop|surrogate-capability|x-original-.+|x-envoy-.+|cf-.+"
    r"|(.+-)?(client|real|connecting|user|proxyuser|remote|socket|originating)-?(ip|addr)"
)
"""The headers with which proxies, load balancers and content delivery networks say what they pass on, and for whom:
RFC 7239 (`Forwarded`), RFC 9110, section 7.6.3 (`Via`), RFC 8586 (`CDN-Loop`), and the names that vendors use."""


def header_of_a_proxy(names: Iterable[str]) -> str | None:
    """The first of these headers that only a proxy writes. None does not mean that there is no proxy: nginx tells
    nothing unless its configuration says so."""
    return next((name for name in names if _OF_A_PROXY.fullmatch(name.lower())), None)
