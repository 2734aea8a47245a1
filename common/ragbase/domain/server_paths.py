"""What an error says to a caller of the API: no place on the disk of the server."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"(?P<quote>['\"])/(?!/)[^'\"\n]*/(?P<name>[^/'\"\n]+)/?(?P=quote)")
"""As Python writes the path of an OSError."""
_OURS = r"api/|internal/|mcp\b|docs\b|healthz?\b|readyz?\b|openapi"
_PART = r"(?:[^\s'\"<>:;,()/]|[ ](?![ /]))+"
"""A folder on the way may have spaces in its name."""
_BARE = re.compile(rf"(?<![\w:/.~*?-])/(?!/|{_OURS})(?:{_PART}/)+(?P<name>[^\s'\"<>:;,()/]*)")
"""An absolute path. What follows the scheme or the host of an address is none, nor is a path of the API."""


def without_server_paths(text: str) -> str:
    """The text with the last name alone of each absolute path."""
    return _BARE.sub(r"\g<name>", _QUOTED.sub(r"\g<quote>\g<name>\g<quote>", text))


def told(error: BaseException) -> str:
    """What a caller is told of an error: as a sentence, which others may follow."""
    text = without_server_paths(str(error))
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
