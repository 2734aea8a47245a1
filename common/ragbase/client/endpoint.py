"""The address of a server, and whether a key may be sent there."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from ragbase.domain.errors import ConfigurationError

_EXAMPLE = "such as https://rag.example.com or http://127.0.0.1:8080"


def checked_endpoint(endpoint: str) -> str:
    """The address without a slash at its end. Raises ConfigurationError if it is no address of a server. The text does
    not repeat what may be secret."""
    parts = urlsplit(endpoint)
    try:
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        raise ConfigurationError(f"The port of the endpoint is no number. Give an address {_EXAMPLE}.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(f"The endpoint is no address of a server. Give one {_EXAMPLE}.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigurationError(
            f"The endpoint has a user, a query or a fragment. Give only the address, {_EXAMPLE}, and the key apart."
        )
    return endpoint.rstrip("/")


def checked_key(key: str) -> str:
    """Raises ConfigurationError if no header can carry it."""
    if not (key and key.isascii() and key.isprintable() and key.strip() == key):
        raise ConfigurationError("The key is empty or has characters that no header can carry. Copy it again.")
    return key


def check_secret(endpoint: str) -> None:
    """Raises ConfigurationError if everybody on the way could read a key or a password that is sent there: over http,
    to another machine."""
    parts = urlsplit(endpoint)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise ConfigurationError(
            f"A key or password would go to {parts.hostname} without encryption, so that others could read it. Use "
            "https."
        )


def is_loopback(host: str) -> bool:
    """Whether it is this machine, whatever a name server says."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
