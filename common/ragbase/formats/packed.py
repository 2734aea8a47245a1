"""Binary data in the values of a file: pictures, archives and keys, in base64."""

from __future__ import annotations

import re

from ragbase.formats.quality import is_packed

LEAST = 512
"""Characters. Shorter ones may be keys or names of something, which people look for."""

STEP, WINDOW = LEAST // 2, 60
"""One of these places is within each run of so many characters. Most texts have a blank in all of them, and need no
further look."""

BASE64 = re.compile(
    r"(?:data:[\w.+/-]{0,100}(?:;[\w.=-]{1,100}){0,9},)?"
    r"[A-Za-z0-9+/_-]{60,}(?:\r?\n[A-Za-z0-9+/_-]{60,})*"
    r"(?:\r?\n[A-Za-z0-9+/_-]{1,80}(?==|\s|\Z))?={0,2}"
)
"""In one line, or in lines of 60 characters or more, of which the last may be shorter. A data URI says what it is."""


def without_packed(text: str) -> tuple[str, list[str]]:
    """The text without binary data, and that data."""
    packed: list[str] = []
    windows = (text[at : at + WINDOW] for at in range(0, len(text) - WINDOW, STEP))
    if len(text) < LEAST or not any(window.isascii() and " " not in window for window in windows):
        return text, packed

    def left_out(found: re.Match[str]) -> str:
        if len(found[0]) < LEAST or not is_packed(found[0]):
            return found[0]
        packed.append(found[0])
        return ""

    return BASE64.sub(left_out, text), packed
