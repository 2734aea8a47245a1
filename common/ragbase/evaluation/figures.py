"""The figures of all questions together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragbase.evaluation.evaluate import THRESHOLDS, MeasuredQuestion
from ragbase.evaluation.measures import MEASURES

PERCENTILES = (50, 95, 99, 100)


@dataclass(frozen=True, slots=True)
class MeasureMeans:
    """The mean of a measure over the questions that have an answer."""

    name: str
    without_threshold: float
    at_threshold: float


@dataclass(frozen=True, slots=True)
class ThresholdShares:
    """With this threshold: the share of the questions that have an answer and get any result, and of the others that
    get none. None if there are no such questions."""

    threshold: float
    answered: float | None
    refused: float | None


def measure_means(asked: Sequence[MeasuredQuestion]) -> list[MeasureMeans]:
    """Empty if no question has an answer."""
    answerable = [one for one in asked if one.is_answerable]
    if not answerable:
        return []
    return [
        MeasureMeans(
            name,
            sum(one.without_threshold[name] for one in answerable) / len(answerable),
            sum(one.at_threshold[name] for one in answerable) / len(answerable),
        )
        for name in MEASURES
    ]


def shares_now(asked: Sequence[MeasuredQuestion], threshold: float) -> ThresholdShares:
    """At the threshold that the questions were asked with."""
    return _shares(threshold, [(one.is_answerable, one.is_answered) for one in asked])


def curve(asked: Sequence[MeasuredQuestion]) -> list[ThresholdShares]:
    """At each of THRESHOLDS."""
    return [
        _shares(
            threshold,
            [(one.is_answerable, one.answered_until is not None and one.answered_until >= threshold) for one in asked],
        )
        for threshold in THRESHOLDS
    ]


def latencies(asked: Sequence[MeasuredQuestion]) -> dict[int, float]:
    """The seconds in which so many percent of the questions were answered."""
    ordered = sorted(one.seconds for one in asked)
    return (
        {percent: ordered[max(0, -(-len(ordered) * percent // 100) - 1)] for percent in PERCENTILES} if ordered else {}
    )


def _shares(threshold: float, seen: Sequence[tuple[bool, bool]]) -> ThresholdShares:
    """From whether each question has an answer, and whether it got a result."""
    answered = [got for answerable, got in seen if answerable]
    refused = [not got for answerable, got in seen if not answerable]
    return ThresholdShares(
        threshold,
        sum(answered) / len(answered) if answered else None,
        sum(refused) / len(refused) if refused else None,
    )
