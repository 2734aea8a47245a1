"""A near miss for a person or a model to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ragbase.domain.near_miss import below

if TYPE_CHECKING:
    from ragbase.messages.api.near_miss import NearMissBody, NearPassageBody

_MOST_WORDS = 5
"""Words in a line. A long question lacks many."""


def near_miss_lines(miss: NearMissBody, name: Callable[[str], str]) -> list[str]:
    """A line for each passage, and one for the words that no passage has. `name` writes a name or a heading, which may
    be anything, so that it stays in its place."""
    lines = [_line(near, miss.threshold, name) for near in miss.passages]
    return [*lines, f"No passage has: {_listed(miss.unknown)}."] if miss.unknown else lines


def _line(near: NearPassageBody, threshold: float, name: Callable[[str], str]) -> str:
    place = near.metadata
    parts = [
        f"{name(near.filename)} > {name(place.heading)}" if place.heading else name(near.filename),
        f"page {place.page}" if place.page is not None else "",
        f"row {place.row}" if place.row is not None and not place.heading else "",
    ]
    lacks = f" It lacks: {_listed(near.lacks)}." if near.lacks else ""
    return f"Nearest: {', '.join(filter(None, parts))} ({below(near.score, threshold)}).{lacks}"


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _MOST_WORDS
    return ", ".join(words[:_MOST_WORDS]) + (f" and {more} more" if more > 0 else "")
