"""One list of passages from several searches, for protocols whose one request may ask several questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.question import Question
    from ragbase.interfaces.knowledge.knowledge import Knowledge
    from ragbase.messages.api.query import SearchResultBody


def search_each(questions: Sequence[Question], knowledge: Knowledge, *, most: int) -> Sequence[SearchResultBody]:
    """The best `most` passages of all questions, each text once with its best score. Scores are absolute, so they can
    be compared. Those of one question stay in its order, which may be that of a reranker."""
    found = [knowledge.query(question).results for question in questions]
    if len(found) == 1:
        return found[0]
    best: dict[str, SearchResultBody] = {}
    for result in (one for results in found for one in results):
        known = best.get(result.content)
        if known is None or known.score < result.score:
            best[result.content] = result
    return sorted(best.values(), key=lambda one: -one.score)[:most]
