"""Chunks become vectors, with Cohere (docs/contracts/website-pipeline.md, section 4)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cohere import Client
    from tenacity import RetryCallState

    from ragbase.website_pipeline.chunk_text import TextChunk

_LOG = logging.getLogger(__name__)
MODEL = "embed-multilingual-v3.0"
DIMENSIONS = 1024
MAX_BATCH = 96
"""Texts that one call of Cohere takes."""


def generate_embeddings(chunks: Sequence[TextChunk], cohere_client: Client) -> list[list[float]]:
    """The vector of each chunk, in their order.

    A rate limit is waited for: 1, 2, 4, 8 and 16 s. After a network error two more calls follow, 2 s apart. Raises
    ValueError for more than 96 chunks and for vectors that do not fit, and what Cohere's client raises: ApiError, of
    which TooManyRequestsError is the rate limit, and httpx.RequestError without an answer.
    """
    import httpx
    from cohere.core.api_error import ApiError
    from cohere.errors import TooManyRequestsError
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential, wait_fixed

    if len(chunks) > MAX_BATCH:
        raise ValueError(f"One call takes at most {MAX_BATCH} chunks, not {len(chunks)}: split the batch.")
    if not chunks:
        return []
    limited = Retrying(
        retry=retry_if_exception_type(TooManyRequestsError),
        wait=wait_exponential(multiplier=1, min=1, max=16),
        stop=stop_after_attempt(6),  # the call, and one after each of the five waits
        before_sleep=_tell,
        reraise=True,
    )
    unreachable = Retrying(
        retry=retry_if_exception_type((httpx.RequestError, ConnectionError, TimeoutError)),
        wait=wait_fixed(2),
        stop=stop_after_attempt(3),
        before_sleep=_tell,
        reraise=True,
    )
    texts = [chunk["text_content"] for chunk in chunks]
    try:
        return _checked(limited(unreachable, _embed, cohere_client, texts), len(texts))
    except ApiError as error:
        _LOG.error("Cohere refused the texts with status %s: %s", error.status_code, error.body)
        raise


def _embed(client: Client, texts: list[str]) -> Any:
    answer = client.embed(texts=texts, model=MODEL, input_type="search_document", **_without_own_retries(client))
    return getattr(answer.embeddings, "float_", answer.embeddings)  # Cohere may answer with vectors by their type


def _without_own_retries(client: object) -> Mapping[str, Any]:
    """Cohere's client repeats a call twice by itself, in waits of its own. The contract's are the only ones here."""
    from cohere.base_client import BaseCohere
    from cohere.core.request_options import RequestOptions

    return {"request_options": RequestOptions(max_retries=0)} if isinstance(client, BaseCohere) else {}


def _checked(vectors: list[list[float]], count: int) -> list[list[float]]:
    if len(vectors) != count:
        raise ValueError(f"Cohere answered with {len(vectors)} vectors for {count} texts.")
    for vector in vectors:
        if len(vector) != DIMENSIONS:
            raise ValueError(f"Cohere answered with a vector of {len(vector)} dimensions, not {DIMENSIONS}.")
    return vectors


def _tell(call: RetryCallState) -> None:
    error = call.outcome.exception() if call.outcome else None
    seconds = call.next_action.sleep if call.next_action else 0
    _LOG.warning("Cohere gave no vectors (%s); the next call is in %g s", type(error).__name__, seconds)
