"""Embedding models behind the API that OpenAI's has become the pattern of: vLLM, Ollama, text-embeddings-inference …"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbase.adapters.backoff import FOR_DOCUMENTS, FOR_QUERIES, Patience, Sleep, Unreachable, persist
from ragbase.adapters.hosted_embeddings import (
    MAX_BATCH,
    MODEL_SETTING,
    checked_key,
    checked_url,
    refusal,
    sendable,
    unit_embeddings,
)
from ragbase.domain.errors import TransientError
from ragbase.ports import Embeddings

if TYPE_CHECKING:
    import httpx

    from ragbase.domain.chunk import Vector

KEY_SETTING = "OPENAI_API_KEY"
URL_SETTING = "OPENAI_BASE_URL"

_SEVERAL_SIZES = "text-embedding-3"
"""OpenAI's models that shorten their vectors on request. Other services refuse the parameter."""


class OpenAIEmbedder:
    """Implements the Embedder port by POST `url`/embeddings.

    Failed calls are repeated as adapters/backoff.py says. Beyond that every method raises TransientError where the
    service does not answer or answers with a fault, PermanentError where it refuses a text, and ConfigurationError,
    naming the setting, for a key, a model or a dimension that it does not take. May be used by several threads at once.
    """

    def __init__(self, url: str, api_key: str, model: str, dimension: int, *, sleep: Sleep = time.sleep) -> None:
        """`url` ends where `/embeddings` begins, such as https://api.openai.com/v1. `sleep` waits between attempts.
        Raises ConfigurationError, naming the setting, for a key or URL that cannot be one."""
        self._url = checked_url(url, URL_SETTING)
        self._api_key = checked_key(api_key, KEY_SETTING)
        self._name = model
        self._dimension = dimension
        self._sleep = sleep
        self._connecting = Lock()
        self._connections = ExitStack()

    @property
    def model(self) -> str:
        return f"{self._name}-{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_batch(self) -> int:
        return MAX_BATCH

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """Raises ValueError for more than `max_batch` texts."""
        return self._embed(texts, FOR_DOCUMENTS)

    def embed_query(self, text: str) -> Vector:
        return self._embed([text], FOR_QUERIES).vectors[0]

    def close(self) -> None:
        """Close the connections. No thread may be using the embedder any more. May be called twice."""
        self._connections.close()

    def _embed(self, texts: Sequence[str], patience: Patience) -> Embeddings:
        sent = sendable(texts)
        if not sent:
            return Embeddings([])
        answer = persist(lambda: self._call(sent, patience.timeout), patience, self._sleep)
        try:
            items = sorted(answer["data"], key=lambda item: int(item["index"]))
            values = [item["embedding"] for item in items]
            billed = int((answer.get("usage") or {}).get("prompt_tokens") or 0)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise TransientError(f"The answer of {self._url} is not one with embeddings: {error!r}") from error
        return unit_embeddings(
            self._url,
            values,
            count=len(sent),
            dimension=self._dimension,
            billed_tokens=billed,
        )

    def _call(self, texts: list[str], timeout: float) -> Any:
        import httpx

        request: dict[str, Any] = {"model": self._name, "input": texts, "encoding_format": "float"}
        if self._name.startswith(_SEVERAL_SIZES):
            request["dimensions"] = self._dimension
        with self._connecting:
            client = self._client
        try:
            answer = client.post(f"{self._url}/embeddings", json=request, timeout=timeout)
        except httpx.RequestError as error:
            raise Unreachable(f"{self._url} gave no answer ({type(error).__name__}: {error}).") from error
        if not answer.is_success:
            raise refusal(
                self._url, answer.status_code, answer.text, answer.headers, key=KEY_SETTING, model=MODEL_SETTING
            )
        try:
            return answer.json()
        except ValueError as error:
            raise TransientError(f"The answer of {self._url} is no JSON: {error}") from error

    @cached_property
    def _client(self) -> httpx.Client:
        import httpx

        client = httpx.Client(headers={"Authorization": f"Bearer {self._api_key}"}, follow_redirects=True)
        return self._connections.enter_context(client)
