"""How sure a result is, in a word."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

NEAR = 0.5
"""The score below which a passage is a near miss, whatever threshold is set: the default one."""
STRONG, FAIR = 0.75, 0.5
"""The shares of the question's worth from which a passage is strong, or fair. A word is worth more if few passages have
it. docs/ranking.md has the share of right results for each word."""


class Confidence(StrEnum):
    """From the surest to the least sure."""

    EXACT_IDENTIFIER = "exact identifier"
    """The passage has every identifier that the question names, as a whole."""
    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"
    """It has less than half of what the question's words are worth: it may say the same in other words."""
    NEAR_MISS = "near miss"
    """Its score is below the default threshold."""


_ORDER = list(Confidence)


def confidence_of(score: float, coverage: float, *, has_identifiers: bool) -> Confidence:
    """The word for a passage with this score that has this share of the question's worth, each in 0..1.
    `has_identifiers` says that the question names identifiers, and that the passage has all of them."""
    if score < NEAR:
        return Confidence.NEAR_MISS
    if has_identifiers:
        return Confidence.EXACT_IDENTIFIER
    return Confidence.STRONG if coverage >= STRONG else Confidence.FAIR if coverage >= FAIR else Confidence.WEAK


def surest(levels: Iterable[Confidence]) -> Confidence | None:
    """None if there are none."""
    return min(levels, key=_ORDER.index, default=None)


def at_most(level: Confidence | None, most: Confidence) -> Confidence | None:
    return None if level is None else max(level, most, key=_ORDER.index)
