"""The scores in the answer of a server that reranks, checked and brought to 0..1: an answer may hold anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ragbase.domain.errors import TransientError

_STEEPEST = 12.0
"""Beyond this, different logits would become the same number in 0..1 to the eye, and beyond 37 to the computer."""


def raw_scores(service: str, answer: Any, count: int) -> list[float]:
    """The score of each of `count` texts, in their order. An answer is a list, or has one as `results` or `data`; its
    items are in any order, and name their texts by `index`.

    Raises TransientError if a text has no score, two, or one that is no number.
    """
    items = answer if isinstance(answer, list) else _first_list(answer, ("results", "data"))
    if items is None or not all(isinstance(item, dict) for item in items):
        raise TransientError(f"{service} answered without scores in a form that is known (results, data, or a list).")
    unnamed = [item for item in items if item.get("index") is None]
    found: dict[int, float] = {}
    for item in items:
        # protobuf and Go leave out a zero, as in answers with embeddings (adapters/openai/embedder.py).
        index = 0 if len(unnamed) == 1 and item is unnamed[0] else item.get("index")
        score = item.get("relevance_score", item.get("score"))
        if not _is_number(index) or not _is_number(score) or index in found or index not in range(count):
            raise TransientError(f"{service} answered with a score that cannot be used, or for no text, or twice.")
        found[int(index)] = float(score)
    if len(found) != count:
        raise TransientError(f"{service} answered with {len(found)} scores for {count} texts.")
    return [found[place] for place in range(count)]


def within_one(scores: Sequence[float]) -> list[float]:
    """Scores in 0..1 stay as they are. Others are logits, as llama.cpp and some models give them: the sigmoid brings
    them there in the same order. Very large ones are made smaller first, all by the same factor."""
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    factor = min(1.0, _STEEPEST / max(map(abs, scores)))
    return [1 / (1 + math.exp(-score * factor)) for score in scores]


def billed_units(answer: Any) -> float:
    """The search units, if the server bills by them, as Cohere does. Others bill tokens, or nothing."""
    meta = answer.get("meta") if isinstance(answer, dict) else None
    billed = meta.get("billed_units") if isinstance(meta, dict) else None
    units = billed.get("search_units") if isinstance(billed, dict) else None
    return max(float(units), 0.0) if units is not None and _is_number(units) else 0.0


def _first_list(answer: Any, names: Sequence[str]) -> list[Any] | None:
    fields = answer if isinstance(answer, dict) else {}
    return next((fields[name] for name in names if isinstance(fields.get(name), list)), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
