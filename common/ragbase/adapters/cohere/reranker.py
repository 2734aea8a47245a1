"""Cohere's rerank models, through Cohere's own client."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.adapters.cohere.connection import CohereConnection
from ragbase.adapters.hosted_embedder import sendable_text
from ragbase.adapters.refusal import of_question
from ragbase.domain.errors import PermanentError, TransientError
from ragbase.domain.limits import MAX_RERANKED
from ragbase.ports import Reranked, seconds_left

if TYPE_CHECKING:
    from cohere import V2RerankResponse

MODEL_SETTING = "RAGBASE_RERANK_MODEL"


class CohereReranker:
    """Implements the Reranker port with POST /v2/rerank. May be used by several threads at once.

    Cohere takes 10,000 texts and a question of 2,048 tokens, and scores a longer text by the best of its parts
    (docs.cohere.com/docs/reranking-best-practices). A question and its passages here are far below that.
    """

    def __init__(self, api_key: str, *, model: str, timeout: float, url: str | None = None) -> None:
        """`timeout` is in seconds: for the connection, and for the answer. `url` is Cohere's own if None. Raises
        ConfigurationError, naming the setting, for a key or URL that cannot be one."""
        self._cohere = CohereConnection(api_key, url)
        self._name = model
        self._timeout = timeout

    @property
    def model(self) -> str:
        return self._name

    def rerank(self, question: str, texts: Sequence[str]) -> Reranked:
        if len(texts) > MAX_RERANKED:
            raise ValueError(f"One call takes at most {MAX_RERANKED} texts, not {len(texts)}.")
        if not texts:
            return Reranked([])
        try:
            answer = self._call(sendable_text(question), [sendable_text(text) for text in texts])
        except PermanentError as error:
            raise of_question(error) from error
        try:
            scores = {int(item.index): float(item.relevance_score) for item in answer.results}
            units = answer.meta.billed_units if answer.meta else None
            billed = float(units.search_units or 0) if units else 0.0
        except (AttributeError, TypeError, ValueError) as error:
            self._cohere.check(answer, model=MODEL_SETTING, sent=(question, *texts))
            raise TransientError("Cohere's answer has no scores in the form that Cohere documents.") from error
        if scores.keys() != set(range(len(texts))) or not all(map(math.isfinite, scores.values())):
            raise TransientError(f"Cohere answered with {len(scores)} scores for {len(texts)} texts.")
        return Reranked([min(max(scores[place], 0.0), 1.0) for place in range(len(texts))], billed)

    def close(self) -> None:
        """Close the connections. No thread may still be using the reranker. May be called twice."""
        self._cohere.close()

    def _call(self, question: str, texts: list[str]) -> V2RerankResponse:
        from cohere.core.request_options import RequestOptions

        options = RequestOptions(timeout=min(self._timeout, max(seconds_left(), 0.001)), max_retries=0)
        with self._cohere.call(model=MODEL_SETTING, sent=(question, *texts)) as client:
            return client.rerank(model=self._name, query=question, documents=texts, request_options=options)
