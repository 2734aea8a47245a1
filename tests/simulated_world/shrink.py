"""Shorten a history that breaks a promise, until every part of it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MOST_RUNS = 1500
"""The most runs for one failure: about ten seconds. After that, parts that are not needed may stay."""


def shrink(elements: Sequence[str], breaks: Callable[[Sequence[str]], bool]) -> list[str]:
    """The fewest elements found that still break the promise, by delta debugging (Zeller and Hildebrandt, 2002)."""
    kept, parts, runs = list(elements), 2, 0
    while len(kept) > 1 and runs < MOST_RUNS:
        size = -(-len(kept) // parts)
        for start in range(0, len(kept), size):
            rest = kept[:start] + kept[start + size :]
            runs += 1
            if breaks(rest):
                kept, parts = rest, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(parts * 2, len(kept))
    return kept
