"""How sure a result is, in a word."""

from __future__ import annotations

from enum import StrEnum

NEAR = 0.5
"""The score below which a passage is a near miss, whatever threshold is set: the default one."""
STRONG = 0.9
"""The rank score from which a result is strong. docs/ranking.md has the share of right results for each word."""
SURE = 0.9
"""The score that it needs beside."""


class Confidence(StrEnum):
    """From the surest to the least sure."""

    EXACT_IDENTIFIER = "exact identifier"
    """The passage has every identifier that the question names, as a whole."""
    STRONG = "strong"
    FAIR = "fair"
    NEAR_MISS = "near miss"
    """Below the default threshold: it may only share words with the question."""


def confidence_of(score: float, combined: float, *, has_identifiers: bool) -> Confidence:
    """The word for a passage with this score and this rank score (combined), each in 0..1. `has_identifiers` says that
    the question names identifiers, and that the passage has all of them."""
    if score < NEAR:
        return Confidence.NEAR_MISS
    if has_identifiers:
        return Confidence.EXACT_IDENTIFIER
    return Confidence.STRONG if score >= SURE and combined >= STRONG else Confidence.FAIR
