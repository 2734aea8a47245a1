"""A question about the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.context import Expansion
    from ragbase.domain.conversation import Turn
    from ragbase.domain.search_filter import SearchFilter


@dataclass(frozen=True, slots=True)
class Question:
    """At most `top_k` passages may be shown for it, whose score (0 to 1) reaches `threshold`, of documents that match
    `within`. The settings hold for what is None, and no filter leaves nothing out. Without `rerank`, the passages have
    the order of the search, also if there is a reranker. `history` has the turns before it, oldest first: a question
    that only makes sense after them is completed from them. Each passage that a search shows has the text around it, if
    `expand` says how much."""

    text: str
    top_k: int | None = None
    threshold: float | None = None
    within: SearchFilter | None = None
    rerank: bool = True
    history: tuple[Turn, ...] = ()
    expand: Expansion | None = None

    def top_k_or(self, setting: int) -> int:
        """How many passages may be shown, with the setting that holds if the question does not say."""
        return setting if self.top_k is None else self.top_k

    def threshold_or(self, setting: float) -> float:
        """The score that they reach, in the same way."""
        return setting if self.threshold is None else self.threshold
