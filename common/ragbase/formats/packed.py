"""Binary data in the values of a file: pictures, archives and keys, in base64."""

from __future__ import annotations

import re

from ragbase.formats.quality import is_packed

LEAST = 512
"""Characters. Shorter ones may be keys or names of something, which people look for."""

BASE64 = re.compile(
    r"(?:data:[\w.+/-]{0,100}(?:;[\w.=-]{1,100}){0,9},)?"
    r"[A-Za-z0-9+/_-]{60,}(?:\r?\n[A-Za-z0-9+/_-]{60,})*"
    r"(?:\r?\n[A-Za-z0-9+/_-]{1,80}(?==|\s|\Z))?={0,2}"
)
"""In one line, or in lines of 60 characters or more, of which the last may be shorter. A data URI says what it is."""


def without_packed(text: str) -> tuple[str, list[str]]:
    """The text without binary data, and that data."""
    packed: list[str] = []
    if len(text) < LEAST:
        return text, packed

    def left_out(found: re.Match[str]) -> str:
        if len(found[0]) < LEAST or not is_packed(found[0]):
            return found[0]
        packed.append(found[0])
        return ""

    return BASE64.sub(left_out, text), packed
