"""Who a request comes from, as an address that limits can count."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from flask import Request

_ONE_CUSTOMER = 64
"""Bits of an IPv6 address that one customer of a provider has in common. Who has one address has all of these."""


def client_address(request: Request, trusted_proxies: int) -> str:
    """The address of the client: of the connection, or what the outermost of the trusted proxies has written.

    Each proxy appends the address of its caller to X-Forwarded-For. What stands before the entries of the
    trusted proxies was written by the client and may be anything.
    """
    return counted_as(_forwarded(request, trusted_proxies) if trusted_proxies else request.remote_addr or "")


def counted_as(text: str) -> str:
    """The address as limits count it: an IPv6 address becomes its network of 64 bits. What is no address becomes
    `unknown`, and all of those share one limit."""
    address = _parsed(text)
    if address is None:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ip_network((int(address), _ONE_CUSTOMER), strict=False))
    return str(address)


def _forwarded(request: Request, trusted_proxies: int) -> str:
    written = [one.strip() for one in request.headers.get("X-Forwarded-For", "").split(",")]
    return written[-trusted_proxies] if len(written) >= trusted_proxies else ""


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
