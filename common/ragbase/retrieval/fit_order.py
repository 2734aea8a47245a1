"""Fit the weights of the rank score to one index and its model: how much the cosine counts beside the words.

The constants are MiniLM's. A model that tells more deserves more weight, and one that tells less, less. The index is
asked questions whose right passages are known (order_questions.py). The weights of cosine and coverage are multiplied
by factors of a grid. Those of BM25 and of headings stay: only proportions matter for an order, and the index's own
sentences have no headings.

What is fitted is taken only if it wins on questions that it was not fitted to, by more than their noise. Otherwise the
constants stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragbase.domain.calibration import OrderFit
from ragbase.retrieval.scoring import HEADED

if TYPE_CHECKING:
    from ragbase.retrieval.calibration import RankWeights

    Array = npt.NDArray[np.float64]

LEAST_QUESTIONS = 40
"""Fewer say nothing beyond their noise."""
_COSINE_FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
_COVERAGE_FACTORS = (0.5, 1.0, 2.0)
_FOLDS = 5
_SURE, _SURE_OF_LABELS = 2.0, 1.5
"""Standard errors by which the fit has to win on questions that were left out. Of 60 samples of 120 questions for which
the constants were the best, 2 standard errors let one or two be fitted otherwise, which lost .006 to .008."""
_LEAST_GAIN = 0.005
"""Of the mean nDCG@10."""
_DEPTH = 10


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """The facts of a question's candidates: cosine, BM25, coverage and headed; and which candidates answer it."""

    facts: Array
    answers: npt.NDArray[np.bool_]

    def ndcg(self, weights: Array) -> float:
        """nDCG@10 in the order of these weights, with the wrong ones first among equal ones; 0 if none is right."""
        right = int(self.answers.sum())
        if not right:
            return 0.0
        order = np.lexsort((self.answers, -(self.facts @ weights)))[:_DEPTH]
        places = np.flatnonzero(self.answers[order])
        return float(_worth(places).sum() / _worth(np.arange(min(right, _DEPTH))).sum())


def _worth(places: npt.NDArray[np.int_]) -> Array:
    worth: Array = 1 / np.log2(places + 2)
    return worth


def fit_order(questions: Sequence[RankedQuestion], rank: RankWeights, *, labelled: bool = False) -> OrderFit | None:
    """The factors for these weights; None if there are too few questions, or the constants are as good."""
    if len(questions) < LEAST_QUESTIONS:
        return None
    grid = list(product(_COSINE_FACTORS, _COVERAGE_FACTORS))
    usual = grid.index((1.0, 1.0))
    weights = [np.array([a * rank.cosine, rank.bm25, b * rank.coverage, HEADED]) for a, b in grid]
    values = np.array([[one.ndcg(each) for each in weights] for one in questions])
    gains = values - values[:, [usual]]
    choose = _best if labelled else _nearest
    left_out = np.concatenate(
        [gains[fold::_FOLDS, choose(np.delete(gains, np.s_[fold::_FOLDS], axis=0), grid)] for fold in range(_FOLDS)]
    )
    gain, noise = float(left_out.mean()), float(left_out.std(ddof=1) / np.sqrt(len(left_out)))
    if gain < max(_LEAST_GAIN, (_SURE_OF_LABELS if labelled else _SURE) * noise):
        return None
    cosine, coverage = grid[choose(gains, grid)]
    before = float(values[:, usual].mean())
    return OrderFit(cosine, coverage, len(questions), before, before + gain, labelled=labelled)


def _best(gains: Array, grid: Sequence[tuple[float, float]]) -> int:
    """The factors that are best."""
    means = gains.mean(axis=0)
    return max(range(len(grid)), key=lambda place: (means[place], -_distance(grid[place])))


def _nearest(gains: Array, grid: Sequence[tuple[float, float]]) -> int:
    """The factors nearest to the constants that are not surely worse than the best ones: a sentence shares more words
    with its passage than a question does, so sentences are believed only as far as they must be."""
    means = gains.mean(axis=0)
    best = _best(gains, grid)
    behind = gains[:, [best]] - gains
    noise = behind.std(axis=0, ddof=1) / np.sqrt(len(gains))
    as_good = [int(place) for place in np.flatnonzero(means[best] - means <= noise)]
    return min(as_good, key=lambda place: (_distance(grid[place]), -means[place]))


def _distance(factors: tuple[float, float]) -> float:
    return float(sum(abs(np.log(factor)) for factor in factors))
