"""Texts to scores for one question, by a model that reads question and text together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reranked:
    """How well each text answers, in 0..1 and in the order of the texts, and the search units billed for it. A score
    orders the texts of one question; it says nothing across questions. There may be fewer scores than texts: those
    after stay behind, in the order before."""

    scores: Sequence[float]
    billed_units: float = 0.0


class Reranker(Protocol):
    @property
    def model(self) -> str:
        """Names what scores, for the log."""
        ...

    def rerank(self, question: str, texts: Sequence[str]) -> Reranked:
        """Score up to 100 texts. It tries once: who waits has an order already, and takes that one after an error.

        Raises ValueError for more texts, Unavailable if the service does not answer in time, QuestionRefused if it does
        not take the question, and TransientError for an answer that cannot be used.
        """
        ...
