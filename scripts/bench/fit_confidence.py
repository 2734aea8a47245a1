"""Fit the weights of the confidence: a logistic regression of whether an index answers a question.

The weights decide which passage of a question is the strongest, and its facts decide the weights. So both are found in
turn, from the weights in force. Then `bias` and `meaning` are moved until as many right answers are lost as is aimed
for: `bias` where the model does not see what a question is about, `meaning` where it does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np

from ragbase.retrieval.calibration import ConfidenceWeights
from scripts.bench.judged_sets import Array, Asked, Evidence

LOST_BY_MEANING, LOST_BY_WORDS = 0.012, 0.021
"""The mean share of right answers that the threshold may hide. Words tell less, so they lose more for what they
refuse."""
_NEIGHBOURS = 5.0
"""As in scoring.py: beside a passage that has to do with the question, others may have so much less evidence."""
_SEES = 0.5
"""From this u on, meaning counts more than words."""
_ROUNDS, _STEPS, _RIDGE = 5, 60, 0.05
_OWN_WEIGHT = 1.5
"""An own question that is refused is as bad as this many foreign ones that are answered."""
_NATURAL_WEIGHT = 2.0
"""Questions that people asked count more than headings that were made into questions."""
_LEAST = 30
"""Own questions of an index that says what is lost. One of a dozen lost would be .08."""
_NAMES = [one.name for one in fields(ConfidenceWeights)]
_FIXED = [_NAMES.index(name) for name in ("chance", "lacks")]
"""They stay as in force: few indexes have a chance level above 0, and few questions an identifier."""
_BIAS, _MEANING = _NAMES.index("bias"), _NAMES.index("meaning")


@dataclass(frozen=True)
class Padded:
    """The facts of the candidates of several questions: question × candidate × fact. A question with fewer candidates
    has its first one several times."""

    facts: Array

    @classmethod
    def of(cls, asked: Sequence[Asked]) -> Padded:
        most = max((len(one.facts) for one in asked), default=1)
        rows = [np.concatenate([one.facts, np.repeat(one.facts[:1], most - len(one.facts), axis=0)]) for one in asked]
        return cls(np.array(rows) if rows else np.zeros((0, 1, len(_NAMES))))

    def strongest(self, weights: Array) -> Array:
        """The facts of each question's strongest candidate."""
        facts: Array = self.facts[np.arange(len(self.facts)), (self.facts @ weights).argmax(axis=1)]
        return facts


@dataclass(frozen=True)
class Sample:
    """One index, ready to fit on and to judge by."""

    evidence: Evidence
    own: Padded
    found: Padded
    foreign: Padded
    everyday: Padded

    @classmethod
    def of(cls, evidence: Evidence) -> Sample:
        found = [one for one in evidence.own if one.is_found]
        return cls(evidence, *map(Padded.of, (evidence.own, found, evidence.foreign, evidence.everyday)))


def fit(samples: Sequence[Sample], start: ConfidenceWeights) -> ConfidenceWeights:
    weights = np.array(astuple(start))
    for _ in range(_ROUNDS):
        weights = _regress_but_fixed(*_strongest(samples, weights), weights)
    weights = _aimed(samples, weights)
    return ConfidenceWeights(**dict(zip(_NAMES, map(float, weights), strict=True)))


def judge(sample: Sample, weights: ConfidenceWeights) -> dict[str, float | None]:
    """The loss of recall@5 by the threshold of .5, and the shares of other questions that are refused."""
    vector = np.array(astuple(weights))

    def refused(asked: Padded) -> float | None:
        return float((asked.strongest(vector) @ vector < 0).mean()) if len(asked.facts) else None

    lost = [_is_lost(one, vector) for one in sample.evidence.own]
    return {
        "lost": sum(lost) / len(lost),
        "foreign_refused": refused(sample.foreign),
        "everyday_refused": refused(sample.everyday),
    }


def recall(sample: Sample) -> float:
    """Recall@5 without a threshold."""
    return len(sample.found.facts) / len(sample.evidence.own)


def _is_lost(asked: Asked, weights: Array) -> bool:
    if not asked.is_found:
        return False
    strongest = (asked.facts @ weights).max()
    right = strongest if asked.right is None else (asked.right @ weights).max()
    return bool(max(right, min(strongest, right + _NEIGHBOURS)) < 0)


def _strongest(samples: Sequence[Sample], weights: Array) -> tuple[Array, Array, Array]:
    """The facts of each question's strongest candidate, whether the index answers it, and how much it counts.

    A language counts as the root of how many indexes it has, whatever the number of its questions.
    """
    indexes = Counter(sample.evidence.variant.judged.language for sample in samples)
    facts, labels, counts = list[Array](), list[Array](), list[Array]()
    for sample in samples:
        judged = sample.evidence.variant.judged
        share = 1 / math.sqrt(indexes[judged.language])
        is_natural = judged.is_xquad
        share *= _NATURAL_WEIGHT if is_natural else 1.0
        for asked, label, weight in (
            (sample.found, 1.0, _OWN_WEIGHT),
            (sample.foreign, 0.0, float(is_natural)),  # the sources of a mix are all on programs: near subjects
            (sample.everyday, 0.0, 1.0),
        ):
            if size := len(asked.facts):
                facts.append(asked.strongest(weights))
                labels.append(np.full(size, label))
                counts.append(np.full(size, share * weight / size))
    whole = np.concatenate(counts)
    return np.concatenate(facts), np.concatenate(labels), whole * 1000 / whole.sum()


def _regress_but_fixed(facts: Array, labels: Array, counts: Array, weights: Array) -> Array:
    given = weights.copy()
    free = np.setdiff1d(np.arange(len(weights)), _FIXED)
    given[free] = regress(facts[:, free], labels, counts, known=facts[:, _FIXED] @ weights[_FIXED])
    return given


def regress(facts: Array, labels: Array, counts: Array, *, ridge: float = _RIDGE, known: Array | float = 0.0) -> Array:
    """Newton's method. `known` is evidence that is there beside that of the facts. The last fact is always 1. The ridge
    works on standardised facts, and keeps the weights finite when a line separates the two classes."""
    slopes = facts[:, :-1]
    mean = counts @ slopes / counts.sum()
    sd = np.sqrt(counts @ (slopes - mean) ** 2 / counts.sum())
    sd[sd == 0] = 1.0
    rows = np.column_stack([(slopes - mean) / sd, np.ones(len(facts))])
    penalty = np.diag([ridge] * len(mean) + [0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        p = 0.5 * (1 + np.tanh((rows @ weights + known) / 2))
        gradient = rows.T @ (counts * (labels - p)) - penalty @ weights
        curvature = (rows * (counts * p * (1 - p))[:, None]).T @ rows + penalty
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), gradient)
        weights = weights + step
        if abs(step).max() < 1e-6:
            break
    given: Array = np.append(weights[:-1] / sd, weights[-1] - weights[:-1] / sd @ mean)
    return given


def _aimed(samples: Sequence[Sample], weights: Array) -> Array:
    """The weights with `bias` and `meaning` moved to what may be lost."""
    moved = weights.copy()
    for _ in range(6):
        for place, sees, aim in ((_BIAS, False, LOST_BY_WORDS), (_MEANING, True, LOST_BY_MEANING)):
            found = [_of_meaning(sample.found.strongest(moved), sees=sees) for sample in samples]
            parts = [(facts @ moved, facts[:, place]) for facts in found if len(facts) >= _LEAST]
            if parts:
                moved[place] += _move(parts, aim)
    return moved


def _of_meaning(facts: Array, *, sees: bool) -> Array:
    chosen: Array = facts[(facts[:, _MEANING] > _SEES) == sees]
    return chosen


def _move(parts: Sequence[tuple[Array, Array]], aim: float) -> float:
    """How much more of a fact loses what is aimed for, in the mean over all indexes."""
    low, high = -12.0, 12.0
    for _ in range(40):
        middle = (low + high) / 2
        lost = np.mean([(evidence + middle * fact < 0).mean() for evidence, fact in parts])
        low, high = (middle, high) if lost > aim else (low, middle)
    return (low + high) / 2
