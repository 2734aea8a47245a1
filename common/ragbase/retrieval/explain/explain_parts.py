"""Explain a question of several parts: each is searched for by itself, so each may lose the document elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_SEARCHES
from ragbase.domain.loss_stage import LossStage
from ragbase.retrieval.explain.explain import Asked
from ragbase.retrieval.explain.explanation import Explanation
from ragbase.text.question_parts import question_parts


def explain_parts(asked: Asked, explain: Callable[[Asked], Explanation]) -> Explanation:
    """The explanation of the part that finds the document, or else of the one that is nearest to it. Its reason says
    which part that is. A question with one part is explained as it is."""
    parts = question_parts(asked.query[:MAX_QUERY_LENGTH]).texts[:MAX_SEARCHES]
    if not parts:
        return explain(asked)
    explained = [(text, explain(replace(asked, query=text))) for text in parts]
    text, best = max(explained, key=lambda one: (one[1].stage is LossStage.FOUND, _confidence(one[1])))
    return replace(best, reason=f'Of the part "{text}": {best.reason}')


def _confidence(explanation: Explanation) -> float:
    in_index = explanation.in_index
    return in_index.best.confidence if in_index is not None else 0.0
