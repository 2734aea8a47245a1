"""How well a passage answers a query, from facts about the two and about the index. Other results have no influence.

There are two scores, because no single score did both jobs well. The *rank score* puts passages in order. The
*confidence* says whether a passage has to do with the query at all; the threshold is compared with it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragbase.ports import Candidates, Hit
from ragbase.retrieval.calibration import Calibration

K1 = 1.2
"""BM25: how soon a repeated term stops counting. The value of Lucene, FTS5 and Weaviate."""
B = 0.75
"""BM25: how much a passage's length counts against it. The value of Lucene, FTS5 and Weaviate."""

PRIOR_PASSAGES = 50
"""Every index is treated as if it held this many more passages, without any term of the query and with the background
that the calibration assumes. This gives sensible scores with one document, and changes little with thousands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known about a query and a passage.

    `coverage`, in 0..1, is the share of the query's worth whose terms are in the passage. `deviations` says how far the
    cosine is above the query's background, in standard deviations.
    """

    cosine: float
    deviations: float
    bm25: float
    coverage: float


@dataclass(frozen=True, slots=True)
class ScoreBreakdown:
    """The scores that decide the rank of a passage, each in 0..1.

    `dense_score` is the cosine (0 if negative), `sparse_score` the evidence of shared words, `combined_score` the rank
    score.
    """

    dense_score: float
    sparse_score: float
    combined_score: float


@dataclass(frozen=True, slots=True)
class Score:
    """`confidence` is in 0..1."""

    confidence: float
    breakdown: ScoreBreakdown


def inverse_frequency(passages: int, frequency: int) -> float:
    """The worth of a term that is in `frequency` of the index's `passages`. Never negative."""
    return math.log1p((passages + PRIOR_PASSAGES - frequency + 0.5) / (frequency + 0.5))


def bm25(count: int, length: int, average_length: float) -> float:
    """How many times a term's worth counts if it occurs `count` times in a passage of `length` terms: 0 to K1 + 1."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / average_length))


class Scorer:
    """Scores the candidates of one query."""

    def __init__(self, terms: Sequence[str], candidates: Candidates, calibration: Calibration) -> None:
        self._wanted = Counter(terms)
        self._worth = {
            term: inverse_frequency(candidates.passages, candidates.frequency.get(term, 0)) for term in self._wanted
        }
        self._total_worth = sum(self._worth.values())
        self._average_length = max(candidates.average_length, 1.0)
        self._rank = calibration.rank
        self._confidence = calibration.confidence
        self._mean, self._sd = _background(candidates, calibration)
        self._size = math.log(candidates.passages + PRIOR_PASSAGES)

    def score(self, hit: Hit) -> Score:
        facts = self.facts(hit)
        rank, confidence = self._rank, self._confidence
        words = rank.bm25 * facts.bm25 + rank.coverage * facts.coverage
        return Score(
            confidence=_logistic(
                confidence.cosine * facts.cosine
                + confidence.coverage * facts.coverage
                + confidence.deviations * facts.deviations
                + confidence.passages * self._size
                + confidence.bias
            ),
            breakdown=ScoreBreakdown(
                dense_score=min(max(facts.cosine, 0.0), 1.0),
                sparse_score=-math.expm1(-words),
                combined_score=_logistic(rank.cosine * facts.cosine + words + rank.bias),
            ),
        )

    def facts(self, hit: Hit) -> Facts:
        terms = hit.terms.split()
        counts = Counter(term for term in terms if term in self._worth)
        covered = sum(self._worth[term] for term in counts)
        return Facts(
            cosine=hit.cosine,
            deviations=(hit.cosine - self._mean) / self._sd,
            bm25=sum(
                self._wanted[term] * self._worth[term] * bm25(count, len(terms), self._average_length)
                for term, count in counts.items()
            ),
            coverage=min(covered / self._total_worth, 1.0) if counts else 0.0,
        )


def _background(candidates: Candidates, calibration: Calibration) -> tuple[float, float]:
    """Mean and standard deviation of the query's cosines, with the prior passages added to the index's own."""
    prior = calibration.confidence
    if candidates.background is None:
        return prior.mean, prior.sd
    mean, sd = candidates.background
    share = candidates.passages / (candidates.passages + PRIOR_PASSAGES)
    return share * mean + (1 - share) * prior.mean, math.sqrt(share * sd**2 + (1 - share) * prior.sd**2)


def _logistic(x: float) -> float:
    return 0.5 * (1 + math.tanh(x / 2))  # never overflows
