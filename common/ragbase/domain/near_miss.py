"""What was nearest to a question that finds nothing. It is no result: nothing of its text is shown, cited or answered
from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.confidence import Confidence

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk
    from ragbase.domain.document import Document


@dataclass(frozen=True, slots=True)
class NearPassage:
    """A passage whose score does not reach the threshold. `lacks` are the words of the question that it does not have,
    as they are written there: those that the fewest passages have come first."""

    document: Document
    chunk: Chunk
    score: float
    lacks: tuple[str, ...] = ()

    @property
    def confidence(self) -> Confidence:
        return Confidence.NEAR_MISS


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The nearest passages, nearest first, one at least, and the threshold that none of them reaches. `unknown` are the
    words of the question that no passage of the index has."""

    threshold: float
    passages: tuple[NearPassage, ...]
    unknown: tuple[str, ...] = ()


def below(score: float, threshold: float) -> str:
    """A score with two decimals, or with as many as show that it is below the threshold."""
    shown = (f"{score:.{decimals}f}" for decimals in range(2, 18))
    return next((text for text in shown if float(text) < threshold), repr(score))
