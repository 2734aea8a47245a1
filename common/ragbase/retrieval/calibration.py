"""The constants that turn cosine, BM25 and coverage into scores, for each embedding model.

The cosines of each model have their own scale, so each has its own constants. `scripts/bench/calibrate` fits them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWeights:
    """rank score = σ(cosine·cos + bm25·BM25 + coverage·cov + bias)."""

    cosine: float
    bm25: float
    coverage: float
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceWeights:
    """confidence = σ(cosine·cos + coverage·cov + deviations·z + passages·ln(N + 50) + bias).

    z = (cos - mean) / sd of the query's own background: the cosines of the query with the index's N passages. A small
    index shows too little of the background, and some stores do not know it. The fields `mean` and `sd` are what is
    assumed until there are enough passages.
    """

    cosine: float
    coverage: float
    deviations: float
    passages: float
    bias: float
    mean: float
    sd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    rank: RankWeights
    confidence: ConfidenceWeights


# all-MiniLM-L6-v2. The rank weights were fitted on Cranfield, and were right without a change for four other public
# collections. So were two formulas for the confidence, which make different mistakes.
# σ(19.55·(cos + 0.3·cov) - 1.08·ln max(N, 50) - 2.92) refuses more questions that are near the index's subject, but
# it also refuses a tenth of those that it could answer, from about 20,000 passages on.
# σ(22.7·cos - 1.31·z + 6.28·cov - 6.11) answers at any size, even if only one common word matches. The confidence is
# the mean of their logits (docs/ranking.md has the figures). mean and sd are at the low end of those of answerable
# questions in the indexes of Cranfield (.22, .11), Prometheus' documentation (.14, .11) and the Rust book (.11, .09).
MINILM = Calibration(
    rank=RankWeights(cosine=6.46, bm25=0.066, coverage=2.46, bias=-7.51),
    confidence=ConfidenceWeights(
        cosine=21.13, coverage=6.07, deviations=-0.655, passages=-0.54, bias=-4.515, mean=0.10, sd=0.11
    ),
)

# The hashing embedder knows words only, as BM25 does, so coverage decides. Fitted by hand on Cranfield with feature
# hashing of words into 384 dimensions: 92 % of the answerable questions keep an answer, and 95 % of the off-topic ones
# get none (Prometheus' documentation 100 % and 96 %, the Rust book 97 % and 97 %).
HASHING = Calibration(
    rank=RankWeights(cosine=1.0, bm25=0.1, coverage=1.0, bias=-3.0),
    confidence=ConfidenceWeights(
        cosine=4.0, coverage=12.0, deviations=0.0, passages=0.0, bias=-7.0, mean=0.10, sd=0.11
    ),
)

_BY_MODEL = {"all-minilm-l6-v2": MINILM, "hashing": HASHING}


def calibration_of(model: str) -> Calibration:
    """The constants of the model whose name `model` (an Embedder's) contains.

    A model that nobody calibrated gets MiniLM's. The order of its results is good, because it depends on both cosine
    and words. Its threshold is a guess until `scripts/bench/calibrate` was run with the model.
    """
    name = model.casefold()
    return next((calibration for known, calibration in _BY_MODEL.items() if known in name), MINILM)
