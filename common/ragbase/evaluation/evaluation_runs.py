"""What `ragbase eval` has found with the golden questions, run after run: figures, and no text of a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from ragbase.evaluation.evaluate import MeasuredQuestion
    from ragbase.ports import Checkpoints

RANKS = 10
"""Ranks that are counted each."""
MOST_RUNS = 100
"""Runs that are kept, the newest ones. They are one checkpoint, each of some 300 bytes."""
_NAME = "evaluation-runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """A run with `questions` that have an answer. `hit_rate` is the share whose answer is among the results that are
    shown, and `mrr` the mean of 1 / rank of the first answer, or 0; both at the threshold. `ranks` counts the first
    answers on rank 1, 2, … RANKS, `later` those below, and `missing` those that do not reach the threshold."""

    at: datetime
    model: str | None
    top_k: int
    threshold: float
    questions: int
    score: float
    hit_rate: float
    mrr: float
    ranks: tuple[int, ...]
    later: int
    missing: int


def run_of(
    asked: Sequence[MeasuredQuestion], *, at: datetime, model: str | None, top_k: int, threshold: float
) -> EvaluationRun | None:
    """None if no question has an answer."""
    reciprocals = [one.at_threshold["MRR"] for one in asked if one.is_answerable]
    if not reciprocals:
        return None
    found = [round(1 / one) for one in reciprocals if one]
    return EvaluationRun(
        at=at.replace(microsecond=0),
        model=model,
        top_k=top_k,
        threshold=threshold,
        questions=len(reciprocals),
        score=sum(one.score for one in asked) / len(asked),
        hit_rate=sum(rank <= top_k for rank in found) / len(reciprocals),
        mrr=sum(reciprocals) / len(reciprocals),
        ranks=tuple(found.count(rank) for rank in range(1, RANKS + 1)),
        later=sum(rank > RANKS for rank in found),
        missing=len(reciprocals) - len(found),
    )


class EvaluationRuns:
    """Any thread and process may use it."""

    def __init__(self, checkpoints: Callable[[], Checkpoints]) -> None:
        self._checkpoints = checkpoints

    def note(self, run: EvaluationRun) -> None:
        self._checkpoints().update(_NAME, lambda text: _text([*_read(text), run][-MOST_RUNS:]))

    def all(self) -> Sequence[EvaluationRun]:
        """Oldest first."""
        return _read(self._checkpoints().load(_NAME))


@cache
def _runs() -> TypeAdapter[list[EvaluationRun]]:
    return TypeAdapter(list[EvaluationRun])


def _read(text: str | None) -> list[EvaluationRun]:
    return _runs().validate_json(text) if text is not None else []


def _text(runs: list[EvaluationRun]) -> str:
    return _runs().dump_json(runs).decode()
