"""The address at which others reach a deployment, such as that of the proxy in front of it."""

from __future__ import annotations

import re

from ragbase.domain.errors import ConfigurationError

_LABEL = "[A-Za-z0-9_]+(?:-+[A-Za-z0-9_]+)*"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:.]+\]"
_PATH = "(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*"
_ADDRESS = re.compile(rf"https?://(?:{_HOST})(?::([1-9][0-9]{{0,4}}))?{_PATH}/?")
_LAST_PORT = 65535


def checked_public_url(given: str) -> str:
    """The address without a slash at its end. Empty if it is empty, which means that nobody has named one.

    It may have a path, which the proxy then takes away. Raises ConfigurationError for what is no address, and for a
    user, a query, a fragment or a part of the path that begins with a dot: no path of ours can stand behind those.
    """
    found = _ADDRESS.fullmatch(given)
    if given and (found is None or int(found[1] or 1) > _LAST_PORT):
        raise ConfigurationError(
            "This is no address at which others can reach the API: https:// or http://, a host in ASCII, and if need "
            "be a port and a path. Give one such as https://rag.example.com or https://example.com/rag"
        )
    return given.rstrip("/")
