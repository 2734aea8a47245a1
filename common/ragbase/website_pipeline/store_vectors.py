"""Vectors and their chunks become points in Qdrant (docs/contracts/website-pipeline.md, section 5)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from tenacity import RetryCallState

    from ragbase.website_pipeline.chunk_text import TextChunk

_LOG = logging.getLogger(__name__)
COLLECTION = "robotics_textbook"


def store_vectors(
    embeddings: Sequence[Sequence[float]],
    chunks: Sequence[TextChunk],
    qdrant_client: QdrantClient,
    collection_name: str = COLLECTION,
) -> int:
    """Write a point for each chunk, over the one with its id. Returns how many there are.

    After a network error one more call follows, 5 s later. Raises ValueError if there are not as many chunks as
    embeddings, and what Qdrant's client raises: UnexpectedResponse or, for a quota, ResourceExhaustedResponse if Qdrant
    answers with an error, ResponseHandlingException without an answer.
    """
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import UnexpectedResponse
    from qdrant_client.models import PointStruct
    from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_fixed

    points = [
        PointStruct(
            id=chunk["chunk_id"],
            vector=list(embedding),
            payload={
                "url": chunk["source_url"],
                "title": chunk["page_title"],
                "heading": chunk["heading_context"],
                "text": chunk["text_content"],
                "token_count": chunk["token_count"],
                "position": chunk["position_in_page"],
            },
        )
        for embedding, chunk in zip(embeddings, chunks, strict=True)
    ]
    if not points:
        return 0
    unreachable = Retrying(
        retry=retry_if_exception(_is_network_error),
        wait=wait_fixed(5),
        stop=stop_after_attempt(2),
        before_sleep=_tell,
        reraise=True,
    )
    try:
        unreachable(qdrant_client.upsert, collection_name=collection_name, points=points)
    except (UnexpectedResponse, ResourceExhaustedResponse) as error:
        _LOG.error("Qdrant refused %d vectors: %s", len(points), error)
        raise
    return len(points)


def _is_network_error(error: BaseException) -> bool:
    """The client wraps what its connection raises, and what it cannot read: that would come again."""
    import httpx
    from qdrant_client.http.exceptions import ResponseHandlingException

    cause = error.source if isinstance(error, ResponseHandlingException) else error
    return isinstance(cause, (httpx.RequestError, ConnectionError, TimeoutError))


def _tell(call: RetryCallState) -> None:
    error = call.outcome.exception() if call.outcome else None
    seconds = call.next_action.sleep if call.next_action else 0
    _LOG.warning("Qdrant gave no answer (%s); the next call is in %g s", error, seconds)
