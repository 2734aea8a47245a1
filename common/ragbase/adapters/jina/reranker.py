"""Rerank models behind an API like Jina's: text-embeddings-inference, vLLM, Infinity, llama.cpp, LocalAI, Voyage …"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from ragbase import telemetry
from ragbase.adapters.backoff import Unreachable
from ragbase.adapters.chat.in_time import in_time, while_read
from ragbase.adapters.hosted_embedder import sendable_text
from ragbase.adapters.jina.scores import billed_units, raw_scores, within_one
from ragbase.adapters.refusal import CallRefused, not_json, of_question, refusal, refusal_in_success
from ragbase.adapters.service_settings import checked_key, checked_url
from ragbase.adapters.service_words import About, error_in
from ragbase.domain.errors import ConfigurationError, PermanentError, Unavailable
from ragbase.domain.limits import MAX_RERANKED
from ragbase.extras import check_installed
from ragbase.ports import Reranked, seconds_left

if TYPE_CHECKING:
    from threading import Event

    import httpx2

URL = "https://api.jina.ai/v1"
MODEL_SETTING = "RAGBASE_RERANK_MODEL"
KEY_SETTING = "RAGBASE_RERANKER_API_KEY"
URL_SETTING = "RAGBASE_RERANKER_URL"

_MOST_BYTES = 8 * 1024 * 1024
"""Of an answer: 100 texts that come back with it have a tenth of that."""
_SHORTEST = 100
"""Characters of a text that say something. A shorter text is not cut further."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What a server takes, as far as its refusals have shown: the fields of a request, the texts of one, and the
    characters of a text; None without a limit."""

    named_as_texts: bool = False
    with_top_n: bool = True
    most_texts: int = MAX_RERANKED
    longest: int | None = None

    def request(self, model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
        if self.named_as_texts:
            return {"query": question, "texts": texts, "truncate": True}
        top_n = {"top_n": len(texts)} if self.with_top_n else {}
        return {"model": model, "query": question, "documents": texts, **top_n}

    def after(self, error: CallRefused, texts: Sequence[str]) -> _Form | None:
        """The form to try next after a refusal of these texts; None if no other would be taken."""
        if error.about is About.UNKNOWN and not self.named_as_texts and re.search(r"\btexts\b", str(error)):
            return replace(self, named_as_texts=True)
        if error.about is About.UNKNOWN and self.with_top_n and re.search(r"\btop_n\b", str(error)):
            return replace(self, with_top_n=False)
        if error.about is About.COUNT and len(texts) > 1:
            limit = error.limit
            return replace(self, most_texts=limit if limit and limit < len(texts) else (len(texts) + 1) // 2)
        longest = max(map(len, texts)) // 2
        if error.about in (About.LENGTH, About.TOTAL) and longest >= _SHORTEST:
            return replace(self, longest=longest)
        return None


class JinaReranker:
    """Implements the Reranker port with POST `url`/rerank (https://api.jina.ai/redoc#tag/rerank).

    Servers differ: some score with logits, some name the texts `texts`, some take 32 of them in a call or refuse a long
    one. What a refusal shows is kept for the next call, and logged. A text that is too long is scored by its beginning.
    All calls for one question end within `timeout`. May be used by several threads at once.
    """

    def __init__(self, api_key: str, *, model: str, timeout: float, url: str = "") -> None:
        """`timeout` is in seconds. `url` is Jina's own if empty; it ends where `/rerank` begins, or with it. Another
        server may need no key. Raises ConfigurationError, naming the setting, for a key or URL that cannot be one, and
        MissingExtra."""
        check_installed("httpx2")
        if not (api_key or url):
            raise ConfigurationError(
                f"reranker = jina asks {URL}, which needs a key. Set {KEY_SETTING} to the key of your account, or "
                f"{URL_SETTING} to the address of a server of yours."
            )
        self._url = _address(checked_url(url or URL, URL_SETTING))
        self._api_key = checked_key(api_key, KEY_SETTING) if api_key else ""
        self._name = model
        self._timeout = timeout
        self._form = _Form()
        self._connecting = Lock()
        self._connections = ExitStack()

    @property
    def model(self) -> str:
        return self._name

    def rerank(self, question: str, texts: Sequence[str]) -> Reranked:
        if len(texts) > MAX_RERANKED:
            raise ValueError(f"One call takes at most {MAX_RERANKED} texts, not {len(texts)}.")
        ends = monotonic() + min(self._timeout, max(seconds_left(), 0.001))
        scores: list[float] = []
        billed = 0.0
        try:
            while len(scores) < len(texts):
                form, rest = self._form, texts[len(scores) :]
                part = [sendable_text(text[: form.longest]) for text in rest[: form.most_texts]]
                try:
                    answer = self._answer(form.request(self._name, sendable_text(question), part), question, part, ends)
                except CallRefused as error:
                    other = form.after(error, part)
                    if other is None:
                        raise
                    self._form = other
                    telemetry.log(
                        "reranker.limit_found",
                        model=self._name,
                        texts=other.most_texts,
                        characters=other.longest,
                        reason=str(error),
                    )
                    continue
                scores += raw_scores(self._url, answer, len(part))
                billed += billed_units(answer)
        except PermanentError as error:
            raise of_question(error) from error
        return Reranked(within_one(scores), billed)

    def close(self) -> None:
        """Close the connections. No thread may still be using the reranker. May be called twice."""
        self._connections.close()

    def _answer(self, request: dict[str, Any], question: str, texts: Sequence[str], ends: float) -> Any:
        """The JSON of one answer. A thread of its own gets it: a server may send a byte a second, and for ever."""
        left = max(ends - monotonic(), 0.001)
        sent = (self._api_key, question, *texts)
        got = next(in_time(lambda over: self._asked(request, left, sent, over), self._url, quiet=left, ends=ends))
        error = error_in(got) if isinstance(got, dict) and not {"results", "data"} & got.keys() else None
        if error is not None:
            raise refusal_in_success(self._url, error, key=KEY_SETTING, model=MODEL_SETTING, sent=sent)
        return got

    def _asked(self, request: dict[str, Any], timeout: float, sent: Sequence[str], over: Event) -> Iterator[Any]:
        import httpx2

        with self._connecting:
            client = self._client
        headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        try:
            with client.stream("POST", self._url, json=request, headers=headers, timeout=timeout) as answer:
                body = _text(self._url, answer, over)
                if not answer.is_success:
                    raise refusal(
                        self._url,
                        answer.status_code,
                        body,
                        answer.headers,
                        key=KEY_SETTING,
                        model=MODEL_SETTING,
                        sent=sent,
                    )
        except httpx2.TimeoutException as error:
            raise Unreachable(f"{self._url} gave no answer within {timeout:g} seconds.") from error
        except (httpx2.RequestError, httpx2.StreamError) as error:
            raise Unreachable(f"{self._url} gave no answer: {str(error) or 'the connection broke off'}.") from error
        try:
            yield json.loads(body)
        except (ValueError, RecursionError) as error:
            raise not_json(self._url, body, sent) from error

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        # A redirect is not followed: the key and the texts would go to an address that nobody has set.
        return self._connections.enter_context(httpx2.Client(follow_redirects=False))


def _address(url: str) -> str:
    return url if url.endswith(("/rerank", "/reranking")) else f"{url}/rerank"


def _text(service: str, answer: httpx2.Response, over: Event) -> str:
    body = bytearray()
    for piece in while_read(answer.iter_bytes(), over):
        body += piece
        if len(body) > _MOST_BYTES:
            raise Unavailable(f"{service}'s answer has more than {_MOST_BYTES // 1024**2} MB. It was stopped.")
    return body.decode(errors="replace")
