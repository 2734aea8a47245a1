"""The constants that turn cosine, BM25 and coverage into scores, for each embedding model.

The cosines of each model have their own scale, so each has its own constants. `scripts/bench/calibrate` fits them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWeights:
    """rank score = σ(cosine·cos + bm25·BM25 + coverage·cov + bias)."""

    cosine: float
    bm25: float
    coverage: float
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceWeights:
    """confidence = σ(cosine·cos + coverage·cov + background·b + cosine_background·cos·b + crowd·c + bias).

    b is the query's background: its cosine with texts of its own language that have nothing to do with it. c is the
    mean cosine of the passages that are near the query, but not the nearest (scoring.py).
    """

    cosine: float
    coverage: float
    background: float
    cosine_background: float
    crowd: float
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """`languages` names the file that knows the background of a query (languages/background.py). Without one, every
    query has the background that is usual for English with MiniLM."""

    rank: RankWeights
    confidence: ConfidenceWeights
    languages: str | None = None


# all-MiniLM-L6-v2. The rank weights were fitted on Cranfield, and were right without a change for four other public
# collections. docs/ranking.md tells how the weights of the confidence were found. In English b is about .1 and the
# cosine decides; in Vietnamese b is about .5, every text is near every query, and the words decide.
MINILM = Calibration(
    rank=RankWeights(cosine=6.46, bm25=0.066, coverage=2.46, bias=-7.51),
    confidence=ConfidenceWeights(
        cosine=30.5, coverage=12.7, background=17.3, cosine_background=-38.0, crowd=-10.2, bias=-12.85
    ),
    languages="all-minilm-l6-v2",
)

# The hashing embedder knows words only, as BM25 does, so coverage decides. Fitted by hand on Cranfield with feature
# hashing of words into 384 dimensions.
HASHING = Calibration(
    rank=RankWeights(cosine=1.0, bm25=0.1, coverage=1.0, bias=-3.0),
    confidence=ConfidenceWeights(
        cosine=4.0, coverage=12.0, background=0.0, cosine_background=0.0, crowd=0.0, bias=-7.0
    ),
)

UNKNOWN = replace(MINILM, languages=None)

_BY_MODEL = {"all-minilm-l6-v2": MINILM, "hashing": HASHING}


def calibration_of(model: str) -> Calibration:
    """The constants of the model whose name `model` (an Embedder's) contains.

    A model that nobody calibrated gets MiniLM's. The order of its results is good, because it depends on both cosine
    and words. Its threshold is a guess until `scripts/bench/calibrate` was run with the model.
    """
    name = model.casefold()
    return next((calibration for known, calibration in _BY_MODEL.items() if known in name), UNKNOWN)
