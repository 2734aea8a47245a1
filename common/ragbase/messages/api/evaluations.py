"""What /api/evaluations answers."""

from __future__ import annotations

from datetime import datetime

from ragbase.messages.json_model import JsonModel


class EvaluationRunBody(JsonModel):
    """`hitRate` is the share of the questions whose answer is shown, `mrr` the mean of 1 / rank of the first answer,
    and `score` the mean of what users get, from 0 to 1. `ranks` counts the first answers on rank 1, 2, …, `later` those
    below, and `missing` those that do not reach the threshold."""

    at: datetime
    model: str | None = None
    top_k: int
    threshold: float
    questions: int
    score: float
    hit_rate: float
    mrr: float
    ranks: tuple[int, ...]
    later: int
    missing: int


class EvaluationsResponse(JsonModel):
    runs: tuple[EvaluationRunBody, ...]
