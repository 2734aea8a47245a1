"""Embedding models behind an API like OpenAI's: vLLM, Ollama, text-embeddings-inference …"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbase.adapters.backoff import Sleep, Unreachable
from ragbase.adapters.hosted_embedder import (
    MODEL_SETTING,
    HostedEmbedder,
    checked_key,
    checked_url,
    refusal,
    sendable,
    unit_embeddings,
)
from ragbase.domain.errors import TransientError
from ragbase.ports import Embeddings

if TYPE_CHECKING:
    import httpx2

    from ragbase.adapters.rate_limiter import RateLimiter

KEY_SETTING = "OPENAI_API_KEY"
URL_SETTING = "OPENAI_BASE_URL"

_SEVERAL_SIZES = "text-embedding-3"
"""How the names of OpenAI's models begin that shorten their vectors on request. Other services refuse the parameter."""


class OpenAIEmbedder(HostedEmbedder):
    """Implements the Embedder port with POST `url`/embeddings."""

    def __init__(
        self,
        url: str,
        api_key: str,
        model: str,
        dimension: int,
        *,
        rate_limiter: RateLimiter | None = None,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`url` ends where `/embeddings` begins, such as https://api.openai.com/v1. `sleep` waits between attempts.
        Raises ConfigurationError, naming the setting, for a key or URL that cannot be one."""
        super().__init__(
            model=model,
            dimension=dimension,
            rate_limiter=rate_limiter,
            sleep=sleep,
        )
        self._url = checked_url(url, URL_SETTING)
        self._api_key = checked_key(api_key, KEY_SETTING)
        self._connecting = Lock()
        self._connections = ExitStack()

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """Raises ValueError for more than 96 texts."""
        sent = sendable(texts)
        if not sent:
            return Embeddings([])
        answer = self._for_documents(lambda timeout: self._call(sent, timeout), len(sent))
        return self._embeddings(answer, len(sent))

    def _embedded_query(self, sent: list[str], timeout: float) -> Embeddings:
        return self._embeddings(self._call(sent, timeout), len(sent))

    def _embeddings(self, answer: Any, count: int) -> Embeddings:
        try:
            items = sorted(answer["data"], key=lambda item: int(item["index"]))
            values = [item["embedding"] for item in items]
            billed = int((answer.get("usage") or {}).get("prompt_tokens") or 0)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise TransientError(f"The answer of {self._url} has no embeddings in the right form: {error!r}") from error
        return unit_embeddings(
            self._url,
            values,
            count=count,
            dimension=self._dimension,
            billed_tokens=billed,
        )

    def _call(self, texts: list[str], timeout: float) -> Any:
        import httpx2

        request: dict[str, Any] = {"model": self._name, "input": texts, "encoding_format": "float"}
        if self._name.startswith(_SEVERAL_SIZES):
            request["dimensions"] = self._dimension
        with self._connecting:
            client = self._client
        try:
            answer = client.post(f"{self._url}/embeddings", json=request, timeout=timeout)
        except httpx2.RequestError as error:
            raise Unreachable(f"{self._url} gave no answer ({type(error).__name__}: {error}).") from error
        if not answer.is_success:
            raise refusal(
                self._url,
                answer.status_code,
                answer.text,
                answer.headers,
                key=KEY_SETTING,
                model=MODEL_SETTING,
                sent=(self._api_key, *texts),
            )
        try:
            return answer.json()
        except ValueError as error:
            raise TransientError(f"The answer of {self._url} is not JSON: {error}") from error

    def close(self) -> None:
        self._connections.close()

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        client = httpx2.Client(headers={"Authorization": f"Bearer {self._api_key}"}, follow_redirects=True)
        return self._connections.enter_context(client)
