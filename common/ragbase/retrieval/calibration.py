"""The constants that turn cosine, BM25 and coverage into scores, for each embedding model.

The cosines of each model have their own scale. `scripts/bench/calibrate` fits constants of its own for a model. For any
other model, `ragbase calibrate` finds how its cosines compare with MiniLM's, which is the reference (calibrate.py).
"""

from __future__ import annotations

import logging
import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.calibration import CalibrationOrigin

if TYPE_CHECKING:
    from ragbase.domain.calibration import FittedCalibration, LabelFit, OrderFit
    from ragbase.domain.chunk import Vector


_MOST_CHANCE = 3.0
"""In logits. A higher level is that of an index on everyday things, and no measure of chance."""


_USUAL_COSINE, _USUAL_COVERAGE = 0.6, 0.5
"""Of a passage that answers. Only the rank score that is shown depends on them, and no order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWeights:
    """rank score = σ(cosine·cos + bm25·BM25 + coverage·cov + bias)."""

    cosine: float
    bm25: float
    coverage: float
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceWeights:
    """confidence = σ(u·(cosine·cos + close_beside_meaning·close + passages·ln N + meaning)
    + (1 − u)·(words·w + other_words·o + close_beside_words·close + function_words·f + syllables·s + chance·c)
    + lacks·l + bias).

    u, in 0..1, is how well the model sees what a query is about: it falls with the query's background b (scoring.py).
    `close` is the coverage of the query by words that are close together, `w` its BM25 as a share of what it could be,
    `o` the same without the term that counts the most, `f` the share of its terms that are function words, and `s` is 1
    if blanks part its syllables. `c` is the chance level (chance.py), at least 0. `l` is 1 if the passage lacks an
    identifier that the query names, and its parts: it may say the same of a neighbour. N is the number of passages.
    """

    cosine: float
    close_beside_meaning: float
    passages: float
    meaning: float
    words: float
    other_words: float
    close_beside_words: float
    function_words: float
    syllables: float
    chance: float
    lacks: float
    bias: float


@dataclass(frozen=True, slots=True)
class CosineScale:
    """Turns the cosines of a model into those that MiniLM would give: straight lines between `points` of (cosine of the
    model, cosine of MiniLM), which both grow. The first and the last line go on. Without points, nothing is changed."""

    points: tuple[tuple[float, float], ...] = ()

    def __call__(self, cosine: float) -> float:
        if not self.points:
            return cosine
        above = bisect_left(self.points, (cosine, -math.inf), 1, len(self.points) - 1)
        (x, y), (next_x, next_y) = self.points[above - 1 : above + 1]
        return y + (cosine - x) * (next_y - y) / (next_x - x)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """`languages` knows the background of a query (languages/background.py): it names a file, or is a vector for each
    language. Without it, every query has the background that is usual for English with MiniLM. The weights are for
    cosines after `scale`, and for backgrounds after `background_scale`, or after `scale` if there is none.
    `chance_levels` are those of the index, for each language that its passages are in (chance.py)."""

    rank: RankWeights
    confidence: ConfidenceWeights
    languages: str | tuple[Vector, ...] | None = None
    scale: CosineScale = CosineScale()
    background_scale: CosineScale | None = None
    chance_levels: Mapping[str, float] = field(default_factory=dict)

    def by_chance(self, language: str | None) -> float:
        """The evidence, in logits, beyond the threshold of .5 that chance gives a question in this language."""
        level = self.chance_levels.get(language, 0.0) if language is not None else 0.0
        return min(max(level, 0.0), _MOST_CHANCE)


# all-MiniLM-L6-v2. The rank weights were fitted on Cranfield, and were right without a change for four other public
# collections. docs/ranking.md tells how the weights of the confidence were found. In English b is about .1 and the
# cosine decides; in Russian b is above .5, every text is near every query, and the words decide.
MINILM = Calibration(
    rank=RankWeights(cosine=6.46, bm25=0.066, coverage=2.46, bias=-7.51),
    confidence=ConfidenceWeights(
        cosine=34.4,
        close_beside_meaning=10.2,
        passages=-0.68,
        meaning=-8.5,
        words=10.8,
        other_words=4.0,
        close_beside_words=4.1,
        function_words=-3.1,
        syllables=-2.8,
        chance=-1.0,
        lacks=-4.0,
        bias=-3.6,
    ),
    languages="all-minilm-l6-v2",
)

# The hashing embedder knows words only, as BM25 does, so coverage decides. Fitted by hand on Cranfield with feature
# hashing of words into 384 dimensions.
HASHING = Calibration(
    rank=RankWeights(cosine=1.0, bm25=0.1, coverage=1.0, bias=-3.0),
    confidence=ConfidenceWeights(
        cosine=5.0,
        close_beside_meaning=15.0,
        passages=0.0,
        meaning=0.0,
        words=0.0,
        other_words=0.0,
        close_beside_words=0.0,
        function_words=0.0,
        syllables=0.0,
        chance=0.0,
        lacks=-4.0,
        bias=-7.0,
    ),
)

# multilingual-e5-small as ragbase runs it, with "query: " and "passage: ". Its cosines are between .7 and 1. The points
# of `scale` are those that `scripts/bench/background` prints. It sees what a query is about in every language, so u is
# between .5 and .9 and only corrects the cosine: each language has cosines that are a little higher or lower. The words
# that are close together count the same everywhere. The weights were fitted as MiniLM's, on questions in ten languages.
MULTILINGUAL_E5 = Calibration(
    rank=MINILM.rank,
    confidence=ConfidenceWeights(
        cosine=32.7,
        close_beside_meaning=9.5,
        passages=0.0,
        meaning=0.0,
        words=0.0,
        other_words=0.0,
        close_beside_words=9.5,
        function_words=0.0,
        syllables=0.0,
        chance=0.0,
        lacks=-4.0,
        bias=-9.3,
    ),
    languages="multilingual-e5-small",
    scale=CosineScale(((0.775, 0.042), (0.867, 0.585), (1.0, 1.0))),
    background_scale=CosineScale(((0.7, 0.033), (0.8, 0.23))),
)

UNKNOWN = replace(MINILM, languages=None)

_BY_MODEL = {"all-minilm-l6-v2": MINILM, "multilingual-e5-small-int8": MULTILINGUAL_E5, "hashing": HASHING}


def known_calibration(model: str) -> Calibration | None:
    """The constants of the model whose name `model` (an Embedder's) contains; None if we have none."""
    name = model.casefold()
    return next((calibration for known, calibration in _BY_MODEL.items() if known in name), None)


def origin_of(model: str, fitted: FittedCalibration | None) -> CalibrationOrigin:
    """Where the constants come from that `calibration_of` gives."""
    if fitted is not None and fitted.labels is not None:
        return CalibrationOrigin.LABELLED
    if known_calibration(model) is not None:
        return CalibrationOrigin.KNOWN
    is_fitted = fitted is not None and fitted.cosines is not None
    return CalibrationOrigin.FITTED if is_fitted else CalibrationOrigin.MISSING


def calibration_of(model: str, fitted: FittedCalibration | None = None) -> Calibration:
    """The constants to score with: those of the model, or those that were `fitted` for it in the index.

    A model with neither gets MiniLM's, and the log says so. The order of its results is good, because it depends on
    both cosine and words. Its threshold is a guess until `ragbase calibrate` is run.
    """
    calibration = known_calibration(model)
    if calibration is None and fitted is not None and fitted.cosines is not None:
        calibration = replace(MINILM, languages=fitted.cosines.backgrounds, scale=CosineScale(fitted.cosines.points))
    if calibration is None:
        _warn(model)
        calibration = UNKNOWN
    if fitted is not None and fitted.chance_levels:
        calibration = replace(calibration, chance_levels=fitted.chance_levels)
    if fitted is not None and fitted.labels is not None:
        weights = _corrected(calibration.confidence, fitted.labels)
        calibration = replace(calibration, confidence=weights)
    if fitted is not None and fitted.order is not None:
        calibration = replace(calibration, rank=_reordered(calibration.rank, fitted.order))
    return calibration


def _reordered(rank: RankWeights, order: OrderFit) -> RankWeights:
    """The bias moves so that a passage which answers has about the rank score that it has had."""
    cosine, coverage = rank.cosine * order.cosine, rank.coverage * order.coverage
    more = (cosine - rank.cosine) * _USUAL_COSINE + (coverage - rank.coverage) * _USUAL_COVERAGE
    return replace(rank, cosine=cosine, coverage=coverage, bias=rank.bias - more)


def _corrected(weights: ConfidenceWeights, labels: LabelFit) -> ConfidenceWeights:
    stretched = {one.name: labels.stretch * getattr(weights, one.name) for one in fields(weights)}
    return ConfidenceWeights(**{**stretched, "bias": stretched["bias"] + labels.shift})


@lru_cache
def _warn(model: str) -> None:
    """Once for each model and process."""
    telemetry.log("model.uncalibrated", level=logging.WARNING, model=model, remedy="ragbase calibrate")
