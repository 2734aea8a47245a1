"""What a service says about a request that it refuses, without what it was sent.

Some services repeat a request in their answer: the texts that they do not take, or the key that they do not know. Such
an answer goes into the log, into a record and to callers, where no text, question or key belongs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

_WINDOW = 12
"""Characters in a row that are no coincidence."""
_SHORTEST = 4
"""Characters of a text that would not hide half of what a service says."""
_LOOKED_AT = 1_000
"""Characters of an answer: all texts of a request are looked for at each of them."""
_HIDDEN = "…"


def without_echo(said: str, sent: Iterable[str]) -> str:
    """The beginning of what was said, on one line, with "…" where it has twelve characters or more of what was sent."""
    shown = _line(_readable(said))[:_LOOKED_AT]
    hidden = [False] * len(shown)
    for text in map(_line, sent):
        length = min(len(text), _WINDOW)
        if length < _SHORTEST:
            continue
        for start in range(len(shown) - length + 1):
            if shown[start : start + length] in text:
                hidden[start : start + length] = [True] * length
    return "".join(
        (_HIDDEN if at == 0 or not hidden[at - 1] else "") if is_hidden else shown[at]
        for at, is_hidden in enumerate(hidden)
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _readable(said: str) -> str:
    """JSON with its letters in place of their numbers."""
    try:
        return json.dumps(json.loads(said), ensure_ascii=False)
    except (ValueError, RecursionError):
        return said
