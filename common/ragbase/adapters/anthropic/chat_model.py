"""Anthropic's chat models, and services with an API like its own."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ragbase.adapters.chat.service import ChatRequest, ServiceSettings
from ragbase.adapters.chat.streamed import StreamedChatModel
from ragbase.adapters.chat.written import WrittenSoFar, count
from ragbase.adapters.service_settings import checked_key, checked_url
from ragbase.domain.errors import QuestionRefused
from ragbase.ports import Billed

if TYPE_CHECKING:
    from ragbase.adapters.backoff import Sleep

URL = "https://api.anthropic.com"
_SETTINGS = ServiceSettings(key="ANTHROPIC_API_KEY", url="ANTHROPIC_BASE_URL")
_VERSION = "2023-06-01"
"""Of the API (https://docs.anthropic.com/en/api/versioning)."""
_CUT_OFF = frozenset({"max_tokens", "model_context_window_exceeded", "pause_turn", "refusal"})
"""The others are end_turn, stop_sequence and tool_use
(https://docs.anthropic.com/en/api/handling-stop-reasons)."""


@dataclass(frozen=True, slots=True)
class _Form:
    temperature: bool = True
    """Some models take none with the value 0."""


class AnthropicChatModel(StreamedChatModel[_Form]):
    """Implements the ChatModel port with POST `url`/v1/messages
    (https://docs.anthropic.com/en/api/messages-streaming)."""

    def __init__(self, api_key: str, model: str, *, timeout: float, url: str = "", sleep: Sleep = time.sleep) -> None:
        """`url` ends where `/v1` begins; it is Anthropic's own if empty. `timeout` is in seconds. Raises
        ConfigurationError, naming the setting, for a key or URL that cannot be one, and MissingExtra."""
        address = checked_url(url or URL, _SETTINGS.url).removesuffix("/v1")
        super().__init__(
            "Anthropic" if address == URL else address, model, _SETTINGS, _Form(), timeout=timeout, sleep=sleep
        )
        self._api_key = checked_key(api_key, _SETTINGS.key)
        self._url = f"{address}/v1/messages"

    def _asked(self, form: _Form, instructions: str, message: str, most_tokens: int) -> ChatRequest:
        headers = {"x-api-key": self._api_key, "anthropic-version": _VERSION}
        body: dict[str, Any] = {
            "model": self._name,
            "system": instructions,
            "messages": [{"role": "user", "content": message}],
            "max_tokens": most_tokens,
            "stream": True,
        }
        if form.temperature:
            body["temperature"] = 0
        return ChatRequest(self._url, headers, body, (self._api_key, instructions, message))

    def _easier(self, form: _Form, refused: str) -> _Form | None:
        if form.temperature and re.search("temperature", refused):
            return replace(form, temperature=False)
        return None

    def _pieces(self, event: dict[str, Any], written: WrittenSoFar) -> Iterator[str]:
        """An event of a type that is new is passed over, as Anthropic asks of its clients."""
        match event.get("type"):
            case "message_start":
                _bill(_fields(event, "message"), written)
            case "content_block_start":
                yield from _text_of(_fields(event, "content_block"), written)
            case "content_block_delta":
                yield from _text_of(_fields(event, "delta"), written)
            case "message_delta":
                _bill(event, written)
                _finish(_fields(event, "delta").get("stop_reason"), written)
            case "message_stop":
                written.is_whole = True
            case "message":  # of a service that does not stream
                _bill(event, written)
                content = event.get("content")
                for block in content if isinstance(content, list) else ():
                    yield from _text_of(block if isinstance(block, dict) else {}, written)
                written.is_whole = True
                _finish(event.get("stop_reason"), written)


def _fields(event: dict[str, Any], name: str) -> dict[str, Any]:
    value = event.get(name)
    return value if isinstance(value, dict) else {}


def _text_of(block: dict[str, Any], written: WrittenSoFar) -> Iterator[str]:
    """What a model thinks (`thinking`) is no part of its answer."""
    if block.get("type") in ("tool_use", "server_tool_use"):
        written.called_tools = True
    text = block.get("text")
    if block.get("type") in ("text", "text_delta") and isinstance(text, str):
        yield from written.text(text)


def _finish(reason: Any, written: WrittenSoFar) -> None:
    if not isinstance(reason, str) or not reason:
        return
    written.finished(reason, cut_off=reason in _CUT_OFF)
    if reason == "refusal" and written.is_empty:
        raise QuestionRefused(f"{written.service} refuses to answer.")


def _bill(event: dict[str, Any], written: WrittenSoFar) -> None:
    """The tokens that are read from its cache, or written to it, are billed, too. The last event has all that were
    written (https://docs.anthropic.com/en/api/messages-streaming#event-types)."""
    usage = _fields(event, "usage")
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    before = written.billed or Billed(0, 0)
    read, wrote = sum(count(usage.get(name)) for name in names), count(usage.get("output_tokens"))
    if read or wrote:
        written.billed = Billed(read or before.input_tokens, max(wrote, before.output_tokens))
