"""The services with chat models, as a server speaks for each: its events, its ends and its errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ragbase.adapters.anthropic.chat_model import AnthropicChatModel
from ragbase.adapters.backoff import Sleep
from ragbase.adapters.openai.chat_model import OpenAIChatModel
from ragbase.adapters.vertex.chat_model import VertexChatModel
from ragbase.ports import ChatModel
from tests.unit.adapters.chat_service import JSON, KEY, Reply
from tests.unit.adapters.chat_services import chunk, event


class ClosedChatModel(ChatModel, Protocol):
    def close(self) -> None: ...


@dataclass(frozen=True)
class Vendor:
    """`end` is what ends an answer, for the reason stop, cut, declined or tool. `error` is an event that is one."""

    made: Callable[[str, float, Sleep], ClosedChatModel]
    words: Callable[[str], bytes]
    end: Callable[[str], bytes]
    tool: bytes
    error: bytes
    quiet: bytes
    whole: Callable[[str], Any]
    """The answer of a server that does not stream."""
    wrong_key: str
    """What a wrong key is said to be."""
    instructions: Callable[[Mapping[str, Any]], str]
    message: Callable[[Mapping[str, Any]], str]


def _named(data: Mapping[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def _openai(url: str, timeout: float, sleep: Sleep) -> ClosedChatModel:
    return OpenAIChatModel(f"{url}/v1", KEY, "model", timeout=timeout, sleep=sleep)


def _vertex(url: str, timeout: float, sleep: Sleep) -> ClosedChatModel:
    headers = {"authorization": f"Bearer {KEY}"}
    return VertexChatModel(
        "project",
        "europe-west1",
        "gemini",
        headers=lambda: headers,
        timeout=timeout,
        url=url,
        sleep=sleep,
    )


def _anthropic(url: str, timeout: float, sleep: Sleep) -> ClosedChatModel:
    return AnthropicChatModel(KEY, "claude", timeout=timeout, url=url, sleep=sleep)


def _openai_end(reason: str) -> bytes:
    finish = {"stop": "stop", "cut": "length", "declined": "content_filter", "tool": "tool_calls"}[reason]
    usage = {"prompt_tokens": 100, "completion_tokens": 7}
    return event(chunk({}, finish)) + event({"choices": [], "usage": usage}) + event("[DONE]")


def _anthropic_end(reason: str) -> bytes:
    finish = {"stop": "end_turn", "cut": "max_tokens", "declined": "refusal", "tool": "tool_use"}[reason]
    delta = {"type": "message_delta", "delta": {"stop_reason": finish}, "usage": {"output_tokens": 7}}
    return _named(delta) + _named({"type": "message_stop"})


_OPENAI = {
    "words": lambda text: event(chunk({"content": text})),
    "end": _openai_end,
    "tool": event(chunk({"tool_calls": [{"index": 0, "function": {"name": "delete_all", "arguments": "{}"}}]})),
    "error": event({"error": {"message": "The server had an error", "type": "server_error", "code": 500}}),
    "quiet": b": still here\n\n",
    "whole": lambda text: {
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7},
    },
    "instructions": lambda request: request["messages"][0]["content"],
    "message": lambda request: request["messages"][1]["content"],
}
VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor(_openai, wrong_key="OPENAI_API_KEY", **_OPENAI),  # type: ignore[arg-type]
    "vertex": Vendor(_vertex, wrong_key="roles/aiplatform.user", **_OPENAI),  # type: ignore[arg-type]
    "anthropic": Vendor(
        _anthropic,
        words=lambda text: _named(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        ),
        end=_anthropic_end,
        tool=_named(
            {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "name": "delete_all"}}
        ),
        error=_named({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        quiet=b": still here\n\n",
        whole=lambda text: {
            "type": "message",
            "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 100, "output_tokens": 7},
        },
        wrong_key="ANTHROPIC_API_KEY",
        instructions=lambda request: str(request["system"]),
        message=lambda request: str(request["messages"][0]["content"]),
    ),
}


def begin(vendor: str) -> bytes:
    """What comes before the first word."""
    if vendor != "anthropic":
        return event(chunk({"role": "assistant", "content": ""}))
    usage = {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 1}
    started = {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": usage}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    thought = {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Passage 9?"}}
    return _named(started) + _named({"type": "ping"}) + _named(thought) + _named(block)


def answered(vendor: str, text: str, reason: str = "stop") -> list[bytes]:
    """A whole stream with this text, in pieces of five characters."""
    one = VENDORS[vendor]
    words = [one.words(text[at : at + 5]) for at in range(0, len(text), 5)]
    return [begin(vendor), *words, one.end(reason)]


def failed(status: int, message: str = "It does not work.", headers: Mapping[str, str] | None = None) -> Reply:
    body = {"type": "error", "error": {"type": "api_error", "message": message}}
    return Reply([json.dumps(body).encode()], status, {**JSON, **(headers or {})})
