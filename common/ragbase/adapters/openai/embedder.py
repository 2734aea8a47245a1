"""Embedding models behind an API like OpenAI's: vLLM, Ollama, text-embeddings-inference …"""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbase.adapters.answered_vectors import unit_embeddings, unpacked
from ragbase.adapters.backoff import Sleep, Unreachable
from ragbase.adapters.hosted_embedder import MODEL_SETTING, HostedEmbedder
from ragbase.adapters.refusal import not_json, refusal, refusal_in_success
from ragbase.adapters.service_settings import checked_key, checked_url
from ragbase.adapters.service_words import error_in, is_web_page
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.domain.limits import MAX_BATCH
from ragbase.extras import check_installed
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
        batch_size: int = MAX_BATCH,
        rate_limiter: RateLimiter | None = None,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`url` ends where `/embeddings` begins, such as https://api.openai.com/v1. A call has at most `batch_size`
        texts. `sleep` waits between attempts. Raises ConfigurationError, naming the setting, for a key or URL that
        cannot be one, and MissingExtra."""
        check_installed("httpx2")
        super().__init__(
            model=model,
            dimension=dimension,
            batch_size=batch_size,
            rate_limiter=rate_limiter,
            sleep=sleep,
        )
        self._url = checked_url(url, URL_SETTING)
        self._api_key = checked_key(api_key, KEY_SETTING)
        self._connecting = Lock()
        self._connections = ExitStack()

    def _embedded(self, sent: list[str], timeout: float, *, is_query: bool) -> Embeddings:
        """Questions and passages are embedded alike."""
        answer = self._answer(sent, timeout)
        items = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(items, list):
            if (error := error_in(answer)) is not None:
                raise refusal_in_success(self._url, error, key=KEY_SETTING, model=MODEL_SETTING, sent=self._sent(sent))
            raise Unavailable(f"{self._url} answered without embeddings.")
        usage = answer.get("usage")
        billed = usage.get("prompt_tokens") if isinstance(usage, dict) else 0
        return unit_embeddings(
            self._url,
            [self._vector(item) for item in _in_order(items)],
            count=len(sent),
            dimension=self._dimension,
            billed_tokens=billed if isinstance(billed, int) else 0,
        )

    def _vector(self, item: Any) -> Any:
        """Some gateways answer with base64 even if they are asked for numbers."""
        vector = item.get("embedding") if isinstance(item, dict) else None
        return unpacked(self._url, [vector])[0] if isinstance(vector, str) else vector

    def _answer(self, texts: list[str], timeout: float) -> Any:
        import httpx2

        request: dict[str, Any] = {"model": self._name, "input": texts, "encoding_format": "float"}
        if self._name.startswith(_SEVERAL_SIZES):
            request["dimensions"] = self._dimension
        with self._connecting:
            client = self._client
        try:
            answer = client.post(f"{self._url}/embeddings", json=request, timeout=timeout)
        except httpx2.TimeoutException as error:
            raise Unreachable(f"{self._url} gave no answer within {timeout:g} seconds.") from error
        except httpx2.RequestError as error:
            raise Unreachable(f"{self._url} gave no answer: {str(error) or 'the connection broke off'}.") from error
        if not answer.is_success:
            raise refusal(
                self._url,
                answer.status_code,
                answer.text,
                answer.headers,
                key=KEY_SETTING,
                model=MODEL_SETTING,
                sent=self._sent(texts),
            )
        try:
            return answer.json()
        except ValueError as error:
            not_the_api = not_json(self._url, answer.text, self._sent(texts))
            if not is_web_page(answer.text):
                raise not_the_api from error
            raise ConfigurationError(
                f"{not_the_api} Set {URL_SETTING} to where the API begins, such as https://host/v1."
            ) from error

    def _sent(self, texts: list[str]) -> tuple[str, ...]:
        return (self._api_key, *texts)

    def close(self) -> None:
        self._connections.close()

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        client = httpx2.Client(headers={"Authorization": f"Bearer {self._api_key}"}, follow_redirects=True)
        return self._connections.enter_context(client)


def _in_order(items: list[Any]) -> list[Any]:
    """The items in the order of the texts: by their index. Google leaves out an index of 0, as protobuf leaves out
    every zero (https://github.com/samfoy/pi-session-search/issues/13). If the indexes are no such order, services mean
    that of the list (https://github.com/doobidoo/mcp-memory-service/pull/612)."""
    indexes = [item.get("index") or 0 if isinstance(item, dict) else 0 for item in items]
    if sorted(map(str, indexes)) != sorted(map(str, range(len(items)))):
        return items
    return [item for _, item in sorted(zip(indexes, items, strict=True), key=lambda one: int(one[0]))]
