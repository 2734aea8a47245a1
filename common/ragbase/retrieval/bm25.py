"""BM25: how much a term that a passage has counts for it."""

from __future__ import annotations

import math

K1 = 1.2
"""How soon a repeated term stops counting. The value of Lucene, FTS5 and Weaviate."""
B = 0.75
"""How much a passage's length counts against it. The value of Lucene, FTS5 and Weaviate."""

PRIOR_PASSAGES = 50
"""Every index is treated as if it held this many more passages, without any term of the query. This gives sensible
scores with one document, and changes little with thousands."""


def inverse_frequency(passages: int, frequency: float, *, prior: int = PRIOR_PASSAGES) -> float:
    """The worth of a term that is in `frequency` of so many passages, and in none of the `prior`. Never negative."""
    return math.log1p((passages + prior - frequency + 0.5) / (frequency + 0.5))


def bm25(count: int, length: int, average_length: float) -> float:
    """How many times a term's worth counts if it occurs `count` times in a passage of `length` terms: 0 to K1 + 1."""
    return count * (K1 + 1) / (count + length_part(length, average_length))


def length_part(length: int, average_length: float) -> float:
    """What is added to a count that divides it."""
    return K1 * (1 - B + B * length / average_length)
