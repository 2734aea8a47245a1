"""Chat models behind an API like OpenAI's: POST …/chat/completions.

Services agree neither on what a request may have nor on what an answer has, so a request that is refused for a field is
sent once more without it, and every later one, too. The stand-ins of the tests (tests/unit/adapters/chat_services.py)
have the sources.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragbase.adapters.backoff import Sleep
from ragbase.adapters.chat.service import ChatRequest, ServiceSettings
from ragbase.adapters.chat.streamed import StreamedChatModel
from ragbase.adapters.chat.written import WrittenSoFar, count
from ragbase.domain.errors import QuestionRefused, Unavailable
from ragbase.ports import Billed

_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "content_filter", "safety"})
_FILTERED = frozenset({"content_filter", "safety"})
_FAILED = frozenset({"error"})
_NOT_WORDS = frozenset({"tool_calls", "function_call"})


@dataclass(frozen=True, slots=True)
class _Form:
    """Which fields a request has: those that the service is not known to refuse."""

    tokens: str = "max_tokens"
    temperature: bool = True
    usage: bool = True
    stream: bool = True
    system: bool = True
    effort: str = ""


def _easier(form: _Form, refused: str) -> Iterator[tuple[bool, Mapping[str, Any]]]:
    """Whether each field may be what is refused, and what to send in its place."""

    def says(pattern: str) -> bool:
        return re.search(pattern, refused, re.IGNORECASE) is not None

    yield (
        form.tokens == "max_tokens" and says(r"max_completion_tokens|['\"`]max_tokens"),
        {"tokens": "max_completion_tokens"},
    )
    yield form.temperature and says("temperature"), {"temperature": False}
    yield form.usage and says("stream_options|include_usage"), {"usage": False}
    lower = "low" if form.effort == "none" else ""
    yield bool(form.effort) and says("reasoning|thinking|effort"), {"effort": lower}
    yield (
        form.system
        and says("system.{0,30}(role|message|prompt|instruction)|roles?.{0,60}system|developer instruction"),
        {"system": False},
    )
    yield form.stream and says(r"\bstream(ing)?\b"), {"stream": False, "usage": False}


class ChatCompletions(StreamedChatModel[_Form]):
    """Implements the ChatModel port."""

    def __init__(
        self,
        name: str,
        url: str,
        model: str,
        settings: ServiceSettings,
        *,
        headers: Callable[[], Mapping[str, str]],
        timeout: float,
        effort: str = "",
        sleep: Sleep = time.sleep,
    ) -> None:
        """`url` is where `/chat/completions` begins. `headers` say who asks, in each request. `effort` is what is
        asked of a model that thinks (none, low); empty to ask nothing."""
        super().__init__(name, model, settings, _Form(effort=effort), timeout=timeout, sleep=sleep)
        self._url = f"{url}/chat/completions"
        self._headers = headers

    def _asked(self, form: _Form, instructions: str, message: str, most_tokens: int) -> ChatRequest:
        headers = self._headers()
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": message}]
        if not form.system:
            messages = [{"role": "user", "content": f"{instructions}\n\n{message}"}]
        body: dict[str, Any] = {"model": self._name, "messages": messages, form.tokens: most_tokens}
        if form.temperature:
            body["temperature"] = 0
        if form.stream:
            body["stream"] = True
        if form.usage:
            body["stream_options"] = {"include_usage": True}
        if form.effort:
            body["reasoning_effort"] = form.effort
        secrets = (value.removeprefix("Bearer ") for value in headers.values())
        return ChatRequest(self._url, headers, body, (*secrets, instructions, message))

    def _easier(self, form: _Form, refused: str) -> _Form | None:
        return next((replace(form, **to) for may_be, to in _easier(form, refused) if may_be), None)

    def _pieces(self, event: dict[str, Any], written: WrittenSoFar) -> Iterator[str]:
        _bill(event, written)
        choice = _choice(event)
        delta: Mapping[str, Any] = next(
            (choice[name] for name in ("delta", "message") if isinstance(choice.get(name), dict)), {}
        )
        if delta.get("tool_calls") or delta.get("function_call"):
            written.called_tools = True
        yield from written.text(_text_of(delta.get("content") if delta else choice.get("text")))
        finish = choice.get("finish_reason")
        finish = finish if isinstance(finish, str) else ""
        if finish:
            written.finished(finish, cut_off=finish in _CUT_OFF)
            written.called_tools = written.called_tools or finish in _NOT_WORDS
        elif "message" in choice:  # a body that is no stream may not say how it ended
            written.is_whole = True
        declined = delta.get("refusal")
        if isinstance(declined, str) and declined and written.is_empty:
            raise QuestionRefused(f"{written.service} refuses to answer: {declined[:300]}")
        if finish in _FILTERED and written.is_empty:
            raise QuestionRefused(f"{written.service} refuses to answer: its filter lets no answer through.")
        if finish in _FAILED:
            raise Unavailable(f"{written.service}'s answer failed.")


def _choice(event: Any) -> Mapping[str, Any]:
    choices = event.get("choices") if isinstance(event, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else {}


def _text_of(content: Any) -> str:
    """A text, or the texts of a list of parts (https://docs.mistral.ai/capabilities/reasoning/). What a model thinks is
    no part of its answer."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (one.get("text") for one in parts if isinstance(one, dict) and one.get("type") in ("text", None))
    return "".join(one for one in texts if isinstance(one, str))


def _bill(event: Mapping[str, Any], written: WrittenSoFar) -> None:
    groq = event.get("x_groq")
    usage = event.get("usage") or (groq.get("usage") if isinstance(groq, dict) else None)
    if isinstance(usage, dict):
        billed = Billed(count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")))
        if billed.input_tokens or billed.output_tokens:
            written.billed = billed
