"""Vertex AI's text embedding models, asked with this process's own identity."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ragbase.adapters.answered_vectors import unit_embeddings
from ragbase.adapters.backoff import Sleep
from ragbase.adapters.hosted_embedder import MODEL_SETTING, HostedEmbedder
from ragbase.adapters.refusal import refusal_in_success
from ragbase.adapters.service_words import error_in
from ragbase.adapters.vertex.connection import SERVICE, VertexConnection
from ragbase.domain.errors import Unavailable
from ragbase.domain.limits import MAX_BATCH
from ragbase.ports import Embeddings

if TYPE_CHECKING:
    from ragbase.adapters.rate_limiter import RateLimiter

PREFIX = "vertex-"
"""How an index knows the embedder that it was made with: other services serve models of the same names."""


class VertexEmbedder(HostedEmbedder):
    """Implements the Embedder port with the method `predict` of gemini-embedding-001, text-embedding-005 and
    text-multilingual-embedding-002
    (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api).

    `task_type` says whether a text is a document or a query. A text of more than 2,048 tokens is refused and not cut
    (`autoTruncate`). A call may have 250 texts and 20,000 tokens
    (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/quotas), in some regions and of some models only 5 texts
    or one (https://github.com/googleapis/python-aiplatform/issues/5444): refused calls show it, and cost nothing. The
    models shorten their vectors on request; the length of these is then not 1, so all are normalised here.
    """

    def __init__(
        self,
        connection: VertexConnection,
        model: str,
        dimension: int,
        *,
        batch_size: int = MAX_BATCH,
        rate_limiter: RateLimiter | None = None,
        sleep: Sleep = time.sleep,
    ) -> None:
        """A call has at most `batch_size` texts. `sleep` waits between attempts. The connection is closed with the
        embedder."""
        super().__init__(
            model=model, dimension=dimension, batch_size=batch_size, rate_limiter=rate_limiter, sleep=sleep
        )
        self._connection = connection

    @property
    def model(self) -> str:
        return f"{PREFIX}{super().model}"

    def _embedded(self, sent: list[str], timeout: float, *, is_query: bool) -> Embeddings:
        task = "RETRIEVAL_QUERY" if is_query else "RETRIEVAL_DOCUMENT"
        answer = self._connection.asked(
            self._connection.url_of(self._name, "predict"),
            {
                "instances": [{"content": text, "task_type": task} for text in sent],
                "parameters": {"autoTruncate": False, "outputDimensionality": self._dimension},
            },
            timeout=timeout,
            model=MODEL_SETTING,
            sent=sent,
        )
        predictions = answer.get("predictions") if isinstance(answer, dict) else None
        if not isinstance(predictions, list):
            if (error := error_in(answer)) is not None:
                raise refusal_in_success(SERVICE, error, key="", model=MODEL_SETTING, sent=sent)
            raise Unavailable(f"{SERVICE} answered without embeddings.")
        made = [_fields(prediction, "embeddings") for prediction in predictions]
        return unit_embeddings(
            SERVICE,
            [embedding.get("values") for embedding in made],
            count=len(sent),
            dimension=self._dimension,
            billed_tokens=sum(_tokens(embedding) for embedding in made),
        )

    def close(self) -> None:
        self._connection.close()


def _fields(value: Any, name: str) -> dict[str, Any]:
    """The object of this name in an object of JSON; empty if there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _tokens(embedding: dict[str, Any]) -> int:
    """What a text costs. protobuf has no whole numbers in its JSON values: 5 may be 5.0."""
    count = _fields(embedding, "statistics").get("token_count")
    return int(count) if isinstance(count, int | float) else 0
