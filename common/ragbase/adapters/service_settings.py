"""The settings of a service behind HTTP, checked before it is asked anything."""

from __future__ import annotations

from urllib.parse import urlsplit

from ragbase.domain.errors import ConfigurationError


def checked_key(key: str, setting: str) -> str:
    """The key without the line break that files of secrets often end with.

    Raises ConfigurationError, naming the setting, if it cannot be a key.
    """
    stripped = key.strip()
    if not stripped or not stripped.isascii() or not stripped.isprintable():
        raise ConfigurationError(f"{setting} holds no API key. Set it to the key of your account.")
    return stripped


def checked_url(url: str, setting: str) -> str:
    """The URL without a slash at its end. Raises ConfigurationError, naming the setting, if it cannot be a URL."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(
            f"{setting} = {url!r} is not the URL of a service. Set it to a URL such as https://host/path."
        )
    return url.rstrip("/")
