"""Which addresses of the network are public: all others lead into somebody's own network, or nowhere."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")
"""An IPv4 address as networks without IPv4 write it (RFC 6052)."""


def is_public(address: str) -> bool:
    """Whether a server with this IP address may be asked.

    Loopback, private, shared (RFC 6598), link-local (so also the metadata servers of clouds, 169.254.169.254 and
    fd00:ec2::254), multicast and reserved addresses are not public, nor is an IPv6 address with one of these inside.
    """
    ip = ip_address(address)
    return all(one.is_global and not one.is_multicast and not _is_set_apart(one) for one in _with_inner(ip))


def _with_inner(ip: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """An address that has another one inside means that one. A tunnel leads to both."""
    if isinstance(ip, IPv4Address):
        return [ip]
    if ip.ipv4_mapped:
        return [ip.ipv4_mapped]
    if ip in _NAT64:
        return [IPv4Address(int(ip) & 0xFFFFFFFF)]
    return [ip, *(ip.teredo or ()), *([ip.sixtofour] if ip.sixtofour else ())]


def _is_set_apart(ip: IPv4Address | IPv6Address) -> bool:
    return ip.is_reserved or ip.is_unspecified or (isinstance(ip, IPv6Address) and ip.is_site_local)
