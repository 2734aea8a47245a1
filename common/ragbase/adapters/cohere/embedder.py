"""Cohere's embedding models, through Cohere's own client."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Literal

from ragbase.adapters.answered_vectors import unit_embeddings, unpacked
from ragbase.adapters.cohere.connection import CohereConnection
from ragbase.adapters.hosted_embedder import MODEL_SETTING, HostedEmbedder
from ragbase.domain.limits import MAX_BATCH
from ragbase.ports import Embeddings

if TYPE_CHECKING:
    from cohere import EmbedByTypeResponse

    from ragbase.adapters.backoff import Sleep
    from ragbase.adapters.rate_limiter import RateLimiter

MODEL = "embed-multilingual-v3.0"
DIMENSION = 1024

_UNKNOWN_FORM = (400, 422)
_ONE_SIZE = re.compile(r"-v[23]\.\d+$")
"""Models whose vectors have only one size: embed-v4 was the first to offer several."""


class CohereEmbedder(HostedEmbedder):
    """Implements the Embedder port. `input_type` says whether a text is a document or a query.

    The vectors come as base64, which models have from v3 on. The client checks every number of a list, which takes
    340 ms of CPU time for a call of 96 texts; it passes on base64 text in no time. A service that does not know base64
    is asked for numbers.
    """

    def __init__(
        self,
        api_key: str,
        *,
        model: str = MODEL,
        dimension: int = DIMENSION,
        url: str | None = None,
        batch_size: int = MAX_BATCH,
        rate_limiter: RateLimiter | None = None,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`url` is Cohere's own if None. A call has at most `batch_size` texts. `sleep` waits between attempts. Raises
        ConfigurationError, naming the setting, for a key or URL that cannot be one, and MissingExtra."""
        super().__init__(
            model=model,
            dimension=dimension,
            batch_size=batch_size,
            rate_limiter=rate_limiter,
            sleep=sleep,
        )
        self._cohere = CohereConnection(api_key, url)
        self._form: Literal["base64", "float"] = "base64"

    def _embedded(self, sent: list[str], timeout: float, *, is_query: bool) -> Embeddings:
        answer = self._call(sent, "search_query" if is_query else "search_document", timeout)
        if answer.embeddings is None:
            self._cohere.check(answer, model=MODEL_SETTING, sent=sent)
        billed = answer.meta.billed_units if answer.meta else None
        return unit_embeddings(
            "Cohere",
            _vectors(answer),
            count=len(sent),
            dimension=self._dimension,
            billed_tokens=int(billed.input_tokens or 0) if billed else 0,
        )

    def _call(self, texts: list[str], input_type: str, timeout: float) -> EmbedByTypeResponse:
        from cohere.core.api_error import ApiError
        from cohere.core.request_options import RequestOptions

        options = RequestOptions(timeout=timeout, max_retries=0)
        if not _ONE_SIZE.search(self._name):
            options["additional_body_parameters"] = {"output_dimension": self._dimension}
        with self._cohere.call(model=MODEL_SETTING, sent=texts) as client:
            try:
                return client.embed(
                    model=self._name,
                    input_type=input_type,
                    texts=texts,
                    embedding_types=[self._form],
                    truncate="END",
                    request_options=options,
                )
            except ApiError as error:
                is_unknown = error.status_code in _UNKNOWN_FORM
                if self._form != "base64" or not is_unknown or not re.search("embedding_types|base64", str(error.body)):
                    raise
        self._form = "float"
        return self._call(texts, input_type, timeout)

    def close(self) -> None:
        self._cohere.close()


def _vectors(answer: EmbedByTypeResponse) -> list[Any] | None:
    """Some services send numbers even if they are asked for base64."""
    if answer.embeddings is None:
        return None
    floats: list[Any] | None = answer.embeddings.float_
    return floats if floats and not answer.embeddings.base64 else unpacked("Cohere", answer.embeddings.base64)
